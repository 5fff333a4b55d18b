package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/access"
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

// A moderator reads the numbers of months, the newest first.
func TestReviewMonths(t *testing.T) {
	s := serve(t)
	s.Project(t)
	a := s.As(apitest.Mia).Post(t, `{reviewMonths{month}one:reviewMonths(last:1){createdCount averageRating decisionCount medianDecisionSeconds ratings{rating createdCount publishedCount refusedCount}}}`, nil)
	months := a.At(t, "reviewMonths").([]any)
	testkit.Check(t, len(months) == 12 && len(a.At(t, "one", 0, "ratings").([]any)) == 5 && a.At(t, "one", 0, "medianDecisionSeconds") == nil, "months %s", a.Data)
	s.As(apitest.Mia).WantError(t, `{reviewMonths(last:101){month}}`, "BAD_USER_INPUT", "last")
	s.As(apitest.Alice).WantError(t, `{reviewMonths{month}}`, "FORBIDDEN", "")
}
