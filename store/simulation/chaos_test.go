package simulation

import (
	"slices"
	"time"

	"product-comments/store/simulation/faults"
)

// disturb runs chaos against the history until it is stopped.
func (h *history) disturb(stop <-chan struct{}) {
	a := &act{history: h, dice: h.dice("chaos"), who: "chaos", where: "-"}
	absences := h.config.Absences
	for {
		// Between a few and a few dozen of disturbances a history.
		timer := time.NewTimer(time.Duration(a.ExpFloat64() * float64(h.config.Pace) * 4))
		select {
		case <-timer.C:
		case <-h.over:
			timer.Stop()
			return
		case <-stop:
			timer.Stop()
			return
		}
		switch {
		case absences > 0 && a.chance(0.2):
			absences--
			a.absent()
		case h.config.Storm != (faults.Rates{}) && a.chance(0.5):
			a.storm()
		case h.config.Reshards && a.chance(0.3):
			a.reshard()
		case h.config.Kills && a.chance(0.4):
			a.replace()
		}
	}
}

// storm lets faults befall a process, or ends that.
func (a *act) storm() {
	h := a.history
	h.mu.Lock()
	living := slices.DeleteFunc(slices.Clone(h.living), func(p *process) bool { return !p.died().IsZero() })
	h.mu.Unlock()
	for _, p := range living {
		switch {
		case a.chance(0.3):
			a.befalls(befalling{p.name, a.config.Storm})
		case a.chance(0.4):
			a.befalls(befalling{p.name, a.config.Calls})
		}
	}
}

// befalling is which faults befall the calls of a process from now on.
type befalling struct {
	Process string
	Rates   faults.Rates
}

func (a *act) befalls(b befalling) {
	a.note("befall", b)
	if p := a.process(b.Process); p != nil {
		p.befall(b.Rates)
	}
}

// kills ends a process.
func (a *act) kills(name string) {
	a.note("kill", name)
	if p := a.process(name); p != nil {
		p.kill()
	}
}

// process returns a process that lives; nil if there is none of that name.
func (h *history) process(name string) *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.living {
		if p.name == name && p.died().IsZero() {
			return p
		}
	}
	return nil
}

// maxReshards bounds the shards of a history.
const maxReshards = 5

// reshard closes shards, and most often opens more of them.
func (a *act) reshard() {
	if a.resharded++; a.resharded <= maxReshards {
		a.reshards(map[bool]string{true: "split", false: "roll"}[a.chance(0.5)])
	}
}

func (a *act) reshards(how string) {
	a.note("reshard", how)
	if how == "split" {
		a.db.Split()
	} else {
		a.db.Roll()
	}
	a.journal.add("", "shards", "one was closed")
}

// replace kills a process in the middle of what it does, and starts another one
// instead.
func (a *act) replace() {
	if a.chance(0.5) || len(a.projects) == 0 {
		a.replacesServer(replacement{N: a.IntN(len(a.servers)), Offset: a.serverOffset(a.dice)})
		return
	}
	a.replacesProjector(replacement{a.IntN(len(a.projects)), a.duration(time.Millisecond, 5*time.Second), a.projectorOffset(a.dice)})
}

// replacement is a server's or a projector's by one whose clock is wrong by the offset, a
// while after the former was killed.
type replacement struct {
	N             int
	Pause, Offset time.Duration
}

func (a *act) replacesServer(r replacement) {
	a.note("replace server", r)
	h := a.history
	h.mu.Lock()
	former := h.servers[r.N]
	h.mu.Unlock()
	former.kill()
	p := h.start("server", r.Offset)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.servers[r.N] = p
}

func (a *act) replacesProjector(r replacement) {
	a.note("replace projector", r)
	a.projects[r.N].kill()
	a.sleep(r.Pause)
	a.projects[r.N] = a.start("projector", r.Offset).project()
}

// offset is by how much a clock is wrong.
type offset struct{ Offset time.Duration }

// project starts a projector next to the ones that are replaced.
func (a *act) project(o offset) *process {
	a.note("project", o)
	return a.start("projector", o.Offset).project()
}

// absent lets a day or more pass in which nothing is projected, and little is
// written. Some shards are read for a moment in between, some never.
func (a *act) absent() {
	a.gate.close()
	defer a.gate.open()
	for _, p := range a.projects {
		a.kills(p.name)
	}
	a.journal.add("", "absent", "no projector runs any more")
	length := a.duration(20*time.Hour, 50*time.Hour)
	parts := 1 + a.IntN(6)
	for range parts {
		for range a.IntN(4) {
			verb := []actor{{step: create}, {step: update}, {step: remove}}[a.IntN(3)]
			a.step(verb, a.dice, a.who)
		}
		if a.config.Reshards && a.chance(0.5) {
			a.reshard()
		}
		if a.chance(0.2) { // something projects for a moment
			p := a.project(offset{})
			a.sleep(a.duration(time.Millisecond, 5*time.Second))
			a.kills(p.name)
		}
		if !a.sleep(length / time.Duration(parts)) {
			return
		}
	}
	a.marks.add("no projector ran for a day")
	for i := range a.projects {
		a.replacesProjector(replacement{N: i})
	}
}
