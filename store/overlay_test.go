package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// Whatever a server writes is at its new place in every list that it reads from then
// on, and at no other, before the projector has followed, while it does and after.
func TestOwnWritesInEveryOrder(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	defs := attributed()
	s := storeWithAttributes(t, "42", defs)
	m := attributedModel(r, "42", 40)
	importAll(t, s, m)
	project(t, s)
	inputs := func(of store.Comment) (given []attributes.Input) {
		for _, d := range defs {
			if v := valueOf(&of, d.Key); v != nil {
				given = append(given, attributes.Input{Key: d.Key, Value: fmt.Sprint(v)})
			}
		}
		return given
	}
	random := func() []attributes.Input { return inputs(store.Comment{Attributes: randomValues(r)}) }
	walked := 0
	for step := range 50 {
		i := r.IntN(len(m))
		switch n := r.IntN(12); {
		case n < 2:
			project(t, s)
		case n < 5:
			m = append(m, mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 1 + r.IntN(5), Language: []string{"en", "de", "fr"}[r.IntN(3)], Text: "new", Attributes: random()}))
		case n < 8:
			change := store.Change{ID: m[i].ID}
			if r.IntN(2) == 0 {
				change.Rating, change.Title = aws.Int(1+r.IntN(5)), aws.String(fmt.Sprintf("edit %d", step))
			}
			switch r.IntN(4) {
			case 0: // all of them go
				for _, had := range inputs(m[i]) {
					change.Attributes = append(change.Attributes, attributes.Input{Key: had.Key})
				}
			case 1, 2:
				change.Attributes = random()
			}
			m[i] = update(t, s, change)
		case n < 10:
			m[i] = vote(t, s, m[i].ID, alice, votes.Vote(r.IntN(3)-1))
		default:
			remove(t, s, m[i].ID)
			m = slices.Delete(m, i, i+1)
		}
		testkit.Check(t, wantMatching(t, s, m, randomMatching(t, r, s, m, defs), defs), "of few comments the ones that match are not counted")
		for range 2 {
			f, _ := randomOrder(t, r, s, m, defs)
			got, _, costly := walkPlaces(t, s, f, 1+r.IntN(30), r.IntN(2) == 0)
			if costly {
				continue
			}
			walked++
			want := m.ordered(f, defs)
			testkit.Need(t, ids(got) == ids(want), "step %d, %+v\ngot  %s\nwant %s", step, f, ids(got), ids(want))
			for i := range got {
				testkit.Need(t, got[i].Title == want[i].Title && got[i].Rating == want[i].Rating && got[i].Language == want[i].Language, "step %d, %+v shows %+v, want %+v", step, f, got[i], want[i])
			}
		}
	}
	testkit.Check(t, walked >= 80, "%d lists were walked, which is too few", walked)
}

// What another person does to a comment after us is shown when the projector has
// followed us and that is known: no longer than a moment later.
func TestOthersWritesComeThrough(t *testing.T) {
	first := storeWithAttributes(t, "42", []attributes.Definition{{Key: "Fit", Type: attributes.Number}})
	var now clock
	ours := store.New(storetest.Client(t), first.Table(), store.Options{PlaceAge: -1, MetaAge: time.Nanosecond, Now: now.now})
	fit := func(s *store.Store, id, value string) {
		t.Helper()
		update(t, s, store.Change{ID: id, Attributes: []attributes.Input{{Key: "Fit", Value: value}}})
	}
	f := plan.Filter{ProductID: "42", Order: plan.Order{Field: plan.ByAttribute, Attribute: "Fit"}}
	shown := func(s *store.Store) string {
		t.Helper()
		page := pageOf(t, s, f, store.Window{Limit: 10})
		return ids(of(page.Items))
	}
	var all []string
	for _, value := range []string{"5", "4", "3"} {
		c := mustCreate(t, first, store.NewComment{ProductID: "42", Rating: 5, Language: "en", Attributes: []attributes.Input{{Key: "Fit", Value: value}}})
		all = append(all, c.ID)
	}
	a, b, c := all[0], all[1], all[2]
	want := func(when string, s *store.Store, order ...string) {
		t.Helper()
		testkit.Equal(t, strings.TrimSpace(shown(s)), strings.Join(order, " "), "%s", when)
	}
	want("before another server can know", ours)
	project(t, first)
	want("at first", ours, a, b, c)
	fit(ours, a, "1")
	want("after our write", ours, b, c, a)
	want("elsewhere", first, a, b, c)
	fit(first, a, "3.5")
	remove(t, first, b)
	want("after theirs", ours, b, c, a)
	project(t, first)
	want("when columns have followed, which we do not know", ours, c, a)
	now.advance(300 * time.Millisecond)
	want("when we know, and replicas may not", ours, c, a)
	now.advance(1100 * time.Millisecond)
	want("a moment later", ours, a, c)
	fit(ours, c, "0")
	fit(first, c, "9")
	project(t, first)
	now.advance(time.Minute) // no one looked
	want("at the first look after a minute", ours, c, a)
	remove(t, ours, a)
	want("after our delete", ours, c)
}

// helpfulOf lists a product with the most helpful comments first: their titles.
func helpfulOf(t *testing.T, s *store.Store, product string) (titles string) {
	t.Helper()
	page := pageOf(t, s, plan.Filter{ProductID: product, Order: plan.Order{Field: plan.ByHelpful}}, store.Window{Limit: 100})
	for i := range page.Items {
		titles += page.Items[i].Title + " "
	}
	return titles
}

// aMinuteLater is helpfulOf when a process that has asked what is projected has forgotten
// what it wrote.
func aMinuteLater(t *testing.T, s *store.Store, product string) (titles string) {
	t.Helper()
	time.Sleep(time.Minute)
	helpfulOf(t, s, product) // it asks
	time.Sleep(3 * time.Second)
	return helpfulOf(t, s, product)
}

// rename gives a comment another title.
func rename(t *testing.T, s *store.Store, id, title string) {
	t.Helper()
	update(t, s, store.Change{ID: id, Title: &title})
}

// onTwoProducts runs a test under a virtual clock with two products that have attributes,
// whose groups share a lane: two processes on a table whose eventually consistent reads are half a second late.
func onTwoProducts(t *testing.T, test func(t *testing.T, ours, others *store.Store, api *storetest.Calls, project func())) {
	onLateIndexes(t, 500*time.Millisecond, test)
}

// onLateIndexes is onTwoProducts with indexes that are late by up to a lag.
func onLateIndexes(t *testing.T, lag time.Duration,
	test func(t *testing.T, ours, others *store.Store, api *storetest.Calls, project func())) {
	storetest.Own(t)
	synctest.Test(t, func(t *testing.T) {
		client := double.New(double.Options{IndexLag: lag}).Client("test")
		process := func(api store.API) *store.Store {
			return store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
		}
		api := &storetest.Calls{API: client}
		ours, others := process(api), process(client)
		testkit.Must(t, others.EnsureTable(t.Context(), true))
		project := func() { consume(t, client, others)() }
		project()
		for _, product := range []string{"42", "d"} {
			define(t, others, product, []attributes.Definition{{Key: "fit", Type: attributes.Number}})
		}
		test(t, ours, others, api, project)
	})
}

// A product without any projected comment has its list by votes at once. Comments of ours from
// before its definitions follow by time, as soon as the indexes have them.
func TestOwnWritesBeforeDefinitions(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, ours, _ *store.Store, _ *storetest.Calls, _ func()) {
		create := func(product string) {
			if _, err := ours.Create(t.Context(), store.NewComment{ProductID: product, Rating: 3, Language: "en", Title: "ours"}); err != nil {
				t.Fatal(err)
			}
		}
		create("43")
		_, err := ours.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "43"}, Definitions: []attributes.Definition{{Key: "fit", Type: attributes.Number}}})
		testkit.Must(t, err)
		time.Sleep(time.Second)
		testkit.Equal(t, helpfulOf(t, ours, "43"), "ours ", "with definitions that came later the list")
		create("42")
		testkit.Equal(t, helpfulOf(t, ours, "42"), "ours ", "with definitions from the beginning the list")
	})
}

// A create took effect and its answer was lost. When it is repeated with its idempotency
// key, the server counts and lists the comment that the first one made, before the
// projector does; another server that repeats it waits for the projector.
func TestARepeatedCreateIsAcknowledged(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, ours, others *store.Store, api *storetest.Calls, _ func()) {
		lost := false
		api.Do = func(ctx context.Context, in any, call storetest.Call) error {
			_, err := call(ctx)
			if _, is := in.(*dynamodb.TransactWriteItemsInput); is && err == nil && !lost {
				lost = true
				return errors.New("the answer is lost")
			}
			return err
		}
		n := store.NewComment{ProductID: "42", Rating: 3, Language: "en", Title: "once", IdempotencyKey: "k"}
		if _, err := ours.Create(t.Context(), n); err == nil {
			t.Fatal("the answer was not lost")
		}
		want := func(when string, s *store.Store, total int, list string) {
			t.Helper()
			got := testkit.Value(s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}}))(t)[0].Total()
			testkit.Check(t, got == total, "%s: %d are counted, want %d", when, got, total)
			testkit.Equal(t, helpfulOf(t, s, "42"), list, "%s: the list", when)
		}
		want("before it is repeated", ours, 0, "")
		c := mustCreate(t, others, n)
		want("repeated elsewhere", others, 0, "")
		for range 2 {
			again := mustCreate(t, ours, n)
			testkit.Check(t, again.ID == c.ID, "%s was made, and %s", c.ID, again.ID)
			want("repeated", ours, 1, "once ")
		}
	})
}

// What is pending shows what definitions say now, not what they said when it was written.
func TestOverlayUnderOtherDefinitions(t *testing.T) {
	onLateIndexes(t, 1000*time.Hour, func(t *testing.T, ours, _ *store.Store, _ *storetest.Calls, _ func()) {
		mustCreate(t, ours, store.NewComment{ProductID: "42", Rating: 3, Language: "en", Attributes: []attributes.Input{{Key: "fit", Value: "3"}}})
		for _, shown := range []bool{false, true, false} {
			define(t, ours, "42", []attributes.Definition{{Key: "fit", Type: attributes.Number, Shown: shown}})
			page := pageOf(t, ours, plan.Filter{ProductID: "42", Order: plan.Order{Field: plan.ByHelpful}}, store.Window{Limit: 1})
			got := string(page.Items[0].Shown)
			testkit.Check(t, (got == `{"fit":3}`) == shown && (got == "") != shown, "while it is shown, %t: %q", shown, got)
		}
	})
}

// Lists that DynamoDB's own indexes keep have no overlay: what another server deletes is
// gone from them, also if this server wrote it and nothing is projected.
func TestOthersDeletesShowInIndexes(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, ours, others *store.Store, _ *storetest.Calls, project func()) {
		project()
		c := mustCreate(t, ours, store.NewComment{ProductID: "42", Rating: 3, Language: "en", Attributes: []attributes.Input{{Key: "fit", Value: "3"}}})
		vote(t, ours, c.ID, alice, votes.Helpful)
		kept := mustCreate(t, ours, store.NewComment{ProductID: "42", Rating: 3, Language: "en"})
		remove(t, others, c.ID)
		time.Sleep(time.Second) // indexes have followed, the projector is stopped
		for _, f := range []plan.Filter{
			{ProductID: "42"}, {ProductID: "42", Languages: key.LanguagesOf("en")}, {ProductID: "42", Ratings: 0b100},
			{ProductID: "42", Ratings: 0b110, Languages: key.LanguagesOf("de", "en")}, {ProductID: "42", Order: plan.Order{Field: plan.ByRating}},
		} {
			page := pageOf(t, ours, f, store.Window{Limit: 10})
			testkit.Check(t, ids(of(page.Items)) == ids([]store.Comment{kept}), "%+v lists %s", f, ids(of(page.Items)))
		}
	})
}

// A comment of ours was projected a moment ago, and no one looked for longer: a replica of
// the column may lack it, and the list does not.
func TestOwnWritesThatAReplicaLacks(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, ours, _ *store.Store, _ *storetest.Calls, project func()) {
		want := ""
		for range 20 { // how late which item is seen is drawn
			c := mustCreate(t, ours, store.NewComment{ProductID: "42", Rating: 3, Language: "en", Title: "new"})
			vote(t, ours, c.ID, alice, votes.Helpful)
			time.Sleep(2 * time.Second)
			project()
			time.Sleep(250 * time.Millisecond)
			want += "new "
			for range 40 {
				got := helpfulOf(t, ours, "42")
				testkit.Need(t, got == want, "the list is %q", got)
				time.Sleep(30 * time.Millisecond)
			}
		}
	})
}

// A rebuild touches a comment while we vote on it: the list has our vote at once if that
// counts in the new generation, and in any case what others write from then on.
func TestAVoteDuringARebuild(t *testing.T) {
	onTwoProducts(t, func(t *testing.T, ours, others *store.Store, api *storetest.Calls, project func()) {
		for i, name := range []string{"after it counts", "before it counts"} {
			ids := []string{name, name + " other"}
			voted, other := saying(ids[0], 1), saying(ids[1], 2)
			voted.Title, other.Title = "voted", "other"
			importAll(t, others, []store.Comment{voted, other})
			project()
			time.Sleep(time.Second)
			touched := sync.OnceFunc(func() {
				generation := i + 1
				_, err := others.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) { now.Generation = generation; return true, nil })
				for _, id := range ids {
					if err == nil {
						err = others.Projector().Touch(t.Context(), key.Comment(id), generation)
					}
				}
				testkit.Must(t, err)
			})
			if i == 0 {
				api.Do = afterTransactions(api.API, touched).Do
			} else {
				api.Do = beforeTransactions(api.API, touched).Do
			}
			vote(t, ours, name, alice, votes.Helpful)
			time.Sleep(time.Second)
			if got := helpfulOf(t, ours, "42"); i == 1 && got != "voted other " {
				t.Errorf("touched %s: before that is projected the list is %s", name, got)
			}
			project()
			rename(t, others, name, "newest")
			project()
			if got := aMinuteLater(t, ours, "42"); got != "newest other " {
				t.Errorf("touched %s: a minute later the list is %s", name, got)
			}
			for _, id := range ids {
				remove(t, others, id)
			}
			project()
			time.Sleep(time.Minute)
		}
	})
}
