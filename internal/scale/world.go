package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// world is a table with its indexes and what is asked of them.
type world struct {
	limits  limits
	indexes []*index
	random  *rand.Rand
	splits  bool // for heat
	tick    int  // seconds of a step
	second  int
	counts  bool    // whether what is refused counts
	refused float64 // units, since it counts
	first   string  // what was refused first since then: the index and the partition key
}

func newWorld(c *config, indexes ...*index) *world {
	return &world{limits: c.Limits, indexes: indexes, random: rand.New(rand.NewPCG(c.Seed, 1)), splits: true, tick: 1}
}

// rest fills all buckets, as after a quiet time.
func (w *world) rest() {
	for _, x := range w.indexes {
		for _, p := range x.partitions {
			for k := range p.bucket {
				p.bucket[k].fill()
			}
		}
	}
}

// step lets a tick pass.
func (w *world) step() {
	for _, x := range w.indexes {
		w.draw(x)
		for i, p := range x.partitions {
			for k := range p.bucket {
				w.serve(x, i, kind(k))
			}
		}
	}
	w.second += w.tick
	if w.second%60 != 0 || !w.splits {
		return
	}
	for _, x := range w.indexes {
		x.heat(w.limits)
	}
}

// draw draws how many units are asked for in this step.
func (w *world) draw(x *index) {
	for _, l := range x.loads {
		for i, share := range l.share {
			if l.drawn[i] = 0; share > 0 {
				l.drawn[i] = poisson(w.random, l.rate*share*float64(w.tick)) * l.units
			}
		}
	}
}

// serve serves what a partition is asked for, or the same part of every load
// if there is too much.
func (w *world) serve(x *index, i int, k kind) {
	p := x.partitions[i]
	want := 0.0
	for _, l := range x.loads {
		if l.kind == k {
			want += l.drawn[i]
		}
	}
	p.asked[k] += want
	admitted := 1.0
	if got := p.bucket[k].take(want, float64(w.tick)); got < want {
		admitted = got / want
		if w.counts && w.first == "" {
			w.first = x.name + ", " + x.heaviest(i, k)
		}
	}
	for _, l := range x.loads {
		if l.kind != k {
			continue
		}
		l.admitted[i] = admitted
		if w.counts {
			l.asked += l.drawn[i]
			l.refused += l.drawn[i] * (1 - admitted)
			w.refused += l.drawn[i] * (1 - admitted)
		}
	}
}

// heaviest names the partition key that most of a partition's load goes to.
func (x *index) heaviest(i int, k kind) (name string) {
	most := 0.0
	for _, l := range x.loads {
		if from, to := x.stretch(l, i); l.kind == k && from < to {
			if p := l.points.heaviest(from, to); p.weight*l.rate*l.units > most {
				name, most = p.key, p.weight*l.rate*l.units
			}
		}
	}
	return fmt.Sprintf("`%s`", name)
}

// run lets seconds pass; what is refused in the last ones counts. It ends early
// if something is and that is all one wants to know.
func (w *world) run(seconds, counted int, untilRefused bool) {
	for s := 0; s < seconds; s += w.tick {
		w.counts = s >= seconds-counted
		if w.step(); untilRefused && w.refused > 0 {
			return
		}
	}
}

// poisson draws how many events happen where the mean is this. It takes the
// normal distribution for large means.
func poisson(r *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	limit, n, product := math.Exp(-mean), 0.0, r.Float64()
	for product > limit {
		n++
		product *= r.Float64()
	}
	return n
}
