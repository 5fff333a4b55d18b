package lambda

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// comments of as many products, rated 1 to 5 in turn, in two languages.
func comments(n, products int) []store.Comment {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	out := make([]store.Comment, n)
	for i := range out {
		out[i] = store.Comment{
			ID: fmt.Sprintf("c-%d", i), ProductID: fmt.Sprintf("p-%d", i%products), Rating: 1 + i/products%5,
			Language: []string{"en", "de"}[i/products%2], CreatedAt: at,
		}
	}
	return out
}

func importAll(t testing.TB, s *store.Store, all []store.Comment) {
	t.Helper()
	for batch := range slices.Chunk(all, 200) {
		testkit.Value(s.Import(t.Context(), batch))(t)
	}
}

// wantCounted fails the test unless the statistics are those of so many comments.
func wantCounted(t testing.TB, s *store.Store, comments int) {
	t.Helper()
	testkit.Equal(t, storetest.Verified(t, s.Projector()).Comments, int64(comments), "the number of comments")
}

func TestStatisticsAreRightAfterAnEvent(t *testing.T) {
	api := &transactions{API: storetest.Client(t)}
	s := open(t, api, storetest.TableName(t))
	h := New(s.Projector(), quiet)
	ctx := t.Context()
	made := testkit.Value(s.Create(ctx, store.NewComment{ProductID: "42", Rating: 5, Language: "en"}))(t)
	testkit.Value(s.Create(ctx, store.NewComment{ProductID: "42", Rating: 2, Language: "de", IdempotencyKey: "once"}))(t)
	handle(t, h, eventOf(t, s))
	wantCounted(t, s, 2)

	testkit.Value(s.Update(ctx, store.Change{ID: made.ID, Rating: new(3)}))(t)
	handle(t, h, eventOf(t, s)) // also what it had, and its own writes
	wantCounted(t, s, 2)

	count := api.count.Load()
	handle(t, h, eventOf(t, s))
	handle(t, New(s.Projector(), quiet), eventOf(t, s))
	wantCounted(t, s, 2)
	now := api.count.Load()
	testkit.Check(t, now == count, "the same event again was written in %d transactions", now-count)

	testkit.Value(s.Delete(ctx, made.ID, nil))(t)
	handle(t, h, eventOf(t, s))
	wantCounted(t, s, 1)
}

// The largest event that Lambda delivers, without the records that a filter on
// the mapping leaves out.
func TestLargeEvent(t *testing.T) {
	s := newTable(t)
	all := comments(1000, 250)
	importAll(t, s, all)
	event := filtered(s, eventOf(t, s))
	testkit.Need(t, len(event.Records) == 1000, "%d records", len(event.Records))
	handle(t, New(s.Projector(), quiet), event)
	wantCounted(t, s, len(all))
	handle(t, New(s.Projector(), quiet), eventOf(t, s)) // without a filter
	wantCounted(t, s, len(all))
}

// impatience is the time limit of calls that are to fail.
const impatience = time.Second

// After a failure the answer names the first record that did not take effect,
// and the statistics are right when Lambda delivers the rest again.
func TestPartOfAnEventFails(t *testing.T) {
	for _, c := range []struct {
		oneBucket bool // for all products
		fine      int64
	}{{true, 0}, {true, 1}, {true, 3}, {false, 0}, {false, 1}, {false, 6}} {
		t.Run(fmt.Sprintf("%d transactions succeed, one bucket %t", c.fine, c.oneBucket), func(t *testing.T) {
			t.Parallel() // it waits for the time limit
			client := storetest.Client(t)
			writer := open(t, client, storetest.TableName(t))
			all := comments(300, 150)
			if c.oneBucket {
				for i, product := range storetest.OneBucket(150) {
					all[i].ProductID, all[i+150].ProductID = product, product
				}
			}
			importAll(t, writer, all)
			event := eventOf(t, writer)

			s := store.New(&transactions{API: client, fail: func(_ context.Context, n int64) error {
				if n > c.fine {
					return errThrottled
				}
				return nil
			}}, writer.Table(), store.Options{CallTimeout: impatience})
			answer, err := New(s.Projector(), quiet).Handle(t.Context(), event)
			testkit.Need(t, err == nil && len(answer.BatchItemFailures) == 1, "got %+v, %v", answer, err)
			first := slices.IndexFunc(event.Records, func(r events.DynamoDBEventRecord) bool {
				return r.Change.SequenceNumber == answer.BatchItemFailures[0].ItemIdentifier
			})
			testkit.Need(t, first >= 0, "it names a record that is none of them: %+v", answer)
			if _, err := writer.Settings().Read(t.Context()); err != nil { // otherwise it may remember that there are no statistics
				t.Fatal(err)
			}
			comments := 0 // that took effect
			for i, r := range event.Records[:first+1] {
				counts, isComment := counted(t, writer, r)
				if isComment && counts {
					comments++
				}
				testkit.Need(t, (!isComment || counts == (i < first)) && (isComment || i != first), "it names record %d, and whether record %d counts is %v", first, i, counts)
			}
			testkit.Need(t, (c.fine != 0 || comments == 0) && (!c.oneBucket || c.fine == 0 || comments != 0), "it names record %d, before which there are %d comments", first, comments)
			retry := open(t, client, writer.Table())
			handle(t, New(retry.Projector(), quiet), part(event, first, len(event.Records)))
			wantCounted(t, retry, len(all))
		})
	}
}

// Two instances get the records of a shard by turns.
func TestInstancesTakeTurns(t *testing.T) {
	api := &transactions{API: storetest.Client(t)}
	s := open(t, api, storetest.TableName(t))
	all := comments(60, 1)
	importAll(t, s, all)
	event := eventOf(t, s)
	instances := []*Handler{New(s.Projector(), quiet), New(s.Projector(), quiet)}
	for i := 0; i < len(event.Records); i += 10 {
		handle(t, instances[i/10%2], part(event, i, min(i+10, len(event.Records))))
	}
	wantCounted(t, s, len(all))
	n := api.count.Load()
	testkit.Check(t, n <= 10, "%d transactions: an instance whose checkpoint was outdated shall read it from then on", n)
}

func TestRefused(t *testing.T) {
	api := &transactions{API: storetest.Client(t)}
	s := open(t, api, storetest.TableName(t))
	h := New(s.Projector(), quiet)
	edited := func(edit func(*events.DynamoDBTimeWindowEvent)) []byte {
		var event events.DynamoDBTimeWindowEvent
		testkit.Must(t, json.Unmarshal(recorded(t, "comments", s.Table()), &event))
		edit(&event)
		return testkit.Value(json.Marshal(event))(t)
	}
	for _, c := range []struct {
		name  string
		event []byte
		want  string
	}{
		{"no window", recorded(t, "no-window", s.Table()), "set a tumbling window"},
		{"keys only", recorded(t, "keys-only", s.Table()), `has the view type "KEYS_ONLY": set the table's stream to NEW_AND_OLD_IMAGES`},
		{"another source", edited(func(e *events.DynamoDBTimeWindowEvent) { e.Records[3].EventSource = "aws:kinesis" }), `comes from "aws:kinesis"`},
		{"no sequence", edited(func(e *events.DynamoDBTimeWindowEvent) { e.Records[6].Change.SequenceNumber = "" }), "has no sequence number"},
		{"no image", edited(func(e *events.DynamoDBTimeWindowEvent) { e.Records[0].Change.NewImage = nil }), "has no image"},
		{"another table", recorded(t, "comments", "others"), "not a stream of the table"},
		{"part of a name", edited(func(e *events.DynamoDBTimeWindowEvent) {
			e.EventSourceARN = strings.Replace(e.EventSourceARN, "table/", "table/x", 1)
		}), "not a stream of the table"},
	} {
		answer, err := invoke(t, h, c.event)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), c.want), "%s: got %s, %v", c.name, answer, err)
	}
	testkit.Equal(t, api.count.Load(), 0, "transactions")
	_, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}})
	testkit.Check(t, err != nil, "a refused event made the statistics look as if they were kept")
}

func TestBrokenStatistics(t *testing.T) {
	t.Parallel() // it waits until every process knows of a rebuild
	api := &transactions{API: storetest.Client(t)}
	s := open(t, api, storetest.TableName(t))
	h := New(s.Projector(), quiet)
	handle(t, h, events.DynamoDBTimeWindowEvent{TimeWindowProperties: events.TimeWindowProperties{ShardID: "x"}}) // a window that ended tells nothing
	importAll(t, s, comments(10, 1))
	event := eventOf(t, s)
	testkit.Must(t, s.Projector().MarkBroken(t.Context()))
	for range 2 {
		_, err := h.Handle(t.Context(), event)
		testkit.Need(t, err != nil && strings.Contains(err.Error(), "product-comments stats rebuild"), "got %v", err)
	}
	n := api.count.Load()
	testkit.Need(t, n == 0, "%d transactions", n)
	setState(t, s, settings.StateRebuilding)
	handle(t, h, event)
	testkit.Need(t, api.count.Load() != 0, "nothing was projected while the statistics were being rebuilt")
	setState(t, s, settings.StateKept)
	wantCounted(t, s, 10)
}

// What breaks the statistics later is noticed with the next event.
func TestStatisticsBreak(t *testing.T) {
	s := newTable(t)
	h := New(s.Projector(), quiet)
	importAll(t, s, comments(4, 1))
	event := eventOf(t, s)
	handle(t, h, part(event, 0, 1)) // which counts nothing yet
	testkit.Need(t, h.prepared == event.EventSourceARN, "prepared for %q", h.prepared)
	for _, id := range []string{"c-0", "c-1"} {
		testkit.Value(s.Delete(t.Context(), id, nil))(t)
	}
	event = eventOf(t, s)
	event = part(event, len(event.Records)-2, len(event.Records)) // deletes of what was never counted
	answer, err := h.Handle(t.Context(), event)
	testkit.Need(t, err == nil && len(answer.BatchItemFailures) == 1 && answer.BatchItemFailures[0].ItemIdentifier == event.Records[0].Change.SequenceNumber, "got %+v, %v", answer, err)
	_, err = h.Handle(t.Context(), event)
	testkit.Need(t, err != nil && strings.Contains(err.Error(), "product-comments stats rebuild"), "got %v", err)
}

// The answer comes before Lambda would end the invocation.
func TestInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &transactions{API: double.New(double.Options{}).Client("test"), fail: func(ctx context.Context, _ int64) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		s := open(t, api, "comments")
		var event events.DynamoDBTimeWindowEvent
		testkit.Must(t, json.Unmarshal(recorded(t, "comments", s.Table()), &event))
		ctx, cancel := context.WithTimeout(t.Context(), answerTime+time.Second/2)
		defer cancel()
		answer, err := New(s.Projector(), quiet).Handle(ctx, event)
		testkit.Need(t, err == nil && len(answer.BatchItemFailures) == 1, "got %+v, %v", answer, err)
		testkit.Check(t, ctx.Err() == nil && api.count.Load() != 0, "the answer came too late, after %d transactions", api.count.Load())
	})
}

// counted reports whether the statistics know of the comment that a record
// creates, if it does; no other of its product has the same rating.
func counted(t testing.TB, s *store.Store, r events.DynamoDBEventRecord) (counts, isComment bool) {
	t.Helper()
	records := testkit.Value(recordsOf([]events.DynamoDBEventRecord{r}))(t)
	testkit.Must(t, projector.New(nil, nil).Divide(records[0], func(_ int, c index.Change) {
		got := testkit.Value(s.Statistics(t.Context(), []stats.Scope{{ProductID: c.After.ProductID}}))(t)
		counts, isComment = got[0].Tally[c.After.Rating-1] == 1, true
	}))
	return counts, isComment
}

func setState(t testing.TB, s *store.Store, state settings.State) {
	t.Helper()
	stream := testkit.Value(s.Projector().Table().StreamARN(t.Context()))(t)
	testkit.Value(s.Settings().Change(t.Context(), func(m *settings.Settings) (bool, error) {
		m.State, m.Stream = state, stream
		return true, nil
	}))(t)
}

// The first helpful vote about a product needs no operator: the ends of windows bring all of its
// comments into the column of votes.
func TestWindowsEndWithBackfills(t *testing.T) {
	t.Parallel() // it waits until every process knows the definitions
	s := newTable(t)
	h := New(s.Projector(), quiet)
	importAll(t, s, comments(30, 1))
	handle(t, h, eventOf(t, s))
	testkit.Value(s.Vote(t.Context(), "c-7", key.VoterOf("alice"), votes.Helpful, nil))(t)
	ends := events.DynamoDBTimeWindowEvent{TimeWindowProperties: events.TimeWindowProperties{ShardID: eventOf(t, s).ShardID}}
	left := func() int { return len(testkit.Value(s.AttributeIndex().Backfill().All(t.Context()))(t)) }
	handle(t, h, eventOf(t, s))
	testkit.Equal(t, left(), 1, "backfills after the vote")
	for range 3 {
		handle(t, h, ends)
		handle(t, h, eventOf(t, s))
	}
	testkit.Equal(t, left(), 0, "backfills after three windows")
	page := testkit.Value(s.Page(t.Context(), plan.Filter{ProductID: "p-0", Order: plan.Order{Field: plan.ByHelpful}}, store.Window{Limit: 3}))(t)
	testkit.Check(t, page.Items[0].ID == "c-7" && !page.Plan.Partial, "%s is the first, %s", page.Items[0].ID, page.Plan)
}
