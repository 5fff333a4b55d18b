package simulation

import (
	"maps"
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/verify"
	"product-comments/store/settings"
)

// catchUpWithin is the maximum virtual time until everything is projected after the last
// disturbance. It includes a minute until another process continues an abandoned rebuild.
const catchUpWithin = 15 * time.Minute

func (h *history) isCalm() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calm
}

// poll is how often projectors look for records.
func (h *history) poll() time.Duration {
	if h.isCalm() {
		return min(h.config.Poll, 250*time.Millisecond)
	}
	return h.config.Poll
}

// quiet ends all disturbances, waits until everything has caught up, and does the final checks.
func (h *history) quiet() {
	h.mu.Lock()
	h.calm = true
	living := slices.Clone(h.living)
	h.mu.Unlock()
	h.journal.add("", "quiet", "")
	for _, p := range living {
		if h.config.Keep {
			p.befall(h.config.Calls)
		} else {
			p.kill()
		}
	}
	if !h.config.Keep || len(h.projects) == 0 || !h.projects[0].died().IsZero() {
		h.start("projector", 0).project()
	}
	server := h.start("server", h.serverOffset(h.dice("quiet")))
	if h.config.Keep {
		server = h.servers[0]
	}
	a := &act{history: h, server: server, dice: h.dice("quiet")}
	if !h.settled() || !h.finishPowerSets() {
		return
	}
	if !h.settled() || !h.finishScoring() {
		return
	}
	if !h.settled() || !h.finishErasures() {
		return
	}
	h.verified()
	h.counted(a)
	h.listed(a)
	h.summarized(a)
	h.queuesAre(a)
	h.wholeTable()
	h.noTraces()
	h.eventsAre()
	h.delivered()
	h.asked()
	h.photosAre()
}

// settled waits until everything has caught up, and for as long as servers may
// remember what was before: a projector that has just started may find out first
// that records were lost.
func (h *history) settled() bool {
	for h.catchUp(catchUpWithin) {
		if !h.sleep(plannedAge + h.config.PageAge + h.config.Double.IndexLag + h.config.MetaAge) {
			return false
		}
		if h.caughtUp() {
			return true
		}
	}
	return false
}

// caughtUp reports whether all writes are projected, comments say what their owners bought, and the
// statistics are complete. The record of a purchase may be the only one of a shard that the projector
// has not found yet.
func (h *history) caughtUp() bool {
	h.model.mu.Lock()
	state := h.model.meta().state
	h.model.mu.Unlock()
	return state == settings.StateKept && h.model.unprojected() == 0 && h.model.unsettled() == 0 && h.model.underWay() == 0
}

// catchUp waits until everything has caught up.
func (h *history) catchUp(within time.Duration) bool {
	for deadline := time.Now().Add(within); !h.caughtUp(); {
		if time.Now().After(deadline) {
			now := h.model.metasDuring(time.Now(), time.Now())
			h.fail("stuck", "", "everything is quiet, but after %s statistics are %q, %d changes are not projected, %d comments do not say what their owners bought and %d fills are under way", within, now[len(now)-1].state, h.model.unprojected(), h.model.unsettled(), h.model.underWay())
			return false
		}
		if !h.sleep(time.Second) {
			return false
		}
	}
	return true
}

// finishPowerSets completes the switches of power sets that were interrupted.
func (h *history) finishPowerSets() bool {
	h.model.mu.Lock()
	sets := maps.Clone(h.model.meta().powerSets)
	h.model.mu.Unlock()
	for product, state := range sets {
		operator := h.start("operator", 0)
		a := &act{history: h, server: operator, dice: h.dice("finish")}
		c, ctx := a.begin("power set", switching{product, state == settings.IndexBuilding})
		c.explain = same
		var err error
		switch state {
		case settings.IndexReadable:
		case settings.IndexBuilding:
			err = operator.store.PowerSets().Enable(ctx, product, nil)
		default:
			err = operator.store.PowerSets().Disable(ctx, product, nil)
		}
		a.end(c, err, "")
		operator.kill()
		if err != nil {
			h.fail("stuck", "", "everything is quiet, but %s failed: %v", c, err)
			return false
		}
		if state != settings.IndexReadable {
			h.marks.add("a power set that was stopped half-way was finished")
		}
	}
	return true
}

// verified checks the table with the store's own verification.
func (h *history) verified() {
	operator := h.start("operator", 0)
	defer operator.kill()
	a := &act{history: h, server: operator, dice: h.dice("verified")}
	c, found, err := a.verifies()
	if err != nil || found.State != settings.StateKept {
		h.fail("verify", "", "everything is quiet, but %s: %v, state %q", c, err, found.State)
	}
	for _, difference := range found.Differences {
		h.fail("verify", "", "everything is quiet, but %s found: %s", c, difference)
	}
	for kind, n := range found.Entries {
		if n > 0 {
			h.marks.add(kind + " were compared at the end")
		}
	}
	if want := len(h.model.all()); int(found.Comments) != want {
		h.fail("verify", "", "%s counted %d comments of %d", c, found.Comments, want)
	}
}

// verifies compares everything that is derived with the comments, once.
func (a *act) verifies() (*call, verify.Verified, error) {
	c, ctx := a.begin("verify", nothing{})
	found, err := a.server.verify(ctx, verify.Options{})
	a.end(c, err, "%v", found)
	return c, found, err
}

// counted compares all statistics and leaderboards with a recount.
func (h *history) counted(a *act) {
	for _, language := range append([]string{""}, h.config.Languages...) {
		for _, product := range h.config.Products {
			a.counts(counting{[]stats.Scope{{ProductID: product, Language: language}}, a.fresh()})
		}
		for _, byScore := range []bool{false, true} {
			a.leaders(leading{store.Board{ByScore: byScore, Language: language}, store.RankWindow{Limit: 10}})
		}
	}
	for range someFilters {
		numbers(a)
	}
}
