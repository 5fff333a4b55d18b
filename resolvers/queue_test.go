package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/storetest"
)

const queueCounts = `moderationQueue(first:0){totalCount counts{state count}}`

// wantQueue fails unless an answer has these counts of the queue: pending, published, rejected
// and withdrawn comments.
func wantQueue(t *testing.T, a apitest.Answer, what string, want [4]int, path ...any) {
	t.Helper()
	var got [4]int
	for i := range got {
		got[i] = int(a.At(t, append(path, "moderationQueue", "counts", i, "count")...).(float64))
	}
	testkit.Check(t, got == want, "%s: the queue has %v, want %v", what, got, want)
	total := int(a.At(t, append(path, "moderationQueue", "totalCount")...).(float64))
	testkit.Check(t, total == want[0], "%s: %d are pending, want %d", what, total, want[0])
}

// Every write that moves comments in the moderation queue is counted at once by the server that
// made it, without the projector, and once only when the projector has followed.
func TestPayloadsCountTheQueue(t *testing.T) {
	s := serve(t)
	other := store.New(storetest.Client(t), s.Store.Table(), store.Options{})
	moderate := func(mode moderation.Mode) {
		testkit.Must(t, other.Moderation().SetMode(t.Context(), "42", &mode))
		testkit.Value(s.Store.Settings().Read(t.Context()))(t)
	}
	s.Project(t)
	moderate(moderation.Pre)
	ids := map[string]string{"a": s.write(t, apitest.Alice), "b": s.write(t, apitest.Alice), "c": s.write(t, apitest.Alice)}
	read := func() apitest.Answer { return s.Post(t, "{"+queueCounts+"}", nil) }
	wantQueue(t, read(), "create", [4]int{3})
	reporters := []access.Viewer{apitest.Bob, {Subject: "carl", Role: access.Author}, {Subject: "dora", Role: access.Author}}
	for _, step := range []struct {
		as       access.Viewer
		mutation string
		want     [4]int
	}{
		{apitest.Mia, `approveComment(input:{id:"$a"})`, [4]int{2}},
		{apitest.Mia, `approveComment(input:{id:"$b"})`, [4]int{1}},
		{apitest.Mia, `rejectComment(input:{id:"$c",reason:"rude"})`, [4]int{0, 0, 1}},
		{apitest.Alice, `updateComment(input:{id:"$c",rating:1})`, [4]int{1}},
		{apitest.Mia, `updateComment(input:{id:"$c",language:"de"})`, [4]int{1}},
		{apitest.Mia, `rejectComment(input:{id:"$c",reason:"rude"})`, [4]int{0, 0, 1}},
		{apitest.Alice, `withdrawComment(input:{id:"$c"})`, [4]int{0, 0, 0, 1}},
		{reporters[0], `reportComment(input:{id:"$a"})`, [4]int{0, 1, 0, 1}},
		{reporters[1], `reportComment(input:{id:"$a"})`, [4]int{0, 1, 0, 1}},
		{reporters[0], `reportComment(input:{id:"$b"})`, [4]int{0, 2, 0, 1}},
		{apitest.Mia, `approveComment(input:{id:"$b"})`, [4]int{0, 1, 0, 1}},
		{reporters[2], `reportComment(input:{id:"$a"})`, [4]int{1, 0, 0, 1}},
		{apitest.Mia, `dismissReports(input:{id:"carl"})`, [4]int{0, 0, 0, 1}},
		{apitest.Mia, `rejectComment(input:{id:"$b",reason:"rude"})`, [4]int{0, 0, 1, 1}},
		{apitest.Mia, `deleteComment(input:{id:"$b"})`, [4]int{0, 0, 0, 1}},
	} {
		if strings.HasPrefix(step.mutation, "report") {
			moderate(moderation.Post)
		}
		what := step.as.Subject + ": " + step.mutation
		for name, id := range ids {
			step.mutation = strings.ReplaceAll(step.mutation, "$"+name, id)
		}
		fields := "__typename"
		if step.as == apitest.Mia {
			fields = "query{" + queueCounts + "}"
		}
		a := s.As(step.as).Post(t, fmt.Sprintf("mutation{m:%s{%s}}", step.mutation, fields), nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", what, a.Errors)
		if step.as == apitest.Mia {
			wantQueue(t, a, what, step.want, "m", "query")
		}
		wantQueue(t, read(), what, step.want)
	}
	wantOthers := func(what string, want int) {
		t.Helper()
		totals := testkit.Value(other.Moderation().Counts(t.Context()))(t)
		n := totals.Count(store.Queue{State: item.Withdrawn})
		testkit.Check(t, n == want, "%s: another process counts %d withdrawn comments, want %d", what, n, want)
	}
	wantOthers("before the projector", 0)
	s.Project(t)
	wantQueue(t, read(), "projected", [4]int{0, 0, 0, 1})
	wantOthers("projected", 1)
	testkit.Value(other.Erase(t.Context(), store.Erasure{Subject: "alice"}))(t) // as its operator's process does
	wantOthers("erase", 0)
	wantQueue(t, read(), "an erasure by another process", [4]int{0, 0, 0, 1})
	s.Project(t)
	wantQueue(t, read(), "the erasure is projected", [4]int{})
	wantOthers("the erasure is projected", 0)
}

// The queue, and what a person wrote, are searched: each condition leaves out what does not fulfil
// it, a page that ends early has a cursor, and what is wrong is said of each field.
func TestSearches(t *testing.T) {
	s := serve(t)
	var all []store.Comment
	for i, c := range apitest.Comments(520) {
		c.State, c.Owner, c.ProductID, c.Title = item.Pending, "alice", "42", "Good"
		switch i {
		case 0:
			c.ProductID, c.Title, c.Text = "43", "A needle", "Größe M"
		case 519:
			c.Title, c.Rating, c.Language, c.Photos = "Needle", 1, "de", []store.Photo{{ID: storetest.PhotoID(1), Width: 1, Height: 1}}
		default:
			c.Rating, c.Language = 2, "en"
		}
		all = append(all, c)
	}
	all[0].Rating, all[0].Language = 5, "en"
	s.Fill(t, all...)
	s.Project(t)
	oldest, newest := &all[0], &all[519]
	if oldest.CreatedAt.After(newest.CreatedAt) {
		oldest, newest = newest, oldest
	}
	mia := s.As(apitest.Mia)
	for filter, want := range map[string][]*store.Comment{
		`words:"NEEDLE"`: {oldest, newest}, `words:"needle grosse"`: {&all[0]}, `words:"needle absent"`: nil,
		`productId:"43"`: {&all[0]}, `productId:"` + globalid.Of(globalid.Product, "43") + `"`: {&all[0]}, `productId:"42",ratings:[1,5]`: {&all[519]},
		`withPhotos:true`: {&all[519]}, `withPhotos:false,ratings:[1,5],words:null,productId:""`: {oldest, newest},
		`createdBefore:"` + oldest.CreatedAt.Add(1).Format(time.RFC3339Nano) + `"`: {oldest}, `createdAfter:"` + newest.CreatedAt.Format(time.RFC3339Nano) + `"`: {newest},
		`language:"de",words:" "`: {&all[519]},
	} {
		for list, query := range map[string]string{
			"moderationQueue": `{moderationQueue(filter:{%s},%s){nodes{commentId} pageInfo{hasNextPage endCursor} totalCount}}`,
			"user":            `{user(id:"alice"){moderationQueue:comments(filter:{%s},%s){nodes{commentId} pageInfo{hasNextPage endCursor} totalCount}}}`,
		} {
			path := []any{"moderationQueue"}
			if list == "user" {
				if path = []any{"user", "moderationQueue"}; strings.Contains(filter, "productId") {
					continue
				}
			}
			var got, ids []string
			for page, more := `first:3`, true; more; {
				a := mia.Post(t, fmt.Sprintf(query, filter, page), nil)
				testkit.Need(t, len(a.Errors) == 0, "%s: %+v", filter, a.Errors)
				at := func(of ...any) any { return a.At(t, append(slices.Clone(path), of...)...) }
				for _, n := range at("nodes").([]any) {
					got = append(got, n.(map[string]any)["commentId"].(string))
				}
				if list != "user" && !strings.HasPrefix(filter, "language") {
					testkit.Check(t, at("totalCount") == nil, "%s counts %v", filter, at("totalCount"))
				}
				if more = at("pageInfo", "hasNextPage").(bool); more {
					page = fmt.Sprintf(`first:3,after:%q`, at("pageInfo", "endCursor"))
				}
			}
			for _, c := range want {
				ids = append(ids, c.ID)
			}
			if list == "user" {
				slices.Reverse(ids)
			}
			testkit.Check(t, slices.Equal(got, ids), "%s of %s: got %q, want %q", list, filter, got, ids)
		}
	}
	a := mia.Post(t, `{moderationQueue(filter:{words:"absent"},first:3){nodes{id} pageInfo{endCursor}}}`, nil)
	mia.WantError(t, fmt.Sprintf(`{moderationQueue(filter:{words:"other"},after:%q){nodes{id}}}`, a.At(t, "moderationQueue", "pageInfo", "endCursor")), "BAD_USER_INPUT", "after")
	mia.WantError(t, `{moderationQueue(filter:{ratings:[6]}){nodes{id}}}`, "BAD_USER_INPUT", "filter.ratings")
	mia.WantError(t, `{moderationQueue(filter:{productId:"`+globalid.Of(globalid.User, "x")+`"}){nodes{id}}}`, "BAD_USER_INPUT", "filter.productId")
	mia.WantError(t, `{moderationQueue(filter:{words:"a b c d e f g h i j k"}){nodes{id}}}`, "BAD_USER_INPUT", "filter.words")
	mia.WantError(t, `{user(id:"alice"){comments(filter:{words:"a\u0000"}){nodes{id}}}}`, "BAD_USER_INPUT", "filter.words")
	s.As(apitest.Alice).WantError(t, `{moderationQueue(filter:{words:"a b c d e f g h i j k"}){nodes{id}}}`, "FORBIDDEN", "")
}

// Two moderators see that they look at the same comment.
func TestLooking(t *testing.T) {
	s := serve(t)
	id := s.write(t, apitest.Alice)
	max := s.As(access.Viewer{Subject: "max", Role: access.Moderator})
	look := fmt.Sprintf(`mutation{lookAtComment(input:{id:%q}){comment{lookedAtBy{by}}}}`, id)
	s.As(apitest.Mia).Want(t, look, `{"lookAtComment":{"comment":{"lookedAtBy":[]}}}`)
	max.Want(t, look, `{"lookAtComment":{"comment":{"lookedAtBy":[{"by":"mia"}]}}}`)
	s.As(apitest.Mia).Want(t, `{product(id:"42"){comments{nodes{lookedAtBy{by}}}}}`, `{"product":{"comments":{"nodes":[{"lookedAtBy":[{"by":"max"}]}]}}}`)
	s.As(apitest.Alice).WantError(t, fmt.Sprintf(`{comment(id:%q){lookedAtBy{by}}}`, id), "FORBIDDEN", "")
	max.WantError(t, `mutation{lookAtComment(input:{id:"none"}){comment{id}}}`, "NOT_FOUND", "")
	max.WantError(t, `mutation{lookAtComment(input:{id:""}){comment{id}}}`, "BAD_USER_INPUT", "id")
}

// A late decision says who was first.
func TestLateDecision(t *testing.T) {
	s := serve(t)
	id := s.write(t, apitest.Alice)
	s.reject(t, id) // by Mia
	a := s.As(apitest.Shop).Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedState:PENDING}){comment{id}}}`, id), nil)
	testkit.Need(t, len(a.Errors) == 1, "%+v", a.Errors)
	e := a.Errors[0].Extensions
	testkit.Check(t, e["code"] == "CONFLICT" && e["field"] == "expectedState" && e["state"] == "REJECTED" && e["decidedBy"] == "mia" && e["decidedAt"] != nil && strings.Contains(a.Errors[0].Message, "mia"), "%+v", a.Errors)
	s.As(apitest.Alice).WantError(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedState:PENDING}){comment{id}}}`, id), "FORBIDDEN", "")
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedState:REJECTED}){comment{state}}}`, id), `{"approveComment":{"comment":{"state":"PUBLISHED"}}}`)
}
