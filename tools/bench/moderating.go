package main

import (
	"context"
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/authors"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/stream"
)

const (
	moderationTable = "moderation"
	queueTable      = "queue"
	moderated       = 10  // comments that each step is measured on
	queued          = 600 // comments of the queue, and of its author
)

// measureModeration measures what it costs to write comments that wait, to decide about
// them, and to read the queue and what somebody wrote.
func measureModeration(ctx context.Context, b *bench) error {
	s, pay, err := b.billed(ctx, moderationTable, store.Options{Moderation: moderation.Options{Mode: moderation.Pre, Reports: 1000}})
	if err != nil {
		return err
	}
	say("moderation: decisions")
	if err := b.moderate(ctx, s, pay); err != nil {
		return err
	}
	say("moderation: flips that a projector follows")
	if err := b.followFlips(ctx, s); err != nil {
		return err
	}
	say("moderation: the queue")
	return b.queueLists(ctx)
}

// decided returns a step that decides about comments.
func decided(ctx context.Context, s *store.Store, ids []string, v moderation.Verb) func(int) error {
	return func(i int) error {
		_, err := s.Decide(ctx, store.Ruling{ID: ids[i], Verb: v, By: "mia", Reason: "because"})
		return err
	}
}

// moderate takes comments through their states.
func (b *bench) moderate(ctx context.Context, s *store.Store, pay *bill) error {
	// A shop that looks later, has a pace, and takes one report for enough.
	paced := store.New(b.client, moderationTable, store.Options{
		Observer: pay, MetaAge: never, CallTimeout: stepTime, Moderation: moderation.Options{Mode: moderation.Post, Reports: 1, Rules: moderation.Rules{Pace: 1000}},
	})
	for _, of := range []*store.Store{s, paced} { // the first of its kind is announced
		first := newBought("42", "alice")
		first.Trusted = true
		if _, err := of.Create(ctx, first); err != nil {
			return err
		}
	}
	ids := make([]string, moderated)
	create := func(by *store.Store, trusted bool) func(int) error {
		return func(i int) error {
			n := newBought("42", "alice")
			n.Trusted = trusted
			c, err := by.Create(ctx, n)
			ids[i] = c.ID
			return err
		}
	}
	report := func(to *store.Store, who string) func(int) error {
		return func(i int) error { _, err := to.Report(ctx, ids[i], who, ""); return err }
	}
	reply := func(text string) func(int) error {
		return func(i int) error { _, err := s.Reply(ctx, ids[i], text, nil); return err }
	}
	b.report.line("A comment with a text of 400 bytes before moderators and others:")
	b.report.steps()
	defer b.report.end()
	for _, one := range []struct {
		what string
		do   func(int) error
	}{
		{"written, shown at once", create(s, true)},
		{"the same with --author-pace", create(paced, false)},
		{"reported as often as returns it to a moderator", report(paced, "bob")},
		{"written, waits", create(s, false)},
		{"approved", decided(ctx, s, ids, moderation.Approve)},
		{"approved once more", decided(ctx, s, ids, moderation.Approve)},
		{"rejected", decided(ctx, s, ids, moderation.Reject)},
		{"approved again", decided(ctx, s, ids, moderation.Approve)},
		{"reported for the first time", report(s, "bob")},
		{"reported by another", report(s, "carol")},
		{"reported once more by the same", report(s, "carol")},
		{"rejected after reports", decided(ctx, s, ids, moderation.Reject)},
		{"approved after that", decided(ctx, s, ids, moderation.Approve)},
		{"replied to", reply("Thank you for your comment")},
		{"the reply is edited", reply("Thank you very much for your comment")},
		{"the reply is removed", reply("")},
		{"withdrawn", decided(ctx, s, ids, moderation.Withdraw)},
		{"deleted", func(i int) error { _, err := s.Delete(ctx, ids[i]); return err }},
	} {
		if err := b.report.step(one.what, moderated, pay, one.do); err != nil {
			return err
		}
	}
	off := moderation.Off
	if err := s.Moderation().SetMode(ctx, "another", &off); err != nil {
		return err
	}
	return b.report.step("written, waits, while a product has a way of its own", moderated, pay, create(s, false))
}

// followFlips measures what a projector does about comments that come and go.
func (b *bench) followFlips(ctx context.Context, s *store.Store) error {
	projecting, pay, err := b.billed(ctx, moderationTable, store.Options{})
	if err != nil {
		return err
	}
	ids := make([]string, moderated)
	for i := range ids {
		n := newBought("flips", "alice")
		n.Trusted = i == 0 // its kind is announced
		c, err := s.Create(ctx, n)
		if err != nil {
			return err
		}
		ids[i] = c.ID
	}
	b.report.line("A projector that follows decisions, one at a time: transactions, and all that is read:")
	b.report.columns(1, "decision | write units | read units")
	defer b.report.end()
	_, err = project(ctx, b.streams, projecting, stream.Options{Poll: 5 * time.Millisecond, Tend: never}, func(ctx context.Context, c *stream.Consumer) error {
		if err := c.Wait(ctx); err != nil {
			return err
		}
		for _, one := range []struct {
			what string
			do   func(int) error
		}{
			{"none, to compare", func(int) error { return nil }},
			{"approved", decided(ctx, s, ids, moderation.Approve)},
			{"rejected", decided(ctx, s, ids, moderation.Reject)},
			{"approved again", decided(ctx, s, ids, moderation.Approve)},
		} {
			pay.take()
			for i := 1; i < moderated; i++ {
				if err := one.do(i); err != nil {
					return err
				}
				if err := c.Wait(ctx); err != nil {
					return err
				}
			}
			u, n := pay.take(), float64(moderated-1)
			b.report.row("%s | %.1f | %.1f", one.what, u.transacted/n, u.read/n)
		}
		return nil
	})
	return err
}

// queueLists measures pages of the queue, its counts, and pages of what somebody wrote.
func (b *bench) queueLists(ctx context.Context) error {
	s, pay, err := b.billed(ctx, queueTable, store.Options{})
	if err != nil {
		return err
	}
	n := max(b.flags.of(queued), 4*pageSize)
	comments := newComments("q", "queued", n)
	for i := range comments {
		comments[i].Owner = "walt"
		if i%4 != 0 {
			comments[i].State, comments[i].Reason = item.Pending, "because"
		}
	}
	if err := writeAll(ctx, s, comments); err != nil {
		return err
	}
	if _, err := project(ctx, b.streams, s, stream.Options{Tend: never}, func(ctx context.Context, c *stream.Consumer) error { return c.Wait(ctx) }); err != nil {
		return err
	}
	queue := func(q moderation.Queue, counts bool) windows {
		return func(ctx context.Context, w store.Window) (n int, last key.Position, more bool, err error) {
			p, err := s.Queue(ctx, q, w)
			if n = len(p.Items); n > 0 {
				last = p.Items[n-1].At
			}
			if err == nil && counts {
				_, err = s.Moderation().Counts(ctx)
			}
			return n, last, p.HasNext, err
		}
	}
	wrote := func(f authors.Filter) windows {
		f.Author = "walt"
		return func(ctx context.Context, w store.Window) (n int, last key.Position, more bool, err error) {
			p, err := s.Authored(ctx, f, w)
			if n = len(p.Items); n > 0 {
				last = p.Items[n-1].At
			}
			return n, last, p.HasNext, err
		}
	}
	waits, no := item.Pending, false
	b.report.line("%d comments of one author, one in four published and the others waiting; pages of %d, read units of a page:", n, pageSize)
	b.report.columns(1, "list | comments | first pages | last full pages")
	defer b.report.end()
	for _, l := range []struct {
		name string
		read windows
	}{
		{"moderationQueue(state: PENDING)", queue(moderation.Queue{State: waits}, false)},
		{"moderationQueue(state: PENDING) with counts", queue(moderation.Queue{State: waits}, true)},
		{"moderationQueue(state: PENDING, language: \"en\", reported: false)", queue(moderation.Queue{State: waits, Language: "en", Reported: &no}, false)},
		{"User.comments", wrote(authors.Filter{})},
		{"User.comments(status: PENDING)", wrote(authors.Filter{State: &waits})},
		{"User.comments(status: PENDING, createdAfter:)", wrote(authors.Filter{State: &waits, From: comments[n/2].CreatedAt})},
	} {
		w, err := walk(ctx, pay, l.read)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		b.report.row("%s | %d | %.2f | %.2f", l.name, w.items, w.first, w.deep)
	}
	return nil
}
