package requests_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
)

// placed is an order that was not delivered yet.
func placed(id string, products ...string) orders.Order {
	o := order(id, products...)
	o.Status, o.Times[orders.Delivered-1] = orders.Placed, time.Time{}
	return o
}

// A time that staff chose before the delivery passes without a message; the delivery then begins the usual
// time.
func TestChosenBeforeDelivery(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(placed("17", "a"))
		_ = testkit.Value(x.Requests().Schedule(t.Context(), "17", time.Now().Add(3*time.Hour)))(t)
		x.want(22 * time.Hour)
		testkit.Must(t, x.status(orders.Delivered))
		x.want(14*day + 10*time.Hour)
		x.want(2*time.Hour, "ask 17@example.com for a")
	})
}

// Staff choose the hour of the first message, not that of the reminder.
func TestReminderOfAChosenTime(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		_ = testkit.Value(x.Requests().Schedule(t.Context(), "17", time.Now().Add(3*time.Hour)))(t)
		x.want(4*time.Hour, "ask 17@example.com for a") // at three in the morning
		time.Sleep(7*day + 18*time.Hour)                // no sender runs until ten in the evening
		x.want(10 * time.Hour)
		x.want(2*time.Hour, "remind 17@example.com for a")
	})
}

// Staff who choose a time while the message is sent make no second sender send it, too.
func TestChosenDuringASending(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		time.Sleep(14*day + 10*time.Hour)
		sent := 0
		var s *requests.Sender
		s = x.RequestSender(policy, func(ctx context.Context, _ *requests.Asking) error {
			if sent++; sent > 1 {
				return nil
			}
			_, err := x.Requests().Schedule(ctx, "17", time.Now())
			testkit.Must(t, err)
			return s.Drain(ctx)
		}, nil)
		testkit.Must(t, s.Drain(t.Context()))
		testkit.Equal(t, sent, 1, "sendings")
		x.state("17", requests.Sent)
	})
}

// The link of a message opts out also after the buyer was erased.
func TestOptOutAfterAnErasure(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		token := testkit.Value(x.sender.Message(t.Context(), "17", false))(t).OptOut
		_, err := x.Erase(t.Context(), store.Erasure{Subject: key.Guest("17")})
		testkit.Must(t, err)
		testkit.Must(t, x.Requests().OptOut(t.Context(), token))
		later := order("18", "a")
		later.Contact.Email = "17@example.com"
		x.record(later)
		x.want(20 * day)
		x.state("18", requests.OptedOut)
	})
}

// A buyer who is erased while the message is sent is no failure of the sender.
func TestErasedDuringASending(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(order("17", "a"))
		time.Sleep(15 * day)
		s := x.RequestSender(requests.Policy{After: day}, func(ctx context.Context, _ *requests.Asking) error {
			_, err := x.Erase(ctx, store.Erasure{Subject: key.Guest("17")})
			return err
		}, nil)
		q, err := s.Now(t.Context(), "17")
		testkit.Check(t, err == nil && q == nil, "%+v, %v", q, err)
	})
}

// A request ends before its contact is too old, also if its message would be due later.
func TestDueTooLate(t *testing.T) {
	run(t, policy, func(t *testing.T, x *shop) {
		x.record(placed("17", "a"))
		x.want(110 * day)
		testkit.Must(t, x.status(orders.Delivered))
		x.want(requests.Kept - 110*day)
		x.state("17", requests.Expired)
	})
}

// The first good time is in the hours, and no earlier minute is: also on days that lack an hour or have
// one twice.
func TestHours(t *testing.T) {
	for _, c := range []struct {
		zone string
		on   string
	}{
		{"Europe/Berlin", "2026-03-28"}, {"Europe/Berlin", "2026-10-24"},
		{"America/New_York", "2026-03-07"}, {"America/New_York", "2026-10-31"},
		{"Asia/Kolkata", "2026-12-30"}, {"Australia/Lord_Howe", "2026-04-04"}, {"Australia/Lord_Howe", "2026-10-03"},
		{"Africa/Cairo", "2026-04-23"}, {"Africa/Cairo", "2026-10-29"}, {"UTC", "2027-12-31"}, {"America/Havana", "2026-03-07"},
	} {
		zone := testkit.Value(time.LoadLocation(c.zone))(t)
		begins := testkit.Value(time.ParseInLocation(time.DateOnly, c.on, zone))(t)
		for _, hours := range []requests.Hours{{From: 9, To: 20}, {From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 23, To: 24}, {From: 0, To: 24}, {}} {
			p := requests.Policy{Hours: hours, Zone: zone}
			good := func(at time.Time) bool {
				h := at.In(zone).Hour()
				return hours == (requests.Hours{}) || h >= hours.From && h < hours.To
			}
			next := begins.Add(3 * day)
			for !good(next) {
				next = next.Add(time.Minute)
			}
			for at := begins.Add(3 * day); !at.Before(begins); at = at.Add(-time.Minute) {
				if good(at) {
					next = at
				}
				testkit.Need(t, p.Good(at).Equal(next), "%s, %v: after %s comes %s, want %s", c.zone, hours, at, p.Good(at).In(zone), next)
			}
			testkit.Check(t, !p.Good(next.Add(time.Nanosecond)).Before(next), "%s: a time goes back", c.zone)
		}
	}
}

// A clock that is set back delays messages, and sends none twice.
func TestClockSetBack(t *testing.T) {
	run(t, requests.Policy{After: day, Reminder: day}, func(t *testing.T, x *shop) {
		offset := time.Duration(0)
		x.Store = store.New(x.db.Client("clock"), "comments", store.Options{Keys: keys(t, 1), PlaceAge: -1, Now: func() time.Time { return time.Now().Add(offset) }})
		x.sender = x.RequestSender(requests.Policy{After: day, Reminder: day}, x.send, nil)
		x.record(order("17", "a"))
		offset = 12 * time.Hour
		x.want(13*time.Hour, "ask 17@example.com for a")
		offset = -36 * time.Hour
		x.want(2 * day)
		x.want(2*day, "remind 17@example.com for a")
		offset = 0
		x.want(10 * day)
	})
}

// Months end with their last instant in UTC, also that of a year.
func TestMonths(t *testing.T) {
	run(t, requests.Policy{After: time.Hour}, func(t *testing.T, x *shop) {
		time.Sleep(time.Until(time.Date(2000, 12, 31, 21, 30, 0, 0, time.UTC)))
		x.record(order("17", "a"))
		time.Sleep(time.Until(time.Date(2000, 12, 31, 23, 59, 58, 0, time.UTC)))
		testkit.Must(t, x.sender.Drain(t.Context()))
		time.Sleep(2 * time.Second)
		testkit.Must(t, x.Requests().Answered(t.Context(), "17"))
		time.Sleep(time.Until(time.Date(2001, 3, 31, 23, 0, 0, 0, time.UTC))) // February has no such day
		got := testkit.Value(x.Requests().Months(t.Context(), 4))(t)
		want := []requests.Month{{Month: "2001-03"}, {Month: "2001-02"}, {Month: "2001-01", AnsweredCount: 1}, {Month: "2000-12", SentCount: 1}}
		testkit.Check(t, slices.Equal(got, want), "%+v, want %+v", got, want)
	})
}

// Contacts that hurt a mail server, a log or a page are refused, and the errors do not quote addresses.
func TestHostileContacts(t *testing.T) {
	for _, c := range []requests.Contact{
		{}, {Email: "alice"}, {Email: "alice@"}, {Email: "@example.com"}, {Email: "a@b@example.com"},
		{Email: "alice@example.com\r\nBcc: all@example.com"}, {Email: "alice@example.com\x00"}, {Email: `"a\r\nb"@example.com`},
		{Email: "alice@example.com, bob@example.com"}, {Email: "Alice <alice@example.com>"}, {Email: "alice@[127.0.0.1]"},
		{Email: strings.Repeat("a", 65) + "@example.com"}, {Email: "a@" + strings.Repeat("b.", 160) + "com"},
		{Email: "alice@exam\xffple.com"}, {Email: "alice@localhost"}, {Email: "алиса@example.com"},
		{Email: "alice@example.com", Name: "Alice\r\nBcc: all@example.com"}, {Email: "alice@example.com", Name: "\x1b[2J"},
		{Email: "alice@example.com", Name: strings.Repeat("é", requests.MaxName+1)}, {Email: "alice@example.com", Name: "\xff"},
		{Email: "alice@example.com", Language: "not a language"}, {Email: "alice@example.com", Language: strings.Repeat("en-", 1000)},
	} {
		err := c.Validate("contact")
		testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "%q: %v", c, err)
		testkit.Check(t, err == nil || c.Email == "" || len(c.Email) < 10 || !strings.Contains(err.Error(), c.Email), "the error quotes the address: %v", err)
	}
	c := requests.Contact{Email: "Alice+<b>@EXAMPLE.com", Name: `<script>"'&`, Language: "DE-at"}
	testkit.Check(t, c.Validate("contact") != nil, "brackets are accepted: %+v", c)
	c.Email = "Alice+b@EXAMPLE.com"
	testkit.Must(t, c.Validate("contact"))
	testkit.Equal(t, c, requests.Contact{Email: "Alice+b@example.com", Name: `<script>"'&`, Language: "de-AT"}, "contact")
}

// Whatever happens to a request at the same time, it ends once, is counted once, and each of its messages
// has one ID.
func TestEverythingAtOnce(t *testing.T) {
	p := requests.Policy{After: time.Hour, Reminder: time.Hour}
	for seed := range uint64(20) {
		run(t, p, func(t *testing.T, x *shop) {
			var mu sync.Mutex
			token, ids := "", map[bool]map[string]bool{false: {}, true: {}}
			x.record(placed("17", "a", "b"))
			var all sync.WaitGroup
			for n := range uint64(4) {
				d := rand.New(rand.NewPCG(seed, n))
				s := x.open(fmt.Sprint("server", n), keys(t, 1))
				sender := s.RequestSender(p, func(_ context.Context, a *requests.Asking) error {
					time.Sleep(time.Duration(d.Int64N(int64(time.Minute))))
					mu.Lock()
					defer mu.Unlock()
					token, ids[a.Reminder][a.ID] = a.OptOut, true
					if d.IntN(3) == 0 {
						return errors.New("450 later")
					}
					return nil
				}, nil)
				step := func() (err error) {
					switch d.IntN(12) {
					case 0:
						_, err = s.Requests().Schedule(t.Context(), "17", time.Now())
					case 1, 2:
						err = s.Requests().Opened(t.Context(), "17")
					case 3, 4:
						_, _, err = s.RecordOrder(t.Context(), order("17", "a", "b"))
					case 5:
						if err = s.Requests().Answered(t.Context(), "17"); d.IntN(4) == 0 {
							_, err = s.Requests().Cancel(t.Context(), "17")
						}
					case 6:
						mu.Lock()
						has := token
						mu.Unlock()
						if has != "" && d.IntN(3) == 0 {
							err = s.Requests().OptOut(t.Context(), has)
						}
					default:
						err = sender.Drain(t.Context())
					}
					return err
				}
				all.Go(func() {
					for range 12 {
						if err := step(); err != nil && errs.CodeOf(err) != errs.Conflict {
							t.Error(err)
						}
						time.Sleep(time.Duration(d.Int64N(int64(20 * time.Minute))))
					}
				})
			}
			all.Wait()
			for range 30 {
				time.Sleep(7 * day)
				testkit.Must(t, x.sender.Drain(t.Context()))
			}
			q := x.request("17")
			if q == nil && len(ids[false]) == 0 { // it was not delivered, and has expired
				return
			}
			testkit.Need(t, q != nil && !q.Live() && q.Contact == nil && len(ids[false]) <= 1 && len(ids[true]) <= 1, "seed %d: %+v, messages %v", seed, q, ids)
			one := map[bool]int{true: 1}
			want := requests.Month{SentCount: one[!q.Sent.IsZero()], OpenedCount: one[q.Opened], AnsweredCount: one[q.State == requests.Answered], OptedOutCount: one[q.State == requests.OptedOut]}
			got := requests.Month{}
			for _, m := range testkit.Value(x.Requests().Months(t.Context(), 12))(t) {
				got.SentCount, got.OpenedCount, got.AnsweredCount, got.OptedOutCount, got.FailedCount = got.SentCount+m.SentCount, got.OpenedCount+m.OpenedCount, got.AnsweredCount+m.AnsweredCount, got.OptedOutCount+m.OptedOutCount, got.FailedCount+m.FailedCount
			}
			testkit.Check(t, got == want, "seed %d: %+v counts %+v", seed, q, got)
		})
	}
}
