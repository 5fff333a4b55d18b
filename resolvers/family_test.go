package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// defineFamily sends the mutation as a service, and returns the answer.
func (s *service) defineFamily(t *testing.T, id string, products ...string) apitest.Answer {
	t.Helper()
	return s.As(apitest.Shop).Post(t, fmt.Sprintf(`mutation{defineFamily(input:{familyId:%q,productIds:[%s],label:"Bags"})
		{family{familyId label products{productId family{familyId}}}}}`, id, `"`+strings.Join(products, `","`)+`"`), nil)
}

func TestDefineFamily(t *testing.T) {
	s := serve(t)
	const none = `{"defineFamily":{"family":null}}`
	for _, c := range []struct {
		id       string
		products []string
		want     string // data, or the code and the field of the error
	}{
		{"bags", []string{"42", "43"}, `{"defineFamily":{"family":{"familyId":"bags","label":"Bags","products":[{"productId":"42","family":{"familyId":"bags"}},{"productId":"43","family":{"familyId":"bags"}}]}}}`},
		{"bags", []string{"43", "42"}, `{"defineFamily":{"family":{"familyId":"bags","label":"Bags","products":[{"productId":"43","family":{"familyId":"bags"}},{"productId":"42","family":{"familyId":"bags"}}]}}}`},
		{"others", []string{"43"}, "CONFLICT "},
		{"bags", []string{"42", "44"}, `{"defineFamily":{"family":{"familyId":"bags","label":"Bags","products":[{"productId":"42","family":{"familyId":"bags"}},{"productId":"44","family":{"familyId":"bags"}}]}}}`},
		{"others", []string{"43"}, `{"defineFamily":{"family":{"familyId":"others","label":"Bags","products":[{"productId":"43","family":{"familyId":"others"}}]}}}`},
		{"bags", []string{"42", "42"}, "BAD_USER_INPUT productIds.1"},
		{"", []string{"42"}, "BAD_USER_INPUT familyId"},
		{"many", slices.Repeat([]string{"42"}, 26), "BAD_USER_INPUT productIds"},
	} {
		a := s.defineFamily(t, c.id, c.products...)
		got := string(a.Data)
		if len(a.Errors) > 0 {
			field, _ := a.Errors[0].Extensions["field"].(string)
			got = fmt.Sprint(a.Errors[0].Extensions["code"], " ", field)
		}
		testkit.Equal(t, got, c.want, "%s of %v", c.id, c.products)
	}
	s.Want(t, `{family(id:"bags"){products{productId}} product(id:"43"){family{familyId}} none:family(id:"no"){id}}`,
		`{"family":{"products":[{"productId":"42"},{"productId":"44"}]},"product":{"family":{"familyId":"others"}},"none":null}`)
	id := s.Post(t, `{family(id:"bags"){id}}`, nil).At(t, "family", "id").(string)
	s.Want(t, `{node(id:"`+id+`"){... on Family{familyId}}}`, `{"node":{"familyId":"bags"}}`)
	a := s.As(apitest.Shop).Post(t, `mutation{defineFamily(input:{familyId:"bags",productIds:[]}){family{id}}}`, nil)
	testkit.Equal(t, string(a.Data), none, "%+v", a.Errors)
	s.Want(t, `{family(id:"bags"){id} product(id:"42"){family{id}}}`, `{"family":null,"product":{"family":null}}`)
	s.As(apitest.Mia).WantError(t, `mutation{defineFamily(input:{familyId:"bags",productIds:[]}){family{id}}}`, "FORBIDDEN", "")
}

// The statistics of a family are the sums of its products', read in one batch.
func TestStatsOfAFamily(t *testing.T) {
	s := serve(t)
	s.Fill(t, slices.Concat(apitest.Rated("42", "en", [5]int{1, 0, 0, 2, 3}), apitest.Rated("43", "de", [5]int{0, 1, 0, 0, 1}),
		apitest.Rated("43", "en", [5]int{0, 0, 0, 0, 1}))...)
	s.Project(t)
	s.defineFamily(t, "bags", "42", "43", "44")
	const query = `{family(id:"bags"){stats{totalCount averageRating ratingCounts{count} languageCounts{language count} verifiedCount timeline(by:YEAR){count}}
		de:stats(language:"de"){totalCount languageCounts{language count} firstCreatedAt}}}`
	a := s.Post(t, query, nil)
	first := s.Post(t, `{product(id:"43"){stats(language:"de"){firstCreatedAt}}}`, nil).At(t, "product", "stats", "firstCreatedAt")
	testkit.Equal(t, string(a.Data), fmt.Sprintf(`{"family":{"stats":{"totalCount":9,"averageRating":%v,"ratingCounts":[{"count":1},{"count":1},{"count":0},{"count":2},{"count":5}],"languageCounts":[{"language":"en","count":7},{"language":"de","count":2}],"verifiedCount":0,"timeline":[{"count":9}]},"de":{"totalCount":2,"languageCounts":[{"language":"de","count":2}],"firstCreatedAt":%q}}}`,
		36.0/9, first), "%+v", a.Errors)
	s.Batches.Take()
	s.Post(t, `{family(id:"bags"){stats{totalCount}}}`, nil)
	testkit.Equal(t, fmt.Sprint(s.Batches.Take()), "[1 3]", "the family, and its statistics")
}

// A walk through the list of a family shows each comment that stays once while products join and
// leave it, and a cursor of the former family resumes.
func TestMembersChangeWhilePeoplePage(t *testing.T) {
	s := serve(t)
	var all []store.Comment
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		all = append(all, store.Comment{ID: fmt.Sprintf("c%02d", i), ProductID: fmt.Sprint(i % 3), Rating: 1 + i%5, Language: "en",
			Title: "A title", CreatedAt: at.Add(time.Duration(i/2) * time.Minute)})
	}
	s.Fill(t, all...)
	s.Project(t)
	for _, order := range []string{`CREATED_AT`, `RATING`, `HELPFUL`} {
		members, seen, after := [][]string{{"0", "1"}, {"1", "0", "2"}, {"0"}, {"2", "0"}}, map[string]int{}, ""
		for n := 0; ; n++ {
			s.defineFamily(t, "bags", members[n%len(members)]...)
			p := s.numberedOf(t, `family(id:"bags")`, fmt.Sprintf(`first:7,after:%q,orderBy:{field:%s,direction:DESC}`, after, order))
			for _, id := range p.ids() {
				seen[id]++
			}
			if !p.PageInfo.HasNextPage {
				break
			}
			after = *p.PageInfo.EndCursor
		}
		for _, c := range all {
			testkit.Check(t, seen[c.ID] == 1 || c.ProductID != "0" && seen[c.ID] == 0, "%s: %s of product %s is shown %d times", order, c.ID, c.ProductID, seen[c.ID])
		}
	}
}
