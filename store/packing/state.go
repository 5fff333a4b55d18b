package packing

import (
	"context"
	"time"

	"product-comments/store/key"
	"product-comments/store/table"
)

// state is what the processes that pack know together. The item is read and
// written as a whole.
type state struct {
	by      string    // the process that holds the lease
	held    bool      // the lease is; another process may take over if this is silent for that long
	looked  time.Time // when a table without a dictionary was found to have too few texts
	version int       // the dictionary that the rest is about
	share   float64   // that fresh texts are compared with; 0 is not known yet
	done    bool      // everything was looked at
	after   table.Item
	packed  int // so far

	revision int // 0 if there is no item
}

// stateName is how the item is called among the marks of the settings.
const stateName = "packing"

// Attributes of the item. Times are seconds since 1970.
const (
	attrBy       = "by"      // S
	attrUntil    = "until"   // N, by the clock of the lease's holder; 0 if none
	attrLooked   = "looked"  // N
	attrVersion  = "version" // N
	attrShare    = "share"   // N
	attrDone     = "done"    // BOOL
	attrAfterPK  = "afterPK" // S
	attrAfterSK  = "afterSK" // S
	attrPacked   = "packed"  // N
	attrRevision = "rev"     // N
)

const shareDigits = 10_000 // by which a share is multiplied

// lease is how long a process may be silent before another one takes over, by the clock
// of that. It trains and writes a stretch in much less.
const lease = 2 * time.Minute

// read reads the state.
func (p *Packing) read(ctx context.Context) (state, error) {
	it, err := p.t.Get(ctx, "the progress of compression", table.Key(key.Meta(stateName)))
	if err != nil {
		return state{}, err
	}
	s := state{by: table.Text(it, attrBy), done: table.IsTrue(it, attrDone)}
	var until, looked, share int
	err = table.Numbers(it, map[string]*int{
		attrUntil: &until, attrLooked: &looked, attrVersion: &s.version, attrShare: &share, attrPacked: &s.packed,
		attrRevision: &s.revision,
	})
	s.held, s.looked, s.share = until > 0, time.Unix(int64(looked), 0), float64(share)/shareDigits
	if pk := table.Text(it, attrAfterPK); pk != "" {
		s.after = table.KeyOf(pk, table.Text(it, attrAfterSK))
	}
	if err == nil {
		p.remember(s)
	}
	return s, err
}

// save writes the state, and holds the lease or lets it go, instead of what was read. ok is
// false if another process has written it since: then that one is at it.
func (p *Packing) save(ctx context.Context, s *state, hold bool) (ok bool, err error) {
	s.by, s.held = p.name, hold
	until := 0
	if hold {
		until = int(p.t.Now().Add(lease).Unix())
	}
	it := table.Key(key.Meta(stateName))
	it[attrBy], it[attrUntil], it[attrLooked] = table.S(s.by), table.N(until), table.N(int(s.looked.Unix()))
	it[attrVersion], it[attrShare], it[attrPacked] = table.N(s.version), table.N(int(s.share*shareDigits)),
		table.N(s.packed)
	it[attrDone] = table.Bool(s.done)
	if s.after != nil {
		it[attrAfterPK], it[attrAfterSK] = s.after[key.PK], s.after[key.SK]
	}
	s.revision, ok, err = p.t.Note(ctx, "store the progress of compression", it, attrRevision, s.revision)
	if ok {
		p.remember(*s)
	}
	return ok, err
}

// remember keeps the state as last seen.
func (p *Packing) remember(s state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.asked = s, true
	p.leases.See(p.t.Now(), s.revision)
}

// taken reports whether another process is at it.
func (p *Packing) taken(s state) bool {
	return s.held && s.by != p.name && p.leases.Age(p.t.Now(), s.revision) < lease
}
