package simulation

import (
	"fmt"
	"sync"
	"time"

	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/simulation/double"
)

// vote makes the vote of one of a few voters something else, or what it is; now and
// then in two tabs at once.
func vote(a *act) {
	id, who := a.model.someID(a), a.someone("voter", 4)
	to, also := votes.Vote(a.IntN(3)-1), votes.Vote(a.IntN(3)-1)
	var tabs sync.WaitGroup
	if a.chance(0.3) {
		a.marks.add("a voter voted in two tabs at once")
		tabs.Go(func() { a.aside("tab").casts(casting{id, who, also}) })
	}
	a.casts(casting{id, who, to})
	tabs.Wait()
}

// casting is a vote on a comment.
type casting struct {
	ID, By string
	To     votes.Vote
}

// casts casts a vote.
func (a *act) casts(v casting) {
	id, to, who := v.ID, v.To, v.By
	defer a.as(&who)()
	if who == "" {
		return
	}
	voter := key.VoterOf(who)
	c, ctx := a.begin("vote", v)
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		if before == nil || after == nil || before.id != id || before.hidden() {
			return "a vote made or removed a comment, or counted on another one"
		}
		former := a.model.standing(id, string(voter), before.ballot)
		want := *before
		if want.ballot == "" {
			want.ballot = after.ballot
		}
		want.up += one(to == votes.Helpful) - one(former == votes.Helpful)
		want.down += one(to == votes.Unhelpful) - one(former == votes.Unhelpful)
		if former == to || *after != want {
			return fmt.Sprintf("a vote that was %d and is to be %d counted otherwise, %d up and %d down", former, to, after.up-before.up, after.down-before.down)
		}
		return ""
	}
	c.casts = func(on, by string, is votes.Vote) string {
		if on != id || by != string(voter) || is != to {
			return "it is another vote than was cast"
		}
		return ""
	}
	got, err := a.server.store.Vote(ctx, id, voter, to, nil)
	a.end(c, err, "%d up, %d down", got.Up, got.Down)
	effects := c.effects()
	switch {
	case err == nil:
		a.returned(c, got, id)
		if !a.model.stood(id, string(voter), to, c.began, time.Now()) {
			a.fail("lost write", id, "%s was acknowledged, and the vote was another one all the time", c)
		}
		switch {
		case len(effects) > 1:
			a.fail("write", id, "%s counted %d times", c, len(effects))
		case len(effects) == 0 && to != votes.None:
			a.marks.add("a vote was cast that was there already")
		case len(effects) == 1 && to == votes.None:
			a.marks.add("a vote was withdrawn")
		}
	case errs.CodeOf(err) == errs.NotFound:
		if !a.model.was(id, c.began, time.Now(), func(s *state) bool { return s == nil || s.hidden() }) {
			a.fail("not found", id, "%s ended with %v, but the comment was there", c, err)
		}
	default:
		a.wrote(c)
	}
}

// castVote is what a person's vote on a comment became at a moment.
type castVote struct {
	at     time.Time
	ballot string
	vote   votes.Vote
	erased bool // nothing is left of it
}

// onlyVotes reports whether nothing but a comment's votes changed: erasures change more.
func (mo *moment) onlyVotes() bool {
	if mo.by == nil || mo.by.casts == nil || mo.by.erases == "" {
		return mo.by != nil && mo.by.casts != nil
	}
	return mo.before != nil && mo.after != nil && mo.before.owner == mo.after.owner
}

// voted takes a vote that took effect. The caller holds the lock.
func (m *model) voted(by *call, c double.Change) {
	it := c.After
	if len(it) == 0 {
		it = c.Before
		if it["expires"] != nil && (by == nil || by.erases == "" || text(it, key.SK) != string(key.VoterOf(by.erases))) { // one that was withdrawn long ago
			return
		}
	}
	id, _ := key.VotesOf(text(it, key.PK))
	voter, is := text(it, key.SK), castVote{time.Now(), text(it, "ballot"), votes.Vote(number(c.After, "vote", 0)), len(c.After) == 0}
	m.casts[[2]string{id, voter}] = append(m.casts[[2]string{id, voter}], is)
	m.h.journal.add(by.processName(), "  effect", "of %s: the vote of %s on %s is now %d", by, voter, id, is.vote)
	if is.erased && m.isOrphan(id, c.Before) {
		m.h.marks.add("votes on a deleted comment were removed")
		return
	}
	if by == nil || by.casts == nil {
		m.h.fail("vote", id, "%s changed the vote of %s on %s, which it must not", by, voter, id)
		return
	}
	if wrong := by.casts(id, voter, is.vote); wrong != "" {
		m.h.fail("vote", id, "%s: %s: %s, %d", by, wrong, voter, is.vote)
	}
	if is.erased && by.erases != "" { // on whatever ballot it was
		return
	}
	if is.erased || is.ballot == "" || m.now(id) == nil || m.now(id).ballot != is.ballot {
		m.h.fail("vote", id, "%s: the vote of %s is on the ballot %q, which is not the comment's", by, voter, is.ballot)
	}
}

// standing returns a person's vote on a ballot as it is. The caller holds the lock.
func (m *model) standing(id, voter, ballot string) votes.Vote {
	all := m.casts[[2]string{id, voter}]
	if len(all) == 0 || all[len(all)-1].ballot != ballot {
		return votes.None
	}
	return all[len(all)-1].vote
}

// stood reports whether a person's vote on a comment may have been a certain one at some
// time in an interval.
func (m *model) stood(id, voter string, want votes.Vote, from, to time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := castVote{}
	for _, is := range m.casts[[2]string{id, voter}] {
		switch {
		case is.at.Before(from):
			last = is
		case !is.at.After(to) && is.vote == want:
			return true
		}
	}
	for _, s := range m.during(id, from, to) {
		on := votes.None
		if s != nil && s.ballot == last.ballot {
			on = last.vote
		}
		if on == want {
			return true
		}
	}
	return false
}

// checkVotes compares the votes in the table with the model, and with what comments
// count. The model's lock is held.
func (x *demanded) checkVotes() {
	type sides struct{ up, down int }
	counted := map[string]sides{}
	for who := range x.h.model.casts {
		s := x.h.model.now(who[0])
		if s == nil {
			continue
		}
		switch is := counted[s.id]; x.h.model.standing(s.id, who[1], s.ballot) {
		case votes.Helpful:
			counted[s.id] = sides{is.up + 1, is.down}
		case votes.Unhelpful:
			counted[s.id] = sides{is.up, is.down + 1}
		}
	}
	for id := range x.h.model.comments {
		s := x.h.model.now(id)
		if s == nil {
			continue
		}
		if want := counted[id]; s.up != want.up || s.down != want.down {
			x.h.fail("table", id, "everything is quiet, but comment %s counts %d votes up and %d down, of %d and %d", id, s.up, s.down, want.up, want.down)
		}
		if s.up+s.down > 0 {
			x.h.marks.add("votes were counted at the end")
		}
	}
}

// voted tells what is wrong with the item of a vote, "" if nothing is.
func (x *demanded) voted(it item) string {
	id, ok := key.VotesOf(text(it, key.PK))
	if !ok {
		return "its key is damaged"
	}
	if x.h.model.isOrphan(id, it) {
		return "its comment is gone"
	}
	all := x.h.model.casts[[2]string{id, text(it, key.SK)}]
	if len(all) == 0 {
		return "it was never cast"
	}
	want := all[len(all)-1]
	if want.erased {
		return "it was erased"
	}
	if got := votes.Vote(number(it, "vote", 0)); got != want.vote || text(it, "ballot") != want.ballot {
		return fmt.Sprintf("it is %d on %q, not %d on %q", got, text(it, "ballot"), want.vote, want.ballot)
	}
	return ""
}
