package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/index/authors"
	"product-comments/store/key/sealed"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/storetest"
)

// Steps cost what doc.go and the pages say, which have their costs from here: write and
// read units of items of less than 1 KB.
func TestCosts(t *testing.T) {
	const year = 365 * 24 * time.Hour // so long nothing is read of the settings
	w, name := &witness{}, storetest.TableName(t)
	keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	of := func(m moderation.Options) *store.Store {
		return store.New(storetest.Client(t), name, store.Options{Observer: w, MetaAge: year, CallTimeout: time.Minute, Moderation: m, Keys: keys})
	}
	plain, s := of(moderation.Options{}), of(moderation.Options{Mode: moderation.Pre, Reports: 1000})
	paced := of(moderation.Options{Mode: moderation.Post, Reports: 1, Rules: moderation.Rules{Pace: 1000}})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	comment := func(owner string) store.NewComment {
		return store.NewComment{ProductID: "42", Rating: 4, Language: "en", Title: "A title as usual", Author: "A name", Text: strings.Repeat("word ", 80), Owner: owner, Trusted: true}
	}
	var id string
	create := func(s *store.Store, owner string, change func(*store.NewComment)) func() error {
		return func() error {
			n := comment(owner)
			if change != nil {
				change(&n)
			}
			c, err := s.Create(t.Context(), n)
			id = c.ID
			return err
		}
	}
	keyed := func(key string) func(*store.NewComment) { return func(n *store.NewComment) { n.IdempotencyKey = key } }
	waits := func(n *store.NewComment) { n.Trusted = false }
	remove := func() error { _, err := s.Delete(t.Context(), id, nil); return err }
	decide := func(v moderation.Verb) func() error {
		return func() error {
			_, err := s.Decide(t.Context(), store.Ruling{ID: id, Verb: v, By: "mia", Reason: "because"})
			return err
		}
	}
	report := func(to *store.Store, who string) func() error {
		return func() error { _, err := to.Report(t.Context(), id, who, ""); return err }
	}
	notice := func() error { _, _, err := s.Notify(t.Context(), id, noticeOf("ann@example.org")); return err }
	reply := func(text string) func() error {
		return func() error { _, err := s.Reply(t.Context(), id, text, nil); return err }
	}
	placed := func(id string, day int) orders.Order {
		o := orders.Order{ID: id, Username: "bea", Status: orders.Placed, Times: orders.Times{time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)}}
		for _, product := range []string{"42", "43", "44"} {
			o.Lines = append(o.Lines, orders.Line{ProductID: product, Quantity: 1})
		}
		return o
	}
	record := func(o orders.Order) func() error {
		return func() error { _, _, err := s.RecordOrder(t.Context(), o); return err }
	}
	status := func(o orders.Order, to orders.Status) func() error {
		return func() error {
			_, err := s.SetOrderStatus(t.Context(), o.ID, to, o.Times[0].Add(time.Duration(to)*time.Hour))
			return err
		}
	}
	for _, s := range []*store.Store{plain, s, paced} { // the first comment asks how many languages there are
		testkit.Must(t, create(s, "", nil)())
	}
	first, second, title := placed("first", 1), placed("second", 2), "Another title"
	asked := placed("asked", 3)
	asked.Contact = &requests.Contact{Email: "bea@example.com", Name: "Bea", Language: "en"}
	send := func(policy requests.Policy) func() error {
		sender := s.RequestSender(policy, func(context.Context, *requests.Asking) error { return nil }, nil)
		return func() error { _, err := sender.Now(t.Context(), "asked"); return err }
	}
	schedule := func() error { _, err := s.Requests().Schedule(t.Context(), "asked", time.Now()); return err }
	steps := []struct {
		page, what    string // page is which of docs has it; "" is none
		written, read float64
		do            func() error
	}{
		{"design", "a comment without an owner", 5, 0, create(plain, "", nil)},
		{"design", "with an idempotency key", 8, 0, create(plain, "", keyed("a"))},
		{"design", "a comment with an owner", 12, 1, create(plain, "alice", nil)},
		{"design", "edited", 5, 1, func() error {
			_, err := plain.Update(t.Context(), store.Change{ID: id, Title: &title, By: "alice"})
			return err
		}},
		{"design", "deleted", 10, 1, remove},
		{"design", "a photo that is uploaded", 2, 0, func() error { return plain.UploadedPhoto(t.Context(), photo("x"), "alice") }},
		{"design", "a comment with it", 16, 2, create(plain, "alice", func(n *store.NewComment) { n.By, n.Photos = "alice", photosOf("x") })},
		{"", "whether it is visible", 0, 2, func() error {
			_, _, err := plain.PhotoVisible(t.Context(), photoID("x"))
			return err
		}},
		{"design", "deleted with it", 14, 1, remove},
		{"design", "with an owner and an idempotency key", 14, 1, create(plain, "alice", keyed("b"))},
		{"orders", "an order of a new person", 17, 2, record(first)},
		{"orders", "of a person who is known", 15, 2, record(second)},
		{"orders", "recorded once more", 0, 2, record(first)},
		{"orders", "paid", 6, 2, status(first, orders.Paid)},
		{"orders", "shipped", 5, 2, status(first, orders.Shipped)},
		{"orders", "delivered", 12, 2, status(first, orders.Delivered)},
		{"orders", "a message without news", 0, 2, status(first, orders.Shipped)},
		{"", "a comment by a buyer", 12, 1, create(plain, "bea", nil)},
		{"orders", "returned", 12, 2, status(first, orders.Returned)},
		{"orders", "cancelled", 6, 2, status(second, orders.Cancelled)},
		{"orders", "a late message with a new time", 4, 2, status(second, orders.Paid)},
		{"orders", "an order with a contact", 18, 2, record(asked)},
		{"orders", "delivered, with a contact", 17, 3, status(asked, orders.Delivered)},
		{"orders", "another time for its request", 3, 1, schedule},
		{"orders", "its message is sent", 10, 11, send(requests.Policy{})},
		{"moderation", "a comment under a pace", 14, 2, create(paced, "alice", waits)},
		{"moderation", "the report that returns it to a moderator", 21, 2, report(paced, "bob")},
		{"moderation", "a comment that waits", 16, 1, create(s, "alice", waits)},
		{"moderation", "approved", 18, 1, decide(moderation.Approve)},
		{"moderation", "approved once more", 0, 1, decide(moderation.Approve)},
		{"moderation", "rejected", 18, 1, decide(moderation.Reject)},
		{"", "approved again", 18, 1, decide(moderation.Approve)},
		{"moderation", "the first report", 11, 2, report(s, "bob")},
		{"moderation", "another one", 5, 2, report(s, "carol")},
		{"moderation", "rejected after reports", 22, 1, decide(moderation.Reject)},
		{"", "a comment for a notice", 12, 1, create(s, "alice", nil)},
		{"moderation", "a notice without a token", 10, 2, notice},
		{"moderation", "rejected after it", 24, 2, decide(moderation.Reject)},
		{"", "approved after that", 18, 1, decide(moderation.Approve)},
		{"moderation", "a reply", 5, 1, reply("Thank you for your comment")},
		{"", "its removal", 5, 1, reply("")},
		{"moderation", "withdrawn", 18, 1, decide(moderation.Withdraw)},
		{"moderation", "deleted from the queue", 12, 1, remove},
		{"", "what a person wrote about a product", 0, 1, func() error { _, err := s.Wrote(t.Context(), "alice", []string{"42"}); return err }},
	}
	rows := map[string][][]string{}
	for _, step := range steps {
		w.take()
		err := step.do()
		testkit.Need(t, err == nil, "%s: %v", step.what, err)
		written, read := paid(w)
		testkit.Check(t, written == step.written && read == step.read, "%s: %g write units and %g read units, want %g and %g", step.what, written, read, step.written, step.read)
		rows[step.page] = append(rows[step.page], []string{step.what, fmt.Sprint(step.written), fmt.Sprint(step.read)})
	}
	for _, page := range []string{"design", "moderation", "orders"} {
		manual.Generated(t, page+".md", "costs", manual.Table([]string{"", "write units", "read units"}, rows[page]))
	}
}

// paid returns the write and read units of the calls since the last time.
func paid(w *witness) (written, read float64) {
	for _, c := range w.take() {
		written, read = written+c.Written, read+c.Read
	}
	return written, read
}

// A page of a list costs what doc.go and the pages say.
func TestCostsOfLists(t *testing.T) {
	w := &witness{}
	s := storeWith(t, store.Options{Observer: w, MetaAge: time.Hour, CallTimeout: time.Minute})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var comments []store.Comment
	var all []orders.Order
	for i := range 90 {
		at := start.Add(time.Duration(i) * time.Hour)
		c := store.Comment{ID: "c" + fmt.Sprint(i), ProductID: "42", Rating: 4, Language: "en", Text: strings.Repeat("word ", 80), CreatedAt: at, Owner: "walt"}
		if i%3 != 0 {
			c.State, c.Reason = item.Pending, "because"
		}
		comments = append(comments, c)
		o := orders.Order{ID: fmt.Sprintf("order-%06d", i), Username: "person-00001", Status: orders.Placed, Times: orders.Times{at}}
		for line := range 3 {
			o.Lines = append(o.Lines, orders.Line{ProductID: fmt.Sprint(100 + line), Quantity: 1, Price: &orders.Money{Amount: "19.90", Currency: "EUR"}})
		}
		if i%3 != 0 {
			o.Status = orders.Shipped
			o.Times[1], o.Times[2] = at.Add(time.Minute), at.Add(time.Hour)
		}
		all = append(all, o)
	}
	importAll(t, s, comments)
	testkit.Value(s.ImportOrders(t.Context(), all))(t)
	project(t, s)
	page, pending := store.Window{Limit: 20}, item.Pending
	listed, err := s.Orders().List(t.Context(), orders.Filter{Username: "person-00001"}, page)
	testkit.Must(t, err)
	var refs []orders.Ref
	for _, o := range listed.Items {
		refs = append(refs, o.Ref())
	}
	of := func(f orders.Filter) func() error {
		f.Username = "person-00001"
		return func() error { _, err := s.Orders().List(t.Context(), f, page); return err }
	}
	lists := []struct {
		page, what string
		read       float64
		do         func() error
	}{
		{"orders", "a person's orders", 1, of(orders.Filter{})},
		{"orders", "of a status", 1, of(orders.Filter{Status: orders.Shipped})},
		{"orders", "shipped between", 1, of(orders.Filter{Status: orders.Shipped, From: start, Before: start.Add(50 * time.Hour)})},
		{"orders", "the lines of a page", 10, func() error { _, err := s.Orders().Lines(t.Context(), refs); return err }},
		{"orders", "an order with its lines", 0.5, func() error { _, err := s.Orders().Get(t.Context(), "order-000001"); return err }},
		{"orders", "open orders", 4, func() error { _, err := s.Orders().Open(t.Context(), page); return err }},
		{"orders", "a person", 1, func() error { _, err := s.Orders().Users(t.Context(), []string{"person-00001"}); return err }},
		{"moderation", "the queue", 24, func() error {
			_, err := s.Queue(t.Context(), store.Queue{State: pending}, page)
			return err
		}},
		{"moderation", "its counts", 4, func() error { _, err := s.Moderation().Counts(t.Context()); return err }},
		{"moderation", "numbers of a year", 4, func() error { _, err := s.Moderation().Months(t.Context(), 12); return err }},
		{"moderation", "what a person wrote", 24, func() error {
			_, err := s.Authored(t.Context(), authors.Filter{Author: "walt"}, page)
			return err
		}},
		{"moderation", "of a state", 21, func() error {
			_, err := s.Authored(t.Context(), authors.Filter{Author: "walt", State: &pending}, page)
			return err
		}},
	}
	rows := map[string][][]string{}
	for _, list := range lists {
		for range 2 { // the first time it learns what is remembered
			w.take()
			err := list.do()
			testkit.Need(t, err == nil, "%s: %v", list.what, err)
		}
		_, read := paid(w)
		testkit.Check(t, read == list.read, "%s: %g read units, want %g", list.what, read, list.read)
		rows[list.page] = append(rows[list.page], []string{list.what, fmt.Sprint(list.read)})
	}
	for page, of := range rows {
		manual.Generated(t, page+".md", "costs of lists", manual.Table([]string{"a page of 20", "read units"}, of))
	}
}

// Events cost what the design says, and a table without endpoints pays nothing for them.
func TestCostsOfEvents(t *testing.T) {
	keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	costs := func(endpoints ...outbox.Type) (one, ten float64) {
		w := &witness{}
		s := storeWith(t, store.Options{Observer: w, MetaAge: time.Hour, CallTimeout: time.Minute, Keys: keys, ImportEvents: true})
		for i, of := range endpoints {
			p, _, err := s.Outbox().Create(t.Context(), outbox.Endpoint{URL: "https://shop.example/", Types: outbox.Types})
			if testkit.Must(t, err); of == "" {
				_, err = s.Outbox().Delete(t.Context(), p.ID)
			} else {
				_, err = s.Outbox().Update(t.Context(), p.ID, outbox.Change{Types: endpoints[i : i+1]})
			}
			testkit.Must(t, err)
		}
		var paidFor []float64
		for i, n := range []int{1, 1, 10} { // the first one of a product makes items
			var all []store.Comment
			for range n {
				all = append(all, store.Comment{ID: fmt.Sprint(i, len(all)), ProductID: "42", Rating: 4, Language: "en", Text: strings.Repeat("word ", 80), CreatedAt: time.Unix(int64(1000*i+len(all)), 0)})
			}
			importAll(t, s, all)
			w.take()
			project(t, s)
			written, _ := paid(w)
			paidFor = append(paidFor, written)
		}
		return paidFor[1], paidFor[2]
	}
	one, ten := costs()
	var rows [][]string
	for _, row := range []struct {
		endpoints string
		types     []outbox.Type
		one, ten  float64
	}{
		{"none", nil, 0, 0},
		{"one that was deleted", []outbox.Type{""}, 0, 0},
		{"one for `comment.published`", []outbox.Type{outbox.Published}, 4, 22},
		{"two for it", []outbox.Type{outbox.Published, outbox.Published}, 4, 22},
		{"and one for `comment.created`", []outbox.Type{outbox.Published, outbox.Published, outbox.Created}, 6, 42},
	} {
		gotOne, gotTen := costs(row.types...)
		testkit.Check(t, gotOne-one == row.one && gotTen-ten == row.ten, "%s: %g and %g write units more, want %g and %g", row.endpoints, gotOne-one, gotTen-ten, row.one, row.ten)
		rows = append(rows, []string{row.endpoints, fmt.Sprint(row.one), fmt.Sprint(row.ten)})
	}
	manual.Generated(t, "design.md", "costs of events", manual.Table([]string{"endpoints", "write units more of a new comment", "of ten at once"}, rows))
}
