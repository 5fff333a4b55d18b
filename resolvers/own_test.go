package resolvers_test

import (
	"fmt"
	"testing"

	"product-comments/internal/testkit"
)

// What a mutation returns counts it, and so does what is asked for after it, until
// the projector has counted it and from then on.
func TestMutationsAreCounted(t *testing.T) {
	s := serve(t)
	list := shelf()
	s.Fill(t, list...)
	s.Project(t)
	ofLamp := len(of(list, "lamp", ""))
	var ids []string
	for i := range 20 {
		if i == 12 {
			s.Project(t)
		}
		a := s.Post(t, `mutation{createComment(input:{productId:"lamp",rating:5,language:"en"}){comment{commentId product{
			stats{totalCount ratingCounts{count}} en:stats(language:"en"){totalCount} comments(first:1,ratings:[4,5]){totalCount}}}}}`, nil)
		ids = append(ids, a.At(t, "createComment", "comment", "commentId").(string))
		product := func(path ...any) any {
			return a.At(t, append([]any{"createComment", "comment", "product"}, path...)...)
		}
		n := i + 1
		for what, counts := range map[string][2]any{
			"in all":          {product("stats", "totalCount"), ofLamp + n},
			"rated 5":         {product("stats", "ratingCounts", 4, "count"), len(of(list, "lamp", "", 5)) + n},
			"in English":      {product("en", "totalCount"), len(of(list, "lamp", "en")) + n},
			"with 4 or 5":     {product("comments", "totalCount"), len(of(list, "lamp", "", 4, 5)) + n},
			"in all, as read": {s.total(t, "lamp"), ofLamp + n},
		} {
			if counts[0] != float64(counts[1].(int)) {
				t.Errorf("create %d counts %v %s, not %v", n, counts[0], what, counts[1])
			}
		}
	}
	// Two in one request: each payload counts what came before it.
	a := s.Post(t, fmt.Sprintf(`mutation{a:updateComment(input:{id:%q,rating:1,language:"de"}){comment{product{stats{ratingCounts{count} languageCounts{language count}}}}}
		b:deleteComment(input:{id:%q}){product{stats{totalCount}}}}`, ids[0], ids[19]), nil)
	if got, want := a.At(t, "a", "comment", "product", "stats", "ratingCounts", 0, "count"), len(of(list, "lamp", "", 1))+1; got != float64(want) {
		t.Errorf("the update counts %v rated 1, not %d", got, want)
	}
	if got, want := a.At(t, "b", "product", "stats", "totalCount"), ofLamp+19; got != float64(want) {
		t.Errorf("the delete counts %v, not %d", got, want)
	}
	before := s.total(t, "lamp")
	s.Project(t)
	after := s.total(t, "lamp")
	testkit.Check(t, after == before && after == float64(ofLamp+19), "%v are counted before the projector has, %v after", before, after)
}

// total returns how many comments a product has, by its statistics, which cost what
// they cost with nothing of one's own to count.
func (s *service) total(t *testing.T, product string) any {
	t.Helper()
	a := s.Post(t, fmt.Sprintf(`{product(id:%q){stats{totalCount}}}`, product), nil)
	if units := a.Extensions.Cost.ReadUnits; units != 0.5 && units != 1.5 { // the latter when settings are read, too
		t.Errorf("counts cost %v units", units)
	}
	return a.At(t, "product", "stats", "totalCount")
}
