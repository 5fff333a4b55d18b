package simulation

import (
	"fmt"
	"sync"
	"time"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/votes"
)

// vote makes the vote of one of a few voters something else, or what it is; now and
// then in two tabs at once.
func vote(a *act) {
	id, who := a.model.someID(a), a.somebody("voter", 4)
	defer a.as(&who)()
	if who == "" {
		return
	}
	voter := key.VoterOf(who)
	to, also := votes.Vote(a.IntN(3)-1), votes.Vote(a.IntN(3)-1)
	var tabs sync.WaitGroup
	if a.chance(0.3) {
		a.marks.add("a voter voted in two tabs at once")
		tabs.Go(func() { castIn(a, id, voter, also) })
	}
	castIn(a, id, voter, to)
	tabs.Wait()
}

// castIn casts a vote.
func castIn(a *act, id string, voter key.Voter, to votes.Vote) {
	c, ctx := a.begin("vote", "%d on %s by %s", to, id, voter)
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
	got, err := a.server.store.Vote(ctx, id, voter, to)
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
