package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	items "product-comments/store/comment/item"
	"product-comments/store/derive/projector"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
)

// model is the truth: every write of a comment that took effect, in order, with its call.
type model struct {
	h *history

	mu       sync.Mutex
	comments map[string][]*moment     // by id, in order
	moments  []*moment                // all, in order
	ids      []string                 // in the order of their first moment
	keys     map[string]string        // product and idempotency key, to the comment made with it
	keysAt   map[string]time.Time     // when that was
	only     map[string]bool          // comments that are the only ones their owners may write
	casts    map[[2]string][]castVote // by comment and voter, in order
	orders   map[string][]orderMoment // by id, in order
	named    map[string]string        // ids of comments that creates made, by their names in the script
	moving   map[string]placedOrder   // orders between one user and another, within a transaction
	dropped  map[string]*besideOf     // by id, what was removed of what is next to comments
	born     map[string]string        // by id, what the items next to a comment have in common with it
	bought   bought
	metas    []metaMoment
	caused   map[string]cause // by id of the event
	uploaded []uploadedPhoto
	taken    map[string]bool // photos that a comment has or had
	definitionsHad
	leaves
	requested
}

// moment is a state of a comment, with the time at which it began.
type moment struct {
	at            time.Time
	id            string
	before, after *state // nil for none
	by            *call
	shard         string // of the stream, which tells of it
	sequence      string
	projected     time.Time // when the checkpoints of its products passed it; zero before
	passedBefore  bool      // that of the product before
	passedAfter   bool      // that of the product after
	seen          time.Time // when the checkpoint of the product of its events passed it; zero before
	is, was       item      // of changes that make events
}

// metaMoment is a state of the statistics, with the time at which it began.
type metaMoment struct {
	at         time.Time
	state      settings.State
	generation int
	powerSets  map[string]settings.IndexState
	scoring    scoring
}

func newModel(h *history) *model {
	return &model{h: h, comments: map[string][]*moment{}, keys: map[string]string{}, only: map[string]bool{}, keysAt: map[string]time.Time{}, casts: map[[2]string][]castVote{}, named: map[string]string{}, orders: map[string][]orderMoment{}, moving: map[string]placedOrder{}, dropped: map[string]*besideOf{}, born: map[string]string{}, bought: newBought(), definitionsHad: newDefinitions(), caused: map[string]cause{}, taken: map[string]bool{}, leaves: newLeaves(), requested: newRequested()}
}

// committed adds a change that took effect. The double calls it in sequence, with the context of
// the call that made the change.
func (m *model) committed(ctx context.Context, c double.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	it := c.After
	if len(it) == 0 {
		it = c.Before
	}
	if by := callOf(ctx); by != nil && by.erases != "" {
		if by.erasures++; by.erasures == by.stopped {
			go by.process.kill()
		}
	}
	switch pk, sk := text(it, key.PK), text(it, key.SK); {
	case m.asking(callOf(ctx), c, pk):
	case m.left(callOf(ctx), c, pk, sk):
	case key.AccessOf(key.Table, pk, sk) == key.AccessDefinitions || sk == key.ColumnsSK:
		m.redefined(callOf(ctx), c)
	case strings.HasPrefix(pk, key.Comment("")):
		m.changed(callOf(ctx), c)
	case strings.HasPrefix(pk, key.Votes("")):
		m.voted(callOf(ctx), c)
	case strings.HasPrefix(pk, key.User("")) && strings.HasPrefix(sk, key.Order("")):
		m.ordered(callOf(ctx), c)
	case strings.HasPrefix(pk, key.User("")):
		m.bought.marked(c)
	case strings.HasPrefix(pk, key.Case("")):
		m.besides(callOf(ctx), c)
	case strings.HasPrefix(pk, key.Checkpoint("")):
		m.checkpoint(strings.TrimPrefix(pk, key.Checkpoint("")), c.After)
	case pk == key.Meta("statistics"):
		m.metaChanged(callOf(ctx), c.After)
	}
}

func (m *model) changed(by *call, c double.Change) {
	before, err := decode(c.Before)
	var after *state
	if err == nil {
		after, err = decode(c.After)
	}
	if err != nil {
		m.h.fail("write", "", "%s wrote a comment that cannot be read: %v", by, err)
		return
	}
	if before == nil && after == nil || before != nil && after != nil && *before == *after {
		return // touched by a rebuild, or what a deleted comment left behind
	}
	it := after
	if it == nil {
		it = before
	}
	m.born[it.id] = string(items.BornOf(c.After))
	mo := &moment{at: time.Now(), id: it.id, before: before, after: after, by: by, shard: c.Shard, sequence: c.Sequence}
	m.h.journal.add(by.processName(), "  effect", "of %s: %s is now %s", by, it.id, after)
	if m.comments[it.id] == nil {
		m.ids = append(m.ids, it.id)
	}
	m.comments[it.id] = append(m.comments[it.id], mo)
	m.only[it.id] = truth(c.After, "only")
	m.moments = append(m.moments, mo)
	m.causes(mo, c)
	m.photographed(mo)
	defer func() { m.bought.follows[it.id] = truth(c.After, "fp") }()
	if by == nil || by.explain == nil {
		m.h.fail("write", it.id, "%s changed comment %s, which it must not: %s → %s", by, it.id, before, after)
		return
	}
	if wrong := by.explain(before, after); wrong != "" {
		m.h.fail("write", it.id, "%s: %s: %s → %s", by, wrong, before, after)
	}
	if late := by.late(mo.at); late != "" {
		m.h.fail("late", it.id, "%s took effect late, %s: %s → %s", by, late, before, after)
	}
	by.commits = append(by.commits, mo)
	for _, slow := range []string{"power set", "rebuild", "verify", "import"} {
		if slow != by.verb && m.h.during(slow) {
			m.h.marks.add("a write during: " + slow)
		}
	}
	if before != nil && after != nil && before.product != after.product {
		m.h.marks.add("a comment moved to another product")
		from, to := projector.BucketOf(before.product), projector.BucketOf(after.product)
		switch {
		case from%projector.Lanes != to%projector.Lanes:
		case from > to:
			m.h.marks.add("a comment moved to a smaller bucket of its lane")
		case from < to:
			m.h.marks.add("a comment moved to a greater bucket of its lane")
		}
	}
}

// checkpoint notes which records a checkpoint passed: the checkpoint of a shard passes the
// records of all products, the checkpoint of a bucket the records of its products.
func (m *model) checkpoint(name string, it item) {
	shard, bucket, ofBucket := strings.Cut(name, "/")
	m.passed(shard, text(it, "seq"), func(product string) bool { return !ofBucket || itoa(projector.BucketOf(product)) == bucket })
}

// streamKeeps is how long the stream has a record.
const streamKeeps = 24 * time.Hour

// passed notes that everything about some products up to a record was projected.
// What the stream no longer had was lost: only a rebuild counts it.
func (m *model) passed(shard, sequence string, about func(product string) bool) {
	for _, mo := range m.moments {
		if mo.shard != shard || time.Since(mo.at) > streamKeeps || !mo.projected.IsZero() && !mo.seen.IsZero() || projector.CompareSequence(mo.sequence, sequence) > 0 {
			continue
		}
		mo.passedBefore = mo.passedBefore || mo.before == nil || about(mo.before.product)
		mo.passedAfter = mo.passedAfter || mo.after == nil || about(mo.after.product)
		if mo.seen.IsZero() && mo.passedAfter && (mo.after != nil || mo.passedBefore) {
			mo.seen = time.Now()
		}
		if mo.projected.IsZero() && mo.passedBefore && mo.passedAfter {
			mo.projected = time.Now()
		}
	}
}

func (m *model) metaChanged(by *call, it item) {
	now := metaMoment{at: time.Now(), state: settings.State(text(it, "state")), generation: number(it, "gen", 0), powerSets: map[string]settings.IndexState{}, scoring: scoringOf(it)}
	if sets, ok := it["powerSets"].(*types.AttributeValueMemberM); ok {
		for product, s := range sets.Value {
			if v, ok := s.(*types.AttributeValueMemberS); ok {
				now.powerSets[product] = settings.IndexState(v.Value)
			}
		}
	}
	was := m.meta()
	m.metas = append(m.metas, now)
	for product, state := range was.powerSets {
		is := now.powerSets[product]
		ends := state == settings.IndexBuilding && is == settings.IndexReadable || state == settings.IndexDisabled && is == settings.IndexAbsent
		if ends && now.state == was.state && (by == nil || by.verb != "power set") {
			m.h.marks.add("a power set that was stopped half-way was finished")
		}
	}
	if now.scoring != was.scoring {
		m.h.journal.add("", "  effect", "the scoring is %+v", now.scoring)
	}
	if now.state != was.state || !maps.Equal(now.powerSets, was.powerSets) {
		m.h.journal.add("", "  effect", "the statistics are %q of generation %d, power sets %v", now.state, now.generation, now.powerSets)
	}
	if was.state == settings.StateRebuilding && now.state == settings.StateKept { // what was lost before it began is counted
		began := now.at
		for _, meta := range slices.Backward(m.metas) {
			if meta.generation < now.generation {
				break
			}
			began = meta.at
		}
		for _, mo := range m.moments {
			if mo.projected.IsZero() && !mo.at.After(began) {
				mo.projected = now.at
			}
		}
		m.h.marks.add("statistics were rebuilt")
	}
}

func (m *model) meta() metaMoment {
	if len(m.metas) == 0 {
		return metaMoment{}
	}
	return m.metas[len(m.metas)-1]
}

// now returns the current state of a comment, nil if it does not exist. The caller holds the lock.
func (m *model) now(id string) *state {
	all := m.comments[id]
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].after
}

// standsAs is now for a caller without the lock.
func (m *model) standsAs(id string) *state {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now(id)
}

// during returns what a comment was at some time from one instant to another,
// nil among it if it was not there. The caller holds the lock.
func (m *model) during(id string, from, to time.Time) []*state {
	return during(m.comments[id], from, to, func(mo *moment) (time.Time, *state) { return mo.at, mo.after })
}

// during returns what something was at some time from one instant to another, of all that
// it became, in order: first what it was before, the zero value if nothing.
func during[M, T any](all []M, from, to time.Time, became func(M) (time.Time, T)) []T {
	out := make([]T, 1)
	for _, m := range all {
		switch at, is := became(m); {
		case at.Before(from):
			out[0] = is
		case !at.After(to):
			out = append(out, is)
		}
	}
	return out
}

// wrote reports whether an owner had another comment about a product at some time in
// an interval. The caller holds the lock.
func (m *model) wrote(owner, product string, from, to time.Time) bool {
	for _, id := range m.ids {
		if slices.ContainsFunc(m.during(id, from, to), func(s *state) bool { return s != nil && s.owner == owner && s.product == product }) {
			return true
		}
	}
	return false
}

// alone reports whether no comment but this one is the only one that its owner may
// write about its product. The caller holds the lock.
func (m *model) alone(s *state) bool {
	for _, id := range m.ids {
		if other := m.now(id); other != nil && id != s.id && m.only[id] && other.owner == s.owner && other.product == s.product {
			return false
		}
	}
	return true
}

// was reports whether a comment was in a state at some time in an interval.
func (m *model) was(id string, from, to time.Time, want func(*state) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.during(id, from, to), want)
}

// behind returns when the oldest comment of a product was changed that no
// checkpoint had passed at an instant; the instant itself if there is none.
func (m *model) behind(product string, at time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mo := range m.moments {
		if mo.concerns(product) && mo.at.Before(at) && (mo.projected.IsZero() || mo.projected.After(at)) {
			return mo.at
		}
	}
	return at
}

func (mo *moment) concerns(product string) bool {
	return mo.before != nil && mo.before.product == product || mo.after != nil && mo.after.product == product
}

// unseen reports whether no one was shown the comment before the change, nor after it.
func (mo *moment) unseen() bool {
	shown := func(s *state) bool { return s != nil && !s.hidden() }
	return !shown(mo.before) && !shown(mo.after)
}

// metasDuring returns the states of the statistics at some time in an interval.
func (m *model) metasDuring(from, to time.Time) []metaMoment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return during(m.metas, from, to, func(meta metaMoment) (time.Time, metaMoment) { return meta.at, meta })
}

// unprojected returns the number of changes that no checkpoint has passed.
func (m *model) unprojected() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, mo := range m.moments {
		if mo.projected.IsZero() {
			n++
		}
	}
	return n
}

// unsettled is the number of comments that do not say yet what their owners bought.
func (m *model) unsettled() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, id := range m.ids {
		if s := m.now(id); s != nil && m.bought.follows[id] && s.bought != m.bought.of(s.owner, s.product) {
			n++
		}
	}
	return n
}

// all returns the current comments, newest first.
func (m *model) all() []*state {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []*state
	for _, id := range m.ids {
		if s := m.now(id); s != nil {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *state) int { return key.Compare(b.position(), a.position()) })
	return out
}

// someID returns an id that was used, most often of a comment that is there.
func (m *model) someID(a *act) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.ids) == 0 {
		return "nobody"
	}
	id := ""
	for range 3 {
		if id = m.ids[a.IntN(len(m.ids))]; m.now(id) != nil {
			break
		}
	}
	return id
}

// story describes all changes of a comment.
func (m *model) story(id string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, mo := range m.comments[id] {
		projected := "not projected"
		if !mo.projected.IsZero() {
			projected = "projected at " + mo.projected.Sub(m.h.began).String()
		}
		fmt.Fprintf(&b, "%14s  %s  by %s, %s in %s\n", mo.at.Sub(m.h.began), mo.after, mo.by, projected, mo.shard)
	}
	return b.String()
}
