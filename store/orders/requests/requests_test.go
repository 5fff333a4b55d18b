package requests_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/key/sealed"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/simulation/double"
	"product-comments/store/table"
)

const day = 24 * time.Hour

// refused is an error of a mail server.
type refused struct {
	permanent, outage bool
	said              string
}

func (e refused) Error() string   { return cmp.Or(e.said, "450 try later") }
func (e refused) Permanent() bool { return e.permanent }
func (e refused) Outage() bool    { return e.outage }

// shop is a store with a sender of requests, under a virtual clock.
type shop struct {
	*store.Store
	t      *testing.T
	db     *double.DB
	sender *requests.Sender
	sent   []string // message, address and products
	answer error
}

var policy = requests.Policy{After: 14 * day, Reminder: 7 * day, Hours: requests.Hours{From: 9, To: 20}}

func keys(t *testing.T, first ...byte) *sealed.Set {
	t.Helper()
	var secrets [][]byte
	for _, b := range first {
		secrets = append(secrets, bytes.Repeat([]byte{b}, sealed.MinSecret))
	}
	return testkit.Value(sealed.NewSet(secrets...))(t)
}

func (x *shop) open(name string, k *sealed.Set) *store.Store {
	x.t.Helper()
	s := store.New(x.db.Client(name), "comments", store.Options{Keys: k, PlaceAge: -1})
	testkit.Must(x.t, s.EnsureTable(x.t.Context(), true))
	return s
}

func run(t *testing.T, p requests.Policy, test func(t *testing.T, x *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := &shop{t: t, db: double.New(double.Options{})}
		x.Store = x.open("shop", keys(t, 1))
		x.sender = x.RequestSender(p, x.send, nil)
		test(t, x)
	})
}

func (x *shop) send(_ context.Context, a *requests.Asking) error {
	what := "ask"
	if a.Reminder {
		what = "remind"
	}
	if x.answer != nil {
		what = "try"
	}
	x.sent = append(x.sent, fmt.Sprintf("%s %s for %s", what, a.To.Email, strings.Join(a.Products, " ")))
	testkit.Must(x.t, x.Requests().CanOptOut(a.OptOut))
	return x.answer
}

// order is a delivered order of a guest with a contact.
func order(id string, products ...string) orders.Order {
	o := orders.Order{ID: id, Status: orders.Delivered, Contact: &requests.Contact{Email: id + "@example.com", Name: "Alex", Language: "de"}}
	o.Times[orders.Placed-1], o.Times[orders.Delivered-1] = time.Now().Add(-day), time.Now()
	for _, p := range products {
		o.Lines = append(o.Lines, orders.Line{ProductID: p, Quantity: 1})
	}
	return o
}

func (x *shop) record(o orders.Order) {
	x.t.Helper()
	_, _, err := x.RecordOrder(x.t.Context(), o)
	testkit.Must(x.t, err)
}

// after lets time pass, with a look an hour, or every five in long times, and returns what was sent.
func (x *shop) after(d time.Duration) []string {
	x.t.Helper()
	pause := time.Hour
	if d > 5*day {
		pause = 5 * time.Hour // all hours of the day take their turn
	}
	for until := time.Now().Add(d); time.Now().Before(until); {
		time.Sleep(min(pause, time.Until(until)))
		if err := x.sender.Drain(x.t.Context()); err != nil && x.answer == nil {
			x.t.Error(err)
		}
	}
	sent := x.sent
	x.sent = nil
	return sent
}

func (x *shop) request(order string) *requests.Request {
	x.t.Helper()
	return testkit.Value(x.Requests().Get(x.t.Context(), order))(x.t)
}

// state checks the state of a request: one that has ended keeps no contact, unless it failed before
// anything was sent.
func (x *shop) state(order string, want requests.State) {
	x.t.Helper()
	q := x.request(order)
	testkit.Need(x.t, q != nil && q.State == want, "%s: %+v, want %s", order, q, want)
	testkit.Check(x.t, (q.Live() || q.State == requests.Failed && q.Sent.IsZero()) == (q.Contact != nil), "%s is %s with the contact %q", order, q.State, q.Contact)
	page := testkit.Value(x.Requests().List(x.t.Context(), requests.Filter{State: want}, list.Window[key.Position]{Limit: 20}))(x.t)
	testkit.Check(x.t, slices.ContainsFunc(page.Items, func(l requests.Request) bool { return l.OrderID == order }), "%s is not listed as %s", order, want)
}

func (x *shop) want(d time.Duration, want ...string) {
	x.t.Helper()
	got := x.after(d)
	testkit.Check(x.t, slices.Equal(got, want), "sent %q, want %q", got, want)
}

// A buyer is asked once, reminded once, and then left alone; at good hours only.
func TestALoop(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		time.Sleep(22 * time.Hour) // the clock begins at midnight
		x.record(order("17", "a", "b"))
		x.want(14*day + 10*time.Hour)
		x.want(2*time.Hour, "ask 17@example.com for a b") // at nine in the morning
		x.state("17", requests.Sent)
		x.want(6*day + 22*time.Hour)
		x.want(2*time.Hour, "remind 17@example.com for a b")
		x.state("17", requests.Reminded)
		x.want(60 * day)
		x.want(60 * day)
		x.state("17", requests.Expired)
		months := testkit.Value(x.Requests().Months(t.Context(), 12))(t)
		sent := 0
		for _, m := range months {
			sent += m.SentCount
		}
		testkit.Equal(t, sent, 1, "requests sent in all months")
	})
}

// What happens before a message is due ends it; what happens later ends the reminder.
func TestEndings(t *testing.T) {
	for name, c := range map[string]struct {
		at   time.Duration
		do   func(x *shop) error
		sent string
		ends requests.State
	}{
		"cancelled":          {day, func(x *shop) error { return x.status(orders.Cancelled) }, "", requests.Cancelled},
		"returned":           {day, func(x *shop) error { return x.status(orders.Returned) }, "", requests.Cancelled},
		"returned later":     {15 * day, func(x *shop) error { return x.status(orders.Returned) }, "ask", requests.Cancelled},
		"answered":           {day, func(x *shop) error { return x.write("a", "b") }, "", requests.Answered},
		"answered in part":   {day, func(x *shop) error { return x.write("b") }, "ask a", requests.Answered},
		"answered later":     {15 * day, func(x *shop) error { return x.write("b") }, "ask a b", requests.Answered},
		"cancelled by staff": {day, func(x *shop) error { _, err := x.Requests().Cancel(x.t.Context(), "17"); return err }, "", requests.Cancelled},
		"refused for good":   {13 * day, func(x *shop) error { x.answer = refused{permanent: true}; return nil }, "try a b", requests.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, policy, func(t *testing.T, x *shop) {
				x.record(order("17", "a", "b"))
				sent := x.after(c.at)
				testkit.Must(t, c.do(x))
				sent = append(sent, x.after(40*day)...)
				testkit.Equal(t, len(sent), min(1, len(c.sent)), "messages")
				testkit.Check(t, c.sent == "" || strings.HasPrefix(sent[0], strings.Fields(c.sent)[0]), "sent %q", sent)
				if _, products, ok := strings.Cut(c.sent, " "); ok {
					testkit.Check(t, strings.HasSuffix(sent[0], "for "+products), "sent %q", sent)
				}
				x.state("17", c.ends)
			})
		})
	}
}

func (x *shop) status(s orders.Status) error {
	_, err := x.SetOrderStatus(x.t.Context(), "17", s, time.Now())
	return err
}

func (x *shop) write(products ...string) error {
	for _, p := range products {
		_, err := x.Create(x.t.Context(), store.NewComment{ProductID: p, Rating: 1, Language: "en", Owner: key.Guest("17")})
		if err != nil {
			return err
		}
	}
	return nil
}

// An opt-out concerns all orders with the address, however it is written, and outlives changes of the
// secrets and the erasure of the buyer.
func TestOptOut(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		later := order("18", "a")
		later.Contact.Email = "17@EXAMPLE.com"
		x.record(later)
		a := testkit.Value(x.sender.Message(t.Context(), "17", false))(t)
		testkit.Check(t, x.Requests().CanOptOut(a.OptOut[1:]) != nil, "a damaged token opts out")
		x.Store = x.open("rotated", keys(t, 2, 1))
		testkit.Must(t, x.Requests().OptOut(t.Context(), a.OptOut))
		testkit.Must(t, x.Requests().OptOut(t.Context(), a.OptOut))
		x.state("17", requests.OptedOut)
		_, err := x.Erase(t.Context(), store.Erasure{Subject: key.Guest("17")})
		testkit.Must(t, err)
		testkit.Check(t, x.request("17") == nil, "an erased buyer's request is left")
		x.Store = x.open("later", keys(t, 2))
		third := order("19", "a")
		third.Contact.Email = "17@example.com"
		x.record(third)
		x.Store = x.open("both", keys(t, 2, 1)) // 18 was sealed with the earlier secret
		x.sender = x.RequestSender(policy, x.send, nil)
		x.want(20 * day)
		x.state("18", requests.OptedOut)
		x.state("19", requests.OptedOut)
	})
}

// A refusal for now is tried again for a day, and an outage for as long as it lasts.
func TestRefusals(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		x.want(13 * day)
		x.answer = refused{outage: true}
		tries := len(x.after(5 * day))
		testkit.Check(t, tries > 5, "%d tries in an outage", tries)
		x.state("17", requests.Scheduled)
		x.answer = refused{}
		x.after(12 * time.Hour)
		x.state("17", requests.Scheduled)
		x.answer = nil
		x.want(day, "ask 17@example.com for a")
		x.record(order("18", "a"))
		x.answer = refused{}
		x.after(17 * day)
		x.state("18", requests.Failed)
		testkit.Equal(t, x.request("18").Failure, "450 try later", "failure")
	})
}

// A kill between sending and marking, and two senders, make no second message.
func TestOneMessage(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		x.want(14 * day)
		ids := map[string]int{}
		dying, kill := context.WithCancel(t.Context())
		other := x.RequestSender(policy, func(_ context.Context, a *requests.Asking) error { ids[a.ID]++; return nil }, nil)
		slow := x.RequestSender(policy, func(ctx context.Context, a *requests.Asking) error {
			ids[a.ID]++
			kill()
			testkit.Must(t, other.Drain(t.Context())) // it is taken
			<-ctx.Done()
			return ctx.Err()
		}, nil)
		time.Sleep(10 * time.Hour)
		testkit.Check(t, slow.Drain(dying) == nil, "a message whose end is unknown is logged")
		testkit.Must(t, other.Drain(t.Context()))
		testkit.Check(t, len(ids) == 1 && ids[idOf(ids)] == 1, "messages %v", ids)
		time.Sleep(requests.Lease)
		testkit.Must(t, other.Drain(t.Context()))
		testkit.Must(t, other.Drain(t.Context()))
		testkit.Check(t, len(ids) == 1 && ids[idOf(ids)] == 2, "messages %v", ids)
		x.state("17", requests.Sent)
	})
}

func idOf(ids map[string]int) (id string) {
	for id = range ids {
	}
	return id
}

// Staff may choose the time, of what was not sent.
func TestSchedule(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		_ = testkit.Value(x.Requests().Schedule(t.Context(), "17", time.Now().Add(3*time.Hour)))(t)
		x.want(2 * time.Hour)
		x.want(2*time.Hour, "ask 17@example.com for a") // at night
		_, err := x.Requests().Schedule(t.Context(), "17", time.Now())
		testkit.Equal(t, errs.CodeOf(err), errs.Conflict, "a second message")
		_, err = x.Requests().Schedule(t.Context(), "none", time.Now())
		testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "no request")

		open := order("18", "a")
		open.Status, open.Times[orders.Delivered-1] = orders.Placed, time.Time{}
		x.record(open)
		_, err = x.Requests().Schedule(t.Context(), "18", time.Now().Add(requests.Kept))
		testkit.Equal(t, errs.CodeOf(err), errs.BadUserInput, "after its end")
		past := testkit.Value(x.Requests().Schedule(t.Context(), "18", time.Now().Add(-100*day)))(t)
		testkit.Check(t, time.Since(past.Due) < time.Minute, "a time in the past is %s", past.Due)
		testkit.Value(x.Requests().Cancel(t.Context(), "17"))(t)
		x.want(40 * day) // it is not delivered
		x.state("18", requests.Scheduled)
		_, err = x.SetOrderStatus(t.Context(), "18", orders.Delivered, time.Now())
		testkit.Must(t, err)
		x.want(13 * day)
		x.want(2*day, "ask 18@example.com for a") // its delivery begins the usual time
	})
}

// A request that failed is sent again when staff say so, perhaps to a corrected address: as long as
// nothing was sent, the order was not cancelled, and its buyer has not opted out.
func TestSendAgain(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		corrected := order("17", "a")
		for _, o := range []orders.Order{corrected, order("18", "a"), order("19", "a")} {
			x.record(o)
		}
		x.answer = refused{permanent: true}
		x.after(16 * day)
		x.state("17", requests.Failed)
		x.answer = nil
		x.want(5 * day) // not by itself
		corrected.Contact = &requests.Contact{Email: "right@example.com"}
		x.record(corrected)
		x.want(day)
		_, err := x.SetOrderStatus(t.Context(), "19", orders.Returned, time.Now())
		testkit.Must(t, err)
		for _, id := range []string{"17", "19"} {
			q := testkit.Value(x.Requests().Schedule(t.Context(), id, time.Now()))(t)
			testkit.Check(t, q.State == requests.Scheduled, "%s is %s", id, q.State)
		}
		x.want(time.Hour, "ask right@example.com for a")
		x.state("17", requests.Sent)
		x.state("18", requests.Failed)
		x.state("19", requests.Cancelled)
		for _, id := range []string{"17", "19"} {
			_, err = x.Requests().Schedule(t.Context(), id, time.Now())
			testkit.Equal(t, errs.CodeOf(err), errs.Conflict, id)
		}
		x.answer = refused{permanent: true}
		x.after(10 * day) // the reminder fails
		x.state("17", requests.Failed)
		_, err = x.Requests().Schedule(t.Context(), "17", time.Now())
		testkit.Check(t, errs.CodeOf(err) == errs.Conflict && x.request("17").Contact == nil, "a first message after another: %v", err)
		time.Sleep(requests.Kept)
		_, err = x.Requests().Schedule(t.Context(), "18", time.Now())
		testkit.Check(t, err != nil, "it is asked after the end of its contact")
	})
}

// No item ever has the address of a contact, sealed ones apart, and none of the request is left by an
// erasure.
func TestContactsAreSealed(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		left, contacts := map[string]bool{}, 0
		x.db = double.New(double.Options{Committed: func(_ context.Context, c double.Change) {
			if c.After == nil {
				delete(left, table.Text(c.Before, key.PK))
				return
			}
			left[table.Text(c.After, key.PK)] = true
			var q struct{ Contact []byte }
			if text := table.Text(c.After, "request"); text != "" {
				testkit.Must(t, json.Unmarshal([]byte(text), &q))
			}
			if q.Contact != nil {
				contacts++
			}
			var all strings.Builder
			for _, v := range c.After {
				fmt.Fprintf(&all, "%s ", v)
			}
			testkit.Check(t, !strings.Contains(all.String()+string(q.Contact), "17@example.com"), "an item has the address: %s", &all)
		}})
		x.Store = x.open("shop", keys(t, 1))
		x.sender = x.RequestSender(policy, x.send, nil)
		x.record(order("17", "a"))
		x.answer = refused{said: "450 <17@example.com> is busy"}
		x.after(15 * day)
		testkit.Value(x.Erase(t.Context(), store.Erasure{Subject: key.Guest("17")}))(t)
		testkit.Check(t, contacts > 1 && !left[key.Request("17")], "%d contacts, and the items %v", contacts, left)
	})
}

// No failure, no log and no item repeats an address that a mail server said.
func TestFailuresNameNoAddress(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		var log bytes.Buffer
		x.sender = x.RequestSender(policy, x.send, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
		said := "55\x000 <17@EXAMPLE.com>: o'hara+x@mail.example, (no_such.user@example.com)" + strings.Repeat(" later", 1000)
		x.answer = refused{permanent: true, said: said}
		x.record(order("17", "a"))
		x.after(16 * day)
		x.state("17", requests.Failed)
		failure := x.request("17").Failure
		testkit.Check(t, strings.HasPrefix(failure, "55\ufffd0 <…>: …, (…) later later") && len(failure) < 510, "the failure is %q", failure)
		x.answer = refused{outage: true, said: said}
		x.record(order("18", "a"))
		var outage error
		for hours := 0; outage == nil && hours < 24*20; hours++ {
			time.Sleep(time.Hour)
			outage = x.sender.Drain(t.Context())
		}
		fmt.Fprint(&log, outage)
		testkit.Check(t, strings.Contains(log.String(), "could not be sent") && strings.HasSuffix(log.String(), "…"), "the log is %s", &log)
		for _, part := range []string{"example.com", "EXAMPLE.com", "hara", "mail.example", "no_such"} {
			testkit.Check(t, !strings.Contains(log.String()+failure, part), "there is %q in %.200q and %.500s", part, failure, &log)
		}
	})
}

// Contacts of old orders, of which many are imported at once, lead to no messages.
func TestOldOrders(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		time.Sleep(365 * day)
		old := order("17", "a")
		old.Times[orders.Placed-1], old.Times[orders.Delivered-1] = time.Now().Add(-100*day), time.Now().Add(-90*day)
		x.record(old)
		open := order("18", "a")
		open.Status, open.Times[orders.Delivered-1] = orders.Placed, time.Time{}
		x.record(open)
		x.want(30 * day)
		x.state("17", requests.Expired)
		x.state("18", requests.Scheduled)
		x.want(90 * day)
		x.state("18", requests.Expired) // it was never delivered
	})
}

// Without a mail server, the event is the message.
func TestEventsOfRequests(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.sender = x.RequestSender(policy, nil, nil)
		x.record(order("16", "a"))
		x.after(20 * day)
		x.state("16", requests.Scheduled) // no endpoint wants the event
		p, _, err := x.Outbox().Create(t.Context(), outbox.Endpoint{URL: "https://shop.example/", Types: []outbox.Type{outbox.RequestDue, outbox.RequestOptedOut}})
		testkit.Must(t, err)
		x.record(order("17", "a"))
		x.after(20 * day)
		x.state("16", requests.Reminded)
		x.state("17", requests.Sent)
		token := testkit.Value(x.sender.Message(t.Context(), "17", false))(t).OptOut
		testkit.Must(t, x.Requests().OptOut(t.Context(), token))
		var got []string
		for lane := range outbox.Lanes {
			for _, e := range testkit.Value(x.Outbox().Events(t.Context(), lane, 0, 100))(t) {
				testkit.Check(t, p.Wants(&e), "%+v is not for the endpoint", e)
				got = append(got, fmt.Sprint(e.Type, " ", e.Order))
			}
		}
		slices.Sort(got)
		want := []string{"request.due 17", "request.opted_out 17"} // that of 16 has expired
		testkit.Check(t, slices.Equal(got, want), "events %q, want %q", got, want)
	})
}
