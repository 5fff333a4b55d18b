package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/stream"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
)

// Each change of a comment makes the events that the documentation lists, and nothing else makes one.
func TestEventsOfChanges(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		ctx := t.Context()
		x.create("42", "before there was an endpoint")
		x.want(time.Minute)
		x.endpoint()
		x.want(time.Minute)
		id := x.create("42", "one")
		x.want(time.Second, "comment.created one", "comment.published one")
		text, rating := "two", 5
		testkit.Value(x.Update(ctx, store.Change{ID: id, Text: &text, Rating: &rating}))(t)
		x.want(time.Second, "comment.changed two rating,text was one")
		testkit.Value(x.Update(ctx, store.Change{ID: id, Text: &text}))(t)
		testkit.Value(x.Vote(ctx, id, key.VoterOf("ann"), votes.Helpful, nil))(t)
		x.want(time.Minute)
		testkit.Value(x.Reply(ctx, id, "Thanks", nil))(t)
		testkit.Value(x.Reply(ctx, id, "Thank you", nil))(t)
		testkit.Value(x.Reply(ctx, id, "", nil))(t)
		x.want(time.Second, "reply.changed two was two", "reply.deleted two was two", "reply.published two was two")
		testkit.Value(x.Report(ctx, id, "ann", "rude"))(t)
		x.want(time.Second, "comment.reported two was two")
		testkit.Value(x.Report(ctx, id, "bob", "rude"))(t)
		x.want(time.Second, "comment.hidden two was two", "comment.reported two was two")
		for _, verb := range []moderation.Verb{moderation.Approve, moderation.Reject} {
			testkit.Value(x.Decide(ctx, store.Ruling{ID: id, Verb: verb, By: "mia", Reason: "no"}))(t)
		}
		x.want(time.Second, "comment.hidden two was two", "comment.published two was two")
		testkit.Value(x.Delete(ctx, id, nil))(t)
		x.want(time.Second, "comment.deleted two")
		slices.Sort(x.versions)
		testkit.Check(t, len(slices.Compact(slices.Clone(x.versions))) == 12, "events have the same versions: %d", x.versions)
		slices.Sort(x.ids)
		testkit.Check(t, len(slices.Compact(x.ids)) == len(x.versions), "two events have the same id: %s", x.ids)
	})
}

// An import makes events if it is asked to, and its move of a comment to another product is a change.
func TestEventsOfImports(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.endpoint()
		c := store.Comment{ID: "1", ProductID: "42", Rating: 1, Language: "en", Text: "one", CreatedAt: time.Unix(1, 0)}
		testkit.Value(x.Import(t.Context(), []store.Comment{c}))(t)
		x.want(time.Minute)
		loud := store.New(x.db.Client("import"), "comments", store.Options{ImportEvents: true})
		c.ProductID, c.Rating = "43", 2
		testkit.Value(loud.Import(t.Context(), []store.Comment{c}))(t)
		x.want(time.Second, "comment.changed one productId")
		c.Text = "two"
		testkit.Value(x.Import(t.Context(), []store.Comment{c}))(t)
		x.want(time.Minute)
	})
}

// An endpoint gets the events that it chose, of its products, and after a rebuild no event again.
func TestWanted(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		ctx := t.Context()
		p := x.endpoint(outbox.Deleted)
		testkit.Value(x.Outbox().Update(ctx, p.ID, outbox.Change{Products: &[]string{"43"}}))(t)
		a, b := x.create("42", "one"), x.create("43", "two")
		testkit.Value(x.Delete(ctx, a, nil))(t)
		testkit.Value(x.Delete(ctx, b, nil))(t)
		x.want(time.Second, "comment.deleted two")
		id := testkit.Value(x.Outbox().Test(ctx, p.ID))(t)
		x.want(time.Second, "webhook.test")
		testkit.Check(t, x.ids[len(x.ids)-1] == p.ID+" "+id, "the test has another id: %s", x.ids)

		testkit.Value(x.Outbox().Update(ctx, p.ID, outbox.Change{Enabled: new(bool)}))(t)
		testkit.Value(x.Delete(ctx, x.create("43", "three"), nil))(t)
		x.want(time.Minute)
		_, noTest := x.Outbox().Test(ctx, p.ID)
		_, noReplay := x.Outbox().Replay(ctx, p.ID, time.Now())
		testkit.Check(t, errs.CodeOf(noTest) == errs.Conflict && errs.CodeOf(noReplay) == errs.Conflict, "of a disabled endpoint: %v, %v", noTest, noReplay)
		yes := true
		testkit.Value(x.Outbox().Update(ctx, p.ID, outbox.Change{Enabled: &yes}))(t)
		testkit.Value(x.Delete(ctx, x.create("43", "four"), nil))(t)
		x.want(time.Second, "comment.deleted four")
		testkit.Value(x.Outbox().Delete(ctx, p.ID))(t)
		testkit.Value(x.Delete(ctx, x.create("43", "five"), nil))(t)
		x.want(time.Minute)
		_, err := x.Outbox().Endpoint(ctx, p.ID)
		testkit.Check(t, errs.CodeOf(err) == errs.NotFound, "got %v", err)
	})
}

// An http address is for shops whose receivers are in the same network.
func TestAddressesWithoutEncryption(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
		private := store.New(x.db.Client("private"), "comments", store.Options{Keys: keys, PrivateWebhooks: true})
		http := outbox.Endpoint{URL: "http://shop.example/hooks", Types: outbox.Types}
		_, _, err := x.Outbox().Create(t.Context(), http)
		testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "created: %v", err)
		p, _, err := private.Outbox().Create(t.Context(), http)
		testkit.Must(t, err)
		_, err = x.Outbox().Update(t.Context(), x.endpoint().ID, outbox.Change{URL: &http.URL})
		testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "changed: %v", err)
		testkit.Value(x.Outbox().Update(t.Context(), p.ID, outbox.Change{Types: []outbox.Type{outbox.Created}}))(t)
	})
}

// A failed event is sent again after 5 seconds, 5 minutes and so on, with the same id, while others
// are delivered. After the last attempt it is listed as failed, and a replay sends it again.
func TestRetries(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		ctx := t.Context()
		x.slow()
		p := x.endpoint(outbox.Created)
		x.answers(func(_ *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
			if e.Comment.Text == "poison" {
				return refuse
			}
			return outbox.Outcome{}
		})
		x.create("42", "poison")
		x.want(time.Second, "comment.created poison")
		late := time.Duration(0) // at most, of the attempt before
		for _, pause := range []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
			10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour} {
			x.create("42", "good")
			x.want(time.Second, "comment.created good") // is not held up
			x.want(pause - late - 2*time.Second)
			x.want(pause/5+late+2*time.Second, "comment.created poison")
			late += pause/5 + 3*time.Second
		}
		slices.Sort(x.ids)
		testkit.Check(t, len(slices.Compact(x.ids)) == 10, "10 attempts of one event and 9 others have the ids %s", x.ids)
		w := list.Window[key.Position]{Limit: 5}
		failures := testkit.Value(x.Outbox().Failures(ctx, p.ID, w))(t)
		testkit.Need(t, len(failures.Items) == 1, "got %+v", failures)
		f := failures.Items[0]
		testkit.Check(t, f.Attempts == 10 && f.Reason == "it answered 500" && f.Type == outbox.Created, "got %+v", f)
		x.answers(nil)
		x.want(48 * time.Hour)
		testkit.Value(x.Outbox().Replay(ctx, p.ID, f.At.CreatedAt))(t)
		again := x.since(2 * time.Minute)
		testkit.Check(t, len(again) == 10, "%d: a replay since the failed event sends that and the 9 after it", len(again))
	})
}

// An endpoint that is down is asked from time to time, and gets all events when it is up again, each
// once. Other endpoints do not wait for it.
func TestDown(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.slow()
		x.endpoint(outbox.Created)
		bad := x.endpoint(outbox.Created)
		var asked int
		x.answers(func(p *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
			if p.ID == bad.ID {
				asked++
				return refuse
			}
			return outbox.Outcome{}
		})
		for i := range 300 {
			x.create(fmt.Sprint(i), "c")
		}
		x.since(time.Hour)
		testkit.Check(t, asked < 100, "it was asked %d times in an hour", asked)
		at := testkit.Value(x.Outbox().Progress(t.Context(), bad.ID))(t)
		testkit.Check(t, len(at.Retries) <= 16, "%d events wait for their turn", len(at.Retries))
		oldest := testkit.Value(x.Outbox().Oldest(t.Context(), &bad, at))(t)
		testkit.Check(t, time.Since(oldest) > time.Hour-time.Minute, "the oldest undelivered event is from %s", oldest)
		arrived := map[string]int{}
		x.answers(func(p *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
			arrived[p.ID+e.Comment.ID]++
			return outbox.Outcome{}
		})
		x.since(10 * time.Minute)
		testkit.Check(t, len(arrived) == 300, "%d of 300 events arrived", len(arrived))
		for id, n := range arrived {
			testkit.Check(t, n == 1 && strings.HasPrefix(id, bad.ID), "%s arrived %d times", id, n)
		}

		x.answers(func(p *outbox.Endpoint, _ *outbox.Event) outbox.Outcome { return refuse })
		x.create("42", "c")
		for range 42 {
			x.since(3 * time.Hour)
			x.create("42", "c")
		}
		p := testkit.Value(x.Outbox().Endpoint(t.Context(), bad.ID))(t)
		testkit.Check(t, strings.Contains(p.Disabled, "five days"), "after five days it is %q", p.Disabled)
	})
}

// The state of an endpoint that is down has the age of its oldest event, not of the one before that,
// and why the last delivery failed. The log says once that it fails.
func TestStatus(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.slow()
		p := x.endpoint(outbox.Created)
		for i := range 30 {
			x.create(fmt.Sprint(i), "c")
		}
		x.since(24 * time.Hour)
		x.answers(func(*outbox.Endpoint, *outbox.Event) outbox.Outcome { return refuse })
		for i := range 40 { // the lanes of other products wait
			x.create(fmt.Sprint(max(0, i-10)), "c")
		}
		x.since(time.Minute)
		got := x.sender.Status()
		testkit.Need(t, len(got) == 1, "%+v", got)
		age := time.Since(got[0].Oldest)
		testkit.Check(t, age > 50*time.Second && age < 2*time.Minute, "the oldest event is %s old", age)
		at := testkit.Value(x.Outbox().Progress(t.Context(), p.ID))(t)
		testkit.Check(t, at.Reason == "it answered 500" && !at.Failing.IsZero(), "%+v", at)
		testkit.Check(t, strings.Count(x.log.String(), "will be sent again") == 1, "the log is %s", x.log.String())
		x.answers(nil)
		x.since(10 * time.Minute)
		at = testkit.Value(x.Outbox().Progress(t.Context(), p.ID))(t)
		testkit.Check(t, at.Reason == "" && x.sender.Status()[0].Oldest.IsZero(), "%+v, %+v", at, x.sender.Status())
	})
}

// What an address answered does not hold for another one.
func TestMove(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		p := x.endpoint(outbox.Created)
		other := open(t, x.db, "other") // so the sender learns of it later
		move := func(to string) {
			testkit.Value(other.Outbox().Update(t.Context(), p.ID, outbox.Change{URL: &to}))(t)
		}
		x.answers(func(*outbox.Endpoint, *outbox.Event) outbox.Outcome {
			return outbox.Outcome{Err: errors.New("it answered 429"), After: time.Hour}
		})
		x.create("42", "one")
		x.want(time.Minute, "comment.created one")
		x.answers(nil)
		move("https://shop.example/second")
		x.want(6*time.Second, "comment.created one")
		x.answers(func(of *outbox.Endpoint, _ *outbox.Event) outbox.Outcome {
			if of.URL != "https://shop.example/second" {
				return outbox.Outcome{}
			}
			move("https://shop.example/third")
			return outbox.Outcome{Err: errors.New("it answered 410"), Gone: true}
		})
		x.create("42", "two")
		x.want(time.Minute, "comment.created two", "comment.created two")
		p = testkit.Value(x.Outbox().Endpoint(t.Context(), p.ID))(t)
		testkit.Check(t, p.Disabled == "", "the other address is disabled: %s", p.Disabled)
	})
}

// An endpoint says when it wants requests again, and that it wants none.
func TestAsked(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		p := x.endpoint(outbox.Created)
		x.answers(func(*outbox.Endpoint, *outbox.Event) outbox.Outcome {
			return outbox.Outcome{Err: errors.New("it answered 429"), After: time.Hour}
		})
		x.create("42", "one")
		x.want(time.Minute, "comment.created one")
		x.create("42", "two")
		x.want(58 * time.Minute)
		x.answers(nil)
		got := x.since(2 * time.Minute)
		slices.Sort(got)
		testkit.Check(t, slices.Equal(got, []string{"comment.created one", "comment.created two"}), "got %q", got)
		x.answers(func(*outbox.Endpoint, *outbox.Event) outbox.Outcome {
			return outbox.Outcome{Err: errors.New("it answered 410"), Gone: true}
		})
		x.create("42", "three")
		x.want(time.Minute, "comment.created three")
		p = testkit.Value(x.Outbox().Endpoint(t.Context(), p.ID))(t)
		testkit.Check(t, strings.Contains(p.Disabled, "410"), "it is %q", p.Disabled)
	})
}

// One sender of a table delivers at a time. When it ends, or hangs, another one takes over and sends
// what was not acknowledged.
func TestTakeOver(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.endpoint(outbox.Created)
		x.create("42", "one")
		x.want(time.Second, "comment.created one")
		first := x.stop
		other := open(t, x.db, "other")
		x.start(other)
		x.create("42", "two")
		x.want(time.Minute, "comment.created two")
		first()
		x.create("42", "three")
		x.want(6*time.Second, "comment.created three")
	})
	t.Run("after a kill", func(t *testing.T) {
		run(t, func(t *testing.T, x *shop) {
			x.endpoint(outbox.Created)
			dying := x.db.Client("dying")
			keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
			x.stop()
			s := store.New(dying, "comments", store.Options{Keys: keys})
			x.start(s)
			killed := x.stop
			x.create("42", "one")
			x.want(6*time.Second, "comment.created one")
			x.answers(func(*outbox.Endpoint, *outbox.Event) outbox.Outcome { dying.Kill(); return outbox.Outcome{} })
			x.create("42", "two")
			x.want(6*time.Second, "comment.created two")
			x.answers(nil)
			x.start(open(t, x.db, "other"))
			x.want(time.Minute, "comment.created two") // its acknowledgement was lost
			killed()
		})
	})
}

// A drain delivers what is due and returns.
func TestDrain(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		x.endpoint(outbox.Created)
		x.stop()
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = stream.New(x.client, x.Projector(), stream.Options{}).Run(ctx) })
		x.stop = func() { cancel(); running.Wait() }
		for i := range 250 {
			x.create(fmt.Sprint(i), "c")
		}
		x.want(time.Minute)
		testkit.Must(t, outbox.NewSender(x.Outbox(), outbox.Options{Send: x.send}).Drain(t.Context()))
		testkit.Check(t, len(x.since(0)) == 250, "not all arrived")
		testkit.Must(t, outbox.NewSender(x.Outbox(), outbox.Options{Send: x.send}).Drain(t.Context()))
		x.want(0)
	})
}

// Invalid endpoints are refused with the field, and there are at most MaxEndpoints.
func TestEndpoints(t *testing.T) {
	run(t, func(t *testing.T, x *shop) {
		ctx, o := t.Context(), x.Outbox()
		for want, p := range map[string]outbox.Endpoint{
			"url":        {URL: "ftp://shop.example", Types: outbox.Types},
			" url":       {URL: "https://shop.example:99999/", Types: outbox.Types},
			"  url":      {URL: "https://shop.example/\u009b31m", Types: outbox.Types},
			"   url":     {URL: "https://shop.example/#", Types: outbox.Types},
			"events":     {URL: "https://shop.example/"},
			"productIds": {URL: "https://shop.example/", Types: outbox.Types, Products: []string{""}},
		} {
			_, _, err := o.Create(ctx, p)
			var e *errs.Error
			testkit.Check(t, errors.As(err, &e) && e.Code == errs.BadUserInput && e.Field == strings.TrimSpace(want), "%s: %v", want, err)
		}
		p := x.endpoint(outbox.Deleted, outbox.Created, outbox.Deleted)
		testkit.Equal(t, fmt.Sprint(p.Types), "[comment.created comment.deleted]", "types")
		old := testkit.Value(o.Open(&p, time.Now()))(t)
		rotated, _, err := o.Rotate(ctx, p.ID, time.Hour)
		testkit.Must(t, err)
		both := testkit.Value(o.Open(&rotated, time.Now()))(t)
		testkit.Check(t, len(both) == 2 && string(both[1]) == string(old[0]), "the old secret does not sign any more")
		later := testkit.Value(o.Open(&rotated, time.Now().Add(2*time.Hour)))(t)
		testkit.Check(t, len(later) == 1 && string(later[0]) == string(both[0]), "the old secret signs after the overlap")
		for range outbox.MaxEndpoints - 1 {
			x.endpoint()
		}
		_, _, err = o.Create(ctx, outbox.Endpoint{URL: "https://shop.example/", Types: outbox.Types})
		testkit.Check(t, errs.CodeOf(err) == errs.Conflict, "got %v", err)
		for _, it := range x.db.Items() {
			testkit.Check(t, !strings.Contains(fmt.Sprint(it), string(old[0])), "the table has a secret: %v", it)
		}
	})
}
