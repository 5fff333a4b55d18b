package simulation

import (
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	items "product-comments/store/item"
	"product-comments/store/moderation"
)

// leadsTo is to which standing each verb takes a comment, and from which it may not.
var leadsTo = map[moderation.Verb]struct{ to, never string }{
	moderation.Approve:  {"", "WITHDRAWN"},
	moderation.Reject:   {"REJECTED", "WITHDRAWN"},
	moderation.Withdraw: {"WITHDRAWN", "nothing"},
}

// enoughReports return a comment to a moderator where the mode is Post.
const enoughReports = 2

// decide shows a comment, or does not, or takes it back.
func decide(a *act) {
	verb := []moderation.Verb{moderation.Approve, moderation.Approve, moderation.Approve, moderation.Reject, moderation.Withdraw}[a.IntN(5)]
	r := store.Ruling{ID: a.model.someID(a), Verb: verb, By: a.somebody("moderator", 1), Reason: a.words()}
	defer a.as(&r.By)()
	l := leadsTo[verb]
	c, ctx := a.begin("decide", "%s is to be %q because %q", r.ID, l.to, r.Reason)
	c.explain = func(before, after *state) string {
		if before == nil || after == nil || before.id != r.ID || before.standing == l.never {
			return "a decision made or removed a comment, or was about another one, or could not be"
		}
		want := *before
		want.standing, want.why, want.reports = l.to, r.Reason, 0
		if l.to == "" {
			want.why = ""
		}
		if *after != want || c.repeats(after.id) {
			return "the decision did not do what it was to do"
		}
		return ""
	}
	c.within = callTimeout
	got, err := a.server.store.Decide(ctx, r)
	a.end(c, err, "%s", got.State)
	a.moderated(c, got, err, r.ID, func(s *state) bool { return s.standing == l.never })
	if err == nil && len(c.effects()) == 1 {
		a.marks.add("a comment became " + got.State.String())
	}
}

// report reports a comment as one of a few people, now and then again.
func report(a *act) { a.reports(a.model.someID(a), a.somebody("reporter", 4)) }

func (a *act) reports(id, who string) {
	defer a.as(&who)()
	if who == "" {
		return
	}
	c, ctx := a.begin("report", "%s by %s", id, who)
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		if before == nil || after == nil || before.id != id || before.standing != "" {
			return "a report made or removed a comment, or counted on another one, or one that nobody sees"
		}
		want := *before
		if want.reports++; a.config.Mode == moderation.Post && want.reports >= enoughReports {
			want.standing, want.why = "PENDING", moderation.ReasonReported
			a.marks.add("reports returned a comment to a moderator")
		}
		if *after != want || c.repeats(after.id) {
			return "the report did not do what it was to do"
		}
		return ""
	}
	got, err := a.server.store.Report(ctx, id, who, "rude")
	a.end(c, err, "%d", got.Reports)
	a.moderated(c, got, err, id, func(s *state) bool { return s.standing != "" })
	if err == nil && len(c.effects()) == 0 {
		a.marks.add("a comment was reported again by the same person")
	}
}

// reply makes the shop's reply something else, or removes it.
func reply(a *act) {
	id, said := a.model.someID(a), a.words()
	if a.chance(0.3) {
		said = ""
	}
	c, ctx := a.begin("reply", "%q to %s", said, id)
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		if before == nil || after == nil || before.id != id || before.standing == "WITHDRAWN" {
			return "a reply made or removed a comment, or is of another one, or of one that was taken back"
		}
		want := *before
		if want.reply, want.replied = said, after.replied; *after != want || (said == "") != (after.replied == "") {
			return "the reply did not do what it was to do"
		}
		return ""
	}
	got, err := a.server.store.Reply(ctx, id, said, nil)
	a.end(c, err, "")
	a.moderated(c, got, err, id, func(s *state) bool { return s.standing == "WITHDRAWN" })
}

// moderated checks how a call ended that changes how a comment stands. It may be refused
// while the comment was as refuses says.
func (a *act) moderated(c *call, got store.Comment, err error, id string, refuses func(*state) bool) {
	code := errs.CodeOf(err)
	switch {
	case err == nil:
		s := stateOf(&got)
		as := func(was *state) bool { // votes may have come meanwhile, and orders
			if was == nil {
				return false
			}
			t := s.votedAs(was)
			t.bought = was.bought
			return t == *was
		}
		if got.ID != id || !a.model.was(id, c.began, time.Now(), as) {
			a.fail("answer", got.ID, "%s returned %s, which is no state of comment %q meanwhile", c, &s, id)
		}
	case code == errs.NotFound || code == errs.Conflict:
		gone := func(s *state) bool { return s == nil || refuses(s) }
		if !a.model.was(id, c.began, time.Now(), gone) {
			a.fail("not found", id, "%s ended with %v, but nothing refuses it", c, err)
		}
	default:
		a.wrote(c)
	}
}

// queue reads a part of the queue of moderators: in order, and all of it as it was at
// some time while it was read.
func queue(a *act) { a.queued(false) }

func (a *act) queued(exact bool) {
	q := moderation.Queue{State: items.State(a.IntN(int(items.States)))}
	if a.chance(0.4) {
		q.Language = a.language()
	}
	if a.chance(0.4) {
		q.Reported = ptr(a.chance(0.5))
	}
	a.readQueue(q, exact)
}

func (a *act) readQueue(q moderation.Queue, exact bool) {
	c, ctx := a.begin("queue", "%s", q.Scope())
	got, err := a.server.store.Queue(ctx, q, store.Window{Limit: 100})
	a.end(c, err, "%d", len(got.Items))
	if err != nil {
		a.tolerable(c, err)
		return
	}
	in := func(s *state) bool {
		return s != nil && (s.standing != "" || s.reports > 0) && s.standing == standingOf(q.State) &&
			(q.Language == "" || s.language == q.Language) && (q.Reported == nil || *q.Reported == (s.reports > 0))
	}
	shown := map[string]bool{}
	for i, item := range got.Items {
		shown[item.Comment.ID] = true
		if i > 0 && got.Items[i-1].At.SortKey() >= item.At.SortKey() {
			a.fail("order", item.Comment.ID, "%s has %s in the wrong order", c, item.Comment.ID)
		}
		s := stateOf(item.Comment)
		if !a.model.was(s.id, c.began, time.Now(), func(was *state) bool { return was != nil && *was == s && in(was) }) {
			a.fail("shown", s.id, "%s shows %s, which was not in it meanwhile", c, &s)
		}
		a.marks.add("a comment was seen in the queue")
	}
	if exact { // before the model is locked, which writes of others wait for
		totals, err := a.server.store.Moderation().Counts(ctx)
		if err != nil || totals.Of(q) != len(shown) && !got.HasNext {
			a.fail("counts", "", "everything is quiet, but %d are counted in the queue %s of %d: %v", totals.Of(q), q.Scope(), len(shown), err)
		}
	}
	lag := a.config.Double.IndexLag
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	for _, id := range a.model.ids {
		states := a.model.during(id, c.began.Add(-lag), time.Now())
		first := states[0]
		steady := !slices.ContainsFunc(states, func(s *state) bool {
			return !in(s) || s.position() != first.position() || s.language != first.language || (s.reports > 0) != (first.reports > 0)
		})
		if steady && !shown[id] && !got.HasNext {
			a.fail("hidden", id, "%s lacks %s, which was in it all the time", c, first)
		}
	}
}

// queuesAre compares all parts of the queue with the comments when all is quiet.
func (h *history) queuesAre(a *act) {
	for state := range items.States {
		for _, language := range append([]string{""}, h.config.Languages...) {
			for _, reported := range []*bool{nil, ptr(true), ptr(false)} {
				a.readQueue(moderation.Queue{State: state, Language: language, Reported: reported}, true)
			}
		}
	}
}

// standingOf spells a state as a model's state has it.
func standingOf(s items.State) string {
	if s == items.Published {
		return ""
	}
	return s.String()
}
