package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	maxTransact = 100                    // items of a transaction
	maxRecords  = 1000                   // records of an answer of the stream
	poll        = 250 * time.Millisecond // pause after an answer without records
	askEvery    = 200 * time.Millisecond // a shard may be asked five times a second
	firstPause  = 10 * time.Millisecond  // after meeting another transaction; twice as long each time
	mostPause   = time.Second
)

// watched is for how long projectors are simulated at a rate: until there were
// enough comments for figures that hold.
func watched(rate float64) time.Duration {
	seconds := 150_000 / rate
	return time.Duration(min(max(seconds, 10), 30) * float64(time.Second))
}

// projecting is what projectors do in a second.
type projecting struct {
	comments     float64 // that are counted
	sustained    float64 // of all comments, the most that every group keeps up with
	transactions float64
	conflicts    float64   // transactions that met another one and were tried again
	writes       float64   // statistics items that are written
	items        []float64 // the same by item, numbered as scopes does
	// changed is how often products change their places in the leaderboards: by
	// board, that of any language first, and by product.
	changed [][]float64
}

// reader projects what one shard of the stream has of one group of products.
type reader struct {
	group   int
	clock   time.Duration // when it does something next
	began   time.Duration // when its transaction read the statistics
	rate    float64       // comments a second that it gets
	taken   int           // comments that it was given so far
	asked   time.Duration // when it asked the stream last
	answer  int           // comments of the last answer that are left
	batch   []comment     // of the transaction under way
	scopes  []int         // that it changes
	next    comment       // drawn, but too much for the last transaction
	waits   bool          // whether there is such a comment
	pause   time.Duration
	product func() int
	counted float64 // comments
}

type comment struct{ product, language, rating int }

// scopes returns the numbers of the statistics items that a comment changes:
// that of any language, and that of its own.
func (c comment) scopes() [2]int {
	first := c.product * (len(languages) + 1)
	return [2]int{first, first + c.language + 1}
}

// marks is a set of small numbers that is emptied in no time.
type marks struct {
	in    []int // in which round a number was set
	round int
}

func newMarks(n int) *marks { return &marks{in: make([]int, n)} }

func (m *marks) clear() { m.round++ }

func (m *marks) has(x int) bool { return m.in[x] == m.round }

// set adds a number and tells whether it is new.
func (m *marks) set(x int) bool {
	added := !m.has(x)
	m.in[x] = m.round
	return added
}

// readers are ordered by what they do next.
type readers []*reader

func (r readers) Len() int           { return len(r) }
func (r readers) Less(i, j int) bool { return r[i].clock < r[j].clock }
func (r readers) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *readers) Push(x any)        { *r = append(*r, x.(*reader)) }
func (r *readers) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// projectorCase is what a simulation of projectors depends on.
type projectorCase struct {
	rate           float64 // comments a second
	shards, groups int
	copies         int // items that a comment adds to its transaction
}

// project simulates projectors, or remembers what they did.
func (c *config) project(s *shop, k projectorCase) projecting {
	s.mu.Lock()
	done, ok := s.known[k]
	s.mu.Unlock()
	if !ok {
		done = c.projectAnew(s, k)
		s.mu.Lock()
		s.known[k] = done
		s.mu.Unlock()
	}
	return done
}

// projectAnew simulates projectors: a transaction for as many comments of a
// shard as 100 items allow, one after the other, that fails if another one
// changed one of its statistics since it read them. With groups, each shard has
// a checkpoint for each group of products, and they are projected independently
// of each other.
func (c *config) projectAnew(s *shop, k projectorCase) projecting {
	rate, shards, groups, end := k.rate, k.shards, k.groups, watched(k.rate)
	random := rand.New(rand.NewPCG(c.Seed, 2))
	p := projecting{changed: make([][]float64, len(languages)+1)}
	for i := range p.changed {
		p.changed[i] = make([]float64, len(s.weights))
	}
	p.items = make([]float64, len(s.weights)*(len(languages)+1))
	written := make([]time.Duration, len(p.items)) // when an item was
	marks := newMarks(len(written))
	var line readers
	var shares []float64 // of all comments, by group
	for group := range groups {
		until, sum := []float64{}, 0.0
		for rank := group; rank < len(s.weights); rank += groups {
			sum += s.weights[rank]
			until = append(until, sum)
		}
		draw := func() int {
			i, _ := slices.BinarySearch(until, random.Float64()*sum)
			return min(i, len(until)-1)*groups + group
		}
		shares = append(shares, sum)
		for range shards {
			line = append(line, &reader{group: group, rate: rate * sum / float64(shards), product: draw, pause: firstPause, clock: time.Duration(random.Int64N(int64(poll)))})
		}
	}
	heap.Init(&line)
	for line[0].clock < end {
		r := line[0]
		switch {
		case len(r.batch) == 0:
			r.begin(c, random, marks, k.copies)
		case r.raced(written):
			p.conflicts++
			r.clock += r.pause/2 + rand64(random, r.pause)
			r.pause = min(2*r.pause, mostPause)
			r.transact(c, random)
		default:
			p.commit(r, written, marks)
		}
		heap.Fix(&line, 0)
	}
	seconds := end.Seconds()
	p.sustained = math.Inf(1)
	for group, share := range shares {
		sum := 0.0
		for _, r := range line {
			if r.group == group {
				sum += r.counted
			}
		}
		p.sustained = min(p.sustained, sum/seconds/share)
	}
	for _, x := range []*float64{&p.comments, &p.transactions, &p.conflicts, &p.writes} {
		*x /= seconds
	}
	for _, list := range append(p.changed, p.items) {
		for i := range list {
			list[i] /= seconds
		}
	}
	return p
}

func rand64(r *rand.Rand, d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }

// begin takes comments for a transaction, if there are any.
func (r *reader) begin(c *config, random *rand.Rand, in *marks, copies int) {
	if r.answer == 0 {
		if again := r.asked + askEvery; r.clock < again {
			r.clock = again
			return
		}
		r.asked = r.clock
		if r.answer = min(maxRecords, int(r.rate*r.clock.Seconds())-r.taken); r.answer <= 0 {
			r.answer = 0
			r.clock += poll
			return
		}
		r.taken += r.answer
	}
	r.scopes = r.scopes[:0]
	in.clear()
	for ; r.answer > 0; r.answer-- {
		if !r.waits {
			r.next, r.waits = comment{r.product(), language(random), rating(random)}, true
		}
		if r.full(in, copies) {
			break
		}
		for _, x := range r.next.scopes() {
			if in.set(x) {
				r.scopes = append(r.scopes, x)
			}
		}
		r.batch, r.waits = append(r.batch, r.next), false
	}
	r.transact(c, random)
}

// transact begins a transaction. None takes exactly as long as another.
func (r *reader) transact(c *config, random *rand.Rand) {
	usual := c.Traffic.Transaction
	r.began = r.clock
	r.clock += usual - usual/4 + rand64(random, usual/2)
}

// full tells whether the next comment is too much for the transaction, which
// also moves the checkpoint.
func (r *reader) full(in *marks, copies int) bool {
	items := 1 + len(r.scopes) + copies*(len(r.batch)+1)
	for _, x := range r.next.scopes() {
		if !in.has(x) {
			items++
		}
	}
	return items > maxTransact
}

// raced tells whether somebody changed what the transaction has read.
func (r *reader) raced(written []time.Duration) bool {
	for _, x := range r.scopes {
		if written[x] > r.began {
			return true
		}
	}
	return false
}

// commit counts the transaction.
func (p *projecting) commit(r *reader, written []time.Duration, moved *marks) {
	p.transactions++
	p.comments += float64(len(r.batch))
	r.counted += float64(len(r.batch))
	p.writes += float64(len(r.scopes))
	for _, x := range r.scopes {
		written[x] = r.clock
		p.items[x]++
	}
	moved.clear()
	for _, c := range r.batch {
		if c.rating != 5 {
			continue
		}
		for board, x := range c.scopes() {
			if moved.set(x) {
				p.changed[board*(c.language+1)][c.product]++
			}
		}
	}
	r.batch, r.pause = r.batch[:0], firstPause
}
