package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/pack"
	"product-comments/store/plan"
	"product-comments/store/stream"
)

const (
	purchasesTable = "purchases"
	buyers         = 10    // whose comments and orders each step is measured on
	soldComments   = 4_000 // of each product whose list by buyers alone is read
)

// purchases measures what it costs that comments say whether their authors bought the
// product: to write, to follow orders, and to list those that do.
func (b *bench) purchases(ctx context.Context) error {
	s, pay, err := b.billed(ctx, purchasesTable, store.Options{})
	if err != nil {
		return err
	}
	if err := b.boughtWrites(ctx, s, pay); err != nil {
		return err
	}
	if err := b.boughtFollows(ctx, s); err != nil {
		return err
	}
	return b.boughtLists(ctx, s, pay)
}

// buyer names somebody who bought "bought" of a shop, and nothing else.
func buyer(i int) string { return fmt.Sprintf("buyer-%d", i) }

// newBought returns a comment like all that are measured: its item has less than 1 KB.
func newBought(product, owner string) store.NewComment {
	return store.NewComment{ProductID: product, Rating: 4, Language: "en", Title: "A title as usual", Author: "Somebody", Text: strings.Repeat("word ", 80), Owner: owner}
}

// boughtWrites compares comments whose authors are nobody, did not buy, and did.
func (b *bench) boughtWrites(ctx context.Context, s *store.Store, pay *bill) error {
	say("orders: comments of buyers")
	for i := range buyers {
		if err := deliver(ctx, s, fmt.Sprintf("b-%d", i), buyer(i), "bought"); err != nil {
			return err
		}
	}
	for _, product := range []string{"bought", "other"} { // the first of its kind is announced
		if _, err := s.Create(ctx, newBought(product, "")); err != nil {
			return err
		}
	}
	var last []string // ids
	create := func(product string, of func(int) string, key string) func(int) error {
		return func(i int) error {
			n := newBought(product, of(i))
			if key != "" {
				n.IdempotencyKey = fmt.Sprintf("%s-%d", key, i)
			}
			c, err := s.Create(ctx, n)
			if last = append(last, c.ID); len(last) > buyers {
				last = last[1:]
			}
			return err
		}
	}
	nobody := func(int) string { return "" }
	b.report.line("A comment with a text of 400 bytes, and what it says of its author's purchase:")
	b.report.steps()
	defer b.report.end()
	for _, one := range []struct {
		what string
		do   func(int) error
	}{
		{"written by nobody: nothing is looked up", create("other", nobody, "")},
		{"written by nobody, with an idempotency key", create("other", nobody, "k")},
		{"written by somebody who did not buy", create("other", buyer, "")},
		{"written by somebody who bought", create("bought", buyer, "")},
		{"the same with an idempotency key", create("bought", buyer, "k")},
		{"edited by its author", func(i int) error {
			title := "Another title"
			_, err := s.Update(ctx, store.Change{ID: last[i], Title: &title, By: buyer(i)})
			return err
		}},
		{"deleted by its author", func(i int) error { _, err := s.Delete(ctx, last[i]); return err }},
	} {
		if err := b.report.step(one.what, buyers, pay, one.do); err != nil {
			return err
		}
	}
	return nil
}

// deliver records a delivered order of products.
func deliver(ctx context.Context, s *store.Store, id, username string, products ...string) error {
	o := orders.Order{ID: id, Username: username, Status: orders.Delivered}
	for i := range orders.Delivered {
		o.Times[i] = time.Date(2026, 1, 1+int(i), 0, 0, 0, 0, time.UTC)
	}
	for _, p := range products {
		o.Lines = append(o.Lines, orders.Line{ProductID: p, Quantity: 1})
	}
	_, _, err := s.RecordOrder(ctx, o)
	return err
}

// boughtFollows measures what a projector does about deliveries and returns: what a
// delivery itself costs is not in it.
func (b *bench) boughtFollows(ctx context.Context, s *store.Store) error {
	say("orders: following deliveries")
	projecting, pay, err := b.billed(ctx, purchasesTable, store.Options{})
	if err != nil {
		return err
	}
	b.report.line("A projector that follows orders of three products, one order at a time: transactions, and all that is read:")
	b.report.columns(1, "order | write units | read units")
	defer b.report.end()
	_, err = project(ctx, b.streams, projecting, stream.Options{Poll: 5 * time.Millisecond, Tend: never}, func(ctx context.Context, c *stream.Consumer) error {
		done := func() error { // what is changed by what was changed is there after the second
			if err := c.Wait(ctx); err != nil {
				return err
			}
			return c.Wait(ctx)
		}
		product := func(i, line int) string { return fmt.Sprintf("followed-%d-%d", i, line) }
		lines := func(i int) []string { return []string{product(i, 0), product(i, 1), product(i, 2)} }
		if err := done(); err != nil {
			return err
		}
		for i := range buyers { // half of them write about a product each
			if i%2 == 0 {
				if _, err := s.Create(ctx, newBought(product(i, 0), buyer(i))); err != nil {
					return err
				}
			}
		}
		if err := done(); err != nil {
			return err
		}
		for _, one := range []struct {
			what string
			from int // of the buyers every second, from this one on
			do   func(i int) error
		}{
			{"none, to compare", 0, func(int) error { return nil }},
			{"delivered, its buyer wrote about none of its products", 1, func(i int) error { return deliver(ctx, s, fmt.Sprintf("f-%d", i), buyer(i), lines(i)...) }},
			{"delivered, its buyer wrote about one of them", 0, func(i int) error { return deliver(ctx, s, fmt.Sprintf("f-%d", i), buyer(i), lines(i)...) }},
			{"returned, its buyer wrote about one of them", 0, func(i int) error {
				_, err := s.SetOrderStatus(ctx, fmt.Sprintf("f-%d", i), orders.Returned, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
				return err
			}},
		} {
			var sum units
			n := 0.0
			for i := one.from; i < buyers; i += 2 {
				pay.take()
				if err := one.do(i); err != nil {
					return err
				}
				if err := done(); err != nil {
					return err
				}
				u := pay.take()
				sum.transacted, sum.read, n = sum.transacted+u.transacted, sum.read+u.read, n+1
			}
			b.report.row("%s | %.1f | %.1f", one.what, sum.transacted/n, sum.read/n)
		}
		return nil
	})
	return err
}

// boughtLists compares the list of buyers' comments with the list of all.
func (b *bench) boughtLists(ctx context.Context, s *store.Store, pay *bill) error {
	n := b.flags.of(soldComments)
	say("orders: lists of buyers' comments, %d of each product", n)
	sold := []struct {
		product, share string
		every, of      int // so many of so many are buyers'
	}{{"most", "4 of 5", 4, 5}, {"few", "1 of 10", 1, 10}}
	var all []store.Comment
	for _, p := range sold {
		comments := newComments(p.product, p.product, n)
		for i := range comments {
			bought := i%p.of < p.every
			comments[i].VerifiedPurchase = &bought
		}
		all = append(all, comments...)
	}
	if _, err := s.TrainTexts(ctx, thin(says(all), max(len(all)/5, pack.MinSamples))); err != nil {
		return err
	}
	if err := writeAll(ctx, s, all); err != nil {
		return err
	}
	if _, err := project(ctx, b.streams, s, stream.Options{Tend: never}, func(ctx context.Context, c *stream.Consumer) error { return c.Wait(ctx) }); err != nil {
		return err
	}
	b.report.line("Lists of %d comments of a product, some of buyers; read units of a page of %d, planning included:", n, pageSize)
	b.report.columns(1, "buyers | comments | first pages | last full pages | verifiedOnly: comments | first pages | last full pages | first pages by all comments'")
	defer b.report.end()
	for _, p := range sold {
		var lists [2]walked
		for i := range lists {
			var err error
			f := plan.Filter{ProductID: p.product, VerifiedOnly: i == 1}
			lists[i], err = walk(ctx, pay, func(ctx context.Context, w store.Window) (n int, last key.Position, more bool, err error) {
				page, err := s.Page(ctx, f, w)
				if n = len(page.Items); n > 0 {
					last = page.Items[n-1].Position()
				}
				return n, last, page.HasNext, err
			})
			if err != nil {
				return err
			}
		}
		a, v := lists[0], lists[1]
		b.report.row("%s | %d | %.2f | %.2f | %d | %.2f | %.2f | %.2f", p.share, a.items, a.first, a.deep, v.items, v.first, v.deep, v.first/a.first)
	}
	return nil
}
