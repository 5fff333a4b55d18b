package simulation

import (
	"slices"
	"time"

	"product-comments/store/simulation/faults"
)

// disturb throws what can go wrong at the history, until it is stopped.
func (h *history) disturb(stop <-chan struct{}) {
	d := h.dice("chaos")
	absences := h.config.Absences
	for {
		// Between a few and a few dozen of disturbances a history.
		timer := time.NewTimer(time.Duration(d.ExpFloat64() * float64(h.config.Pace) * 4))
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
		case absences > 0 && d.chance(0.2):
			absences--
			h.absent(d)
		case h.config.Storm != (faults.Rates{}) && d.chance(0.5):
			h.storm(d)
		case h.config.Reshards && d.chance(0.3):
			h.reshard(d)
		case h.config.Kills && d.chance(0.4):
			h.replace(d)
		}
	}
}

// storm lets faults befall a process, or ends that.
func (h *history) storm(d *dice) {
	h.mu.Lock()
	living := slices.DeleteFunc(slices.Clone(h.living), func(p *process) bool { return !p.died().IsZero() })
	h.mu.Unlock()
	for _, p := range living {
		switch {
		case d.chance(0.3):
			p.befall(h.config.Storm)
		case d.chance(0.4):
			p.befall(h.config.Calls)
		}
	}
}

// maxReshards bounds the shards of a history.
const maxReshards = 5

// reshard closes shards, and most often opens more of them.
func (h *history) reshard(d *dice) {
	if h.reshards++; h.reshards > maxReshards {
		return
	}
	if d.chance(0.5) {
		h.db.Split()
	} else {
		h.db.Roll()
	}
	h.journal.add("", "shards", "one was closed")
}

// replace kills a process in the middle of what it does, and starts another one
// in its place.
func (h *history) replace(d *dice) {
	if d.chance(0.5) || len(h.projects) == 0 {
		i := d.IntN(len(h.servers))
		h.mu.Lock()
		old := h.servers[i]
		h.mu.Unlock()
		old.kill()
		p := h.serve(d)
		h.mu.Lock()
		h.servers[i] = p
		h.mu.Unlock()
		return
	}
	i := d.IntN(len(h.projects))
	h.projects[i].kill()
	h.sleep(d.duration(time.Millisecond, 5*time.Second))
	h.projects[i] = h.projector(d)
}

// absent lets a day or more pass in which nobody projects, and little is
// written. Some shards are read for a moment in between, some never.
func (h *history) absent(d *dice) {
	h.gate.close()
	defer h.gate.open()
	for _, p := range h.projects {
		p.kill()
	}
	if h.source != nil {
		h.source.pause(true)
		defer h.source.pause(false)
	}
	h.journal.add("", "absent", "nobody projects any more")
	length := d.duration(20*time.Hour, 50*time.Hour)
	parts := 1 + d.IntN(6)
	for range parts {
		for range d.IntN(4) {
			verb := []actor{{step: create}, {step: update}, {step: remove}}[d.IntN(3)]
			h.step(verb, d)
		}
		if h.config.Reshards && d.chance(0.5) {
			h.reshard(d)
		}
		if d.chance(0.2) { // somebody projects for a moment
			p := h.start("projector", 0).project()
			h.sleep(d.duration(time.Millisecond, 5*time.Second))
			p.kill()
		}
		if !h.sleep(length / time.Duration(parts)) {
			return
		}
	}
	h.marks.add("nobody projected for a day")
	for i := range h.projects {
		h.projects[i] = h.start("projector", 0).project()
	}
}
