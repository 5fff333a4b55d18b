package simulation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"product-comments/store"
	items "product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
)

// leadsTo is to which standing each verb takes a comment, and from which it may not.
var leadsTo = map[moderation.Verb]struct{ to, never string }{
	moderation.Approve:  {"", "WITHDRAWN"},
	moderation.Reject:   {"REJECTED", "WITHDRAWN"},
	moderation.Withdraw: {"WITHDRAWN", "nothing"},
}

// enoughReports return a comment to a moderator where the mode is Post.
const enoughReports = 2

// reportPace is how many reports a person may make within an hour.
const reportPace = 3

// deed is a verb that changes one comment, by itself: what moderators, readers and shops do.
type deed struct {
	verb, id string
	args     any                    // of the operation
	refuses  func(*state) bool      // a comment like that
	makes    func(is, after *state) // of what it was; after is what it became
	do       func(context.Context) (store.Comment, error)
	again    bool // it may take effect twice
}

// does calls the verb of a deed, and checks what it did. It returns what the comment is
// then, and how often it was changed.
func (a *act) does(d deed) (got store.Comment, effects int) {
	c, ctx := a.begin(d.verb, d.args)
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		if before == nil || after == nil || before.id != d.id || d.refuses(before) {
			return "it made or removed a comment, or was about another one, or one that refuses it"
		}
		want := *before
		if d.makes(&want, after); *after != want || !d.again && c.repeats(after.id) {
			return "it did not do what it was to do"
		}
		return ""
	}
	got, err := d.do(ctx)
	a.end(c, err, "%s, %d reports", got.State, got.Reports)
	a.moderated(c, got, err, d.id, d.refuses)
	if err != nil {
		return got, -1
	}
	return got, len(c.effects())
}

// decide shows a comment, or does not, or takes it back.
func decide(a *act) {
	verb := []moderation.Verb{moderation.Approve, moderation.Approve, moderation.Approve, moderation.Reject, moderation.Withdraw}[a.IntN(5)]
	r := store.Ruling{ID: a.model.someID(a), Verb: verb, By: a.someone("moderator", 1), Reason: a.words()}
	if verb == moderation.Reject {
		codes := items.Codes[items.Rejected]
		r.Code = codes[a.IntN(len(codes))]
	}
	a.decides(r)
}

func (a *act) decides(r store.Ruling) {
	defer a.as(&r.By)()
	l := leadsTo[r.Verb]
	got, effects := a.does(deed{
		verb: "decide", args: r, id: r.ID,
		refuses: func(s *state) bool { return s.standing == l.never },
		makes: func(is, _ *state) {
			is.standing, is.why, is.reports, is.notices = l.to, items.Why{Code: r.Code, Reason: r.Reason}, 0, 0
			if l.to == "" {
				is.why = items.Why{}
			}
			if l.to == "WITHDRAWN" {
				is.photos = ""
			}
		},
		do: func(ctx context.Context) (store.Comment, error) { return a.server.store.Decide(ctx, r) },
	})
	if effects == 1 {
		a.marks.add("a comment became " + got.State.String())
	}
}

// report reports a comment as one of a few people, now and then again.
func report(a *act) {
	id, who := a.model.someID(a), a.someone("reporter", 4)
	for _, s := range a.model.all() {
		if s.reports > 0 && !s.hidden() && a.chance(0.5) {
			id = s.id
		}
	}
	a.reports(reporting{id, who})
}

// reporting is a report of a comment.
type reporting struct{ ID, By string }

func (a *act) reports(r reporting) {
	id, who := r.ID, r.By
	defer a.as(&who)()
	if who == "" {
		return
	}
	_, effects := a.does(deed{
		verb: "report", args: reporting{id, who}, id: id,
		refuses: (*state).hidden,
		makes: func(is, _ *state) {
			if is.reports++; a.config.Mode == moderation.Post && is.reports-is.notices >= enoughReports {
				is.standing, is.why = "PENDING", items.Why{Code: items.HeldByReports}
				a.marks.add("reports returned a comment to a moderator")
			}
		},
		do: func(ctx context.Context) (store.Comment, error) { return a.server.store.Report(ctx, id, who, "rude") },
	})
	if effects == 0 {
		a.marks.add("a comment was reported again by the same person")
	}
}

// dismissReports gives back what one person's reports have hidden.
func dismissReports(a *act) {
	d := dismissing{a.someone("reporter", 4), a.someone("moderator", 1)}
	for _, s := range a.model.all() {
		if s.isHiddenByReports() && a.chance(0.5) {
			d.Of = a.model.lastReporter(s.id)
		}
	}
	a.dismissesReports(d)
}

// dismissing is the dismissal of a person's reports.
type dismissing struct{ Of, By string }

func (a *act) dismissesReports(d dismissing) {
	defer a.as(&d.By)()
	c, ctx := a.begin("dismiss reports", d)
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		if before == nil || after == nil || !before.isHiddenByReports() {
			return "it made or removed a comment, or was about one that no reports have hidden"
		}
		if earlier := a.model.comments[after.id]; lastReported(earlier[:len(earlier)-1], d.Of).IsZero() {
			return "others have reported the comment"
		}
		want := *before
		want.standing, want.why, want.reports, want.notices = "", items.Why{}, 0, 0
		if *after != want || c.repeats(after.id) {
			return "it did not do what it was to do"
		}
		a.marks.add("a person's reports were dismissed")
		return ""
	}
	n, more, err := a.server.store.DismissReports(ctx, d.Of, d.By, "an attack")
	a.end(c, err, "%d, more: %t", n, more)
	if err != nil {
		a.tolerable(c, err)
		return
	}
	if a.config.Skew || a.config.Astray || a.config.Erased { // times of reports are those of their servers
		return
	}
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	for _, id := range a.model.ids {
		reported := lastReported(a.model.comments[id], d.Of)
		steady := !slices.ContainsFunc(a.model.during(id, c.began.Add(-a.config.Double.IndexLag), time.Now()), func(s *state) bool {
			return s == nil || !s.isHiddenByReports()
		})
		if steady && !reported.IsZero() && !more && a.config.Tongues == 0 {
			a.fail("hidden", id, "%s left %s hidden, which %s reported at %s", c, id, d.Of, reported)
		}
	}
}

// isHiddenByReports reports whether a comment waits because of reports.
func (s *state) isHiddenByReports() bool {
	return s.standing == "PENDING" && s.why.Code == items.HeldByReports
}

// lastReported returns when a person reported a comment, given all that became of it, since a moderator approved it
// last; zero if they did not.
func lastReported(all []*moment, who string) time.Time {
	for _, mo := range slices.Backward(all) {
		switch {
		case mo.before == nil || mo.after == nil, !mo.after.hidden() && (mo.before.hidden() || mo.by != nil && mo.by.verb == "decide"):
			return time.Time{}
		case mo.by != nil && mo.by.verb == "report" && mo.by.args.(reporting).By == who:
			return mo.at
		}
	}
	return time.Time{}
}

// lastReporter returns who reported a comment last.
func (m *model) lastReporter(id string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mo := range slices.Backward(m.comments[id]) {
		if mo.by != nil && mo.by.verb == "report" {
			return mo.by.args.(reporting).By
		}
	}
	return ""
}

// reportsOf returns how many reports a person has made.
func (m *model) reportsOf(who string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mo := range m.moments {
		n += one(mo.by != nil && mo.by.verb == "report" && mo.by.args.(reporting).By == who)
	}
	return n
}

// checkPaces finds people who reported more within an hour than they may. An erasure forgets when someone did, and
// clocks of servers may differ. The model's lock is held.
func (m *model) checkPaces() {
	times := map[string][]time.Time{}
	for _, mo := range m.moments {
		if mo.by != nil && mo.by.verb == "report" && mo.after != nil && mo.after.reports > mo.before.reports {
			who := mo.by.args.(reporting).By
			times[who] = append(times[who], mo.at)
		}
	}
	for who, all := range times {
		for i := reportPace; i < len(all); i++ {
			if within := all[i].Sub(all[i-reportPace]); within < time.Hour-callTimeout-inFlight {
				m.h.fail("pace", "", "%s reported %d comments within %s", who, reportPace+1, within)
			}
		}
	}
}

// reply makes the shop's reply something else, or removes it.
func reply(a *act) {
	r := replying{a.model.someID(a), a.words()}
	if a.chance(0.3) {
		r.Text = ""
	}
	a.replies(r)
}

// replying is the shop's reply to a comment.
type replying struct{ ID, Text string }

func (a *act) replies(r replying) {
	id, said := r.ID, r.Text
	a.does(deed{
		verb: "reply", args: r, id: id, again: true,
		refuses: func(s *state) bool { return s.standing == "WITHDRAWN" },
		makes: func(is, after *state) {
			if is.reply, is.replied = said, ""; said != "" {
				is.replied = cmp.Or(after.replied, "at some time")
			}
		},
		do: func(ctx context.Context) (store.Comment, error) { return a.server.store.Reply(ctx, id, said, nil) },
	})
}

// moderated checks how a call ended that changes how a comment stands. It may be refused
// while the comment was as refuses says.
func (a *act) moderated(c *call, got store.Comment, err error, id string, refuses func(*state) bool) {
	code := errs.CodeOf(err)
	switch {
	case err == nil:
		s := stateOf(&got)
		as := func(was *state) bool { // votes may have come in the meantime, and orders
			if was == nil {
				return false
			}
			t := s.votedAs(was)
			t.bought = was.bought
			return t == *was
		}
		if got.ID != id || !a.model.was(id, c.began, time.Now(), as) {
			a.fail("answer", got.ID, "%s returned %s, which is no state of comment %q during the call", c, &s, id)
		}
	case code == errs.RateLimited && c.verb == "report":
		a.marks.add("a report was refused, after as many as a person may make in an hour")
		if n := a.model.reportsOf(c.args.(reporting).By); n < reportPace {
			a.fail("pace", id, "%s ended with %v, after %d reports", c, err, n)
		}
	case code == errs.NotFound || code == errs.Conflict:
		gone := func(s *state) bool { return s == nil || refuses(s) }
		if !a.model.was(id, c.began, time.Now(), gone) {
			a.fail("not found", id, "%s ended with %v, but nothing refuses it", c, err)
		}
	case code == errs.BadUserInput && a.model.was(id, c.began, time.Now(), func(s *state) bool { return s != nil && s.hidden() }):
		a.wrote(c, a.tooMany()...) // to show it is a new language of its product
	default:
		a.wrote(c)
	}
}

// queue reads a part of the queue of moderators: in order, and each entry in a state that
// it had during the read.
func queue(a *act) { a.queued(false) }

func (a *act) queued(exact bool) {
	q := store.Queue{State: items.State(a.IntN(int(items.States)))}
	if a.chance(0.4) {
		q.Language = a.language()
	}
	if a.chance(0.4) {
		q.Reported = new(a.chance(0.5))
	}
	a.readQueue(q, exact)
}

func (a *act) readQueue(q store.Queue, exact bool) {
	c, ctx := a.begin("queue", q)
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
			a.fail("shown", s.id, "%s shows %s, which was not in it during the call", c, &s)
		}
		a.marks.add("a comment was seen in the queue")
	}
	if exact { // before the model is locked, which writes of others wait for
		totals, err := a.server.store.Moderation().Counts(ctx)
		if err != nil || totals.Count(q) != len(shown) && !got.HasNext {
			a.fail("counts", "", "everything is quiet, but %d are counted in the queue %s of %d: %v", totals.Count(q), q.Scope(), len(shown), err)
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
			for _, reported := range []*bool{nil, new(true), new(false)} {
				a.readQueue(store.Queue{State: state, Language: language, Reported: reported}, true)
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
