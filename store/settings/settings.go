package settings

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/read/cache"
	"product-comments/store/read/shared"
	"product-comments/store/table"
)

// Settings are the settings of a table that every process needs.
type Settings struct {
	State      State
	Generation int       // of the statistics; each rebuild adds one
	Stream     string    // ARN of the stream that the statistics count; empty before the first record
	Created    time.Time // creation time of the table; zero if the table is older than this item
	// PowerSets has the state of the power set, by product id. A power set has an entry of each
	// comment for every set of ratings.
	PowerSets map[string]IndexState
	// PagesFrom is the first generation with page numbers; NoPages for none.
	PagesFrom int
	// Attributes is true if attributes of comments were ever defined.
	Attributes bool
	// Moderated is true if a product ever had its own rules of moderation.
	Moderated bool
	// Endpoints counts the changes of webhook endpoints; 0 if there was never one.
	Endpoints int
	// Weights is the version of the collation weights in attribute indexes, see sortable.Weights;
	// empty without attribute indexes.
	Weights string

	Scoring Scoring
	// Scorings is the number of the current scoring; each change adds one. Ranked is the number of
	// the scoring that all entries of the leaderboard by score follow, 0 if there is none. Both are
	// 0 in a table that was created by hand, until a rebuild.
	Scorings, Ranked int

	Rebuild Rebuild

	// Revision grows with every change; 0 if there is no item.
	Revision int

	unknown table.Item // attributes of later versions, written back unchanged
}

// Rebuild is the rebuild that is under way, or the last one.
type Rebuild struct {
	Began time.Time // beginning of its generation
	By    string    // random id of the claim of the process that rebuilds
	At    time.Time // last renewal of the claim, by the clock of that process
}

// Agrees reports whether two settings are equal apart from the claim of a rebuild, which is renewed
// every few seconds.
func (s Settings) Agrees(o Settings) bool {
	for _, of := range []*Settings{&s, &o} {
		of.Revision, of.Rebuild.By, of.Rebuild.At = 0, "", time.Time{}
	}
	return reflect.DeepEqual(s, o)
}

// Attributes of the item.
const (
	attrFormat     = "format"      // N
	attrState      = "state"       // S
	attrGeneration = "gen"         // N
	attrRevision   = "rev"         // N
	attrStream     = "stream"      // S
	attrCreated    = "created"     // N, seconds since 1970, like the other times
	attrPowerSets  = "powerSets"   // M of S: product id to state
	attrPagesFrom  = "pagesFrom"   // N, absent for 0
	attrAttributes = "attributes"  // BOOL, absent for false
	attrModerated  = "moderated"   // BOOL, absent for false
	attrWeights    = "weights"     // S
	attrMean       = "scoreMean"   // N, thousandths; absent for the default, like the next two
	attrWeight     = "scoreWeight" // N
	attrLeast      = "scoreLeast"  // N
	attrScorings   = "scorings"    // N
	attrRanked     = "ranked"      // N
	attrEndpoints  = "endpoints"   // N, absent for 0
	attrRebuilder  = "rebuilder"   // S
	attrRebuildAt  = "rebuildAt"   // N
	attrRebuilt    = "rebuilt"     // N
)

func primary() table.Item { return table.Key(key.Meta("statistics")) }

// Options are options of the cache of settings. The zero value is ready for use.
type Options struct {
	Age time.Duration // bounds the age of cached settings; 2 seconds if zero
}

// Store reads and changes a table's settings. It is safe for concurrent use.
type Store struct {
	t   *table.Table
	age time.Duration

	reading cache.Flights[struct{}, shared.Outcome[Settings]]
	mu      sync.Mutex
	at      time.Time // when the read of the cached settings began
	known   Settings
}

// New returns the settings of a table.
func New(t *table.Table, o Options) *Store {
	return &Store{t: t, age: cmp.Or(o.Age, 2*time.Second)}
}

// Age returns the maximum age of cached settings, and of cached data that depend on them.
func (s *Store) Age() time.Duration { return s.age }

// SettleTime returns how long after a change every process with the same options knows the
// settings, and has finished the calls that it began under the old ones.
func (s *Store) SettleTime() time.Duration { return 2*s.age + s.t.Timeout() }

// Read reads the settings, strongly consistent. It returns an Unavailable error that wraps a
// FormatError if this version does not serve the table's format.
func (s *Store) Read(ctx context.Context) (Settings, error) {
	at := s.t.Now()
	it, err := s.t.Get(ctx, "the settings", primary())
	if err != nil {
		return Settings{}, err
	}
	if err := s.served(it); err != nil {
		return Settings{}, err
	}
	read, err := parse(it)
	if err != nil {
		return Settings{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if read.Revision >= s.known.Revision { // revisions only grow; a slow answer may be older
		s.at, s.known = at, read
	}
	return read, nil
}

// Recent returns settings that are at most as old as Age, from the cache if possible.
func (s *Store) Recent(ctx context.Context) (Settings, error) {
	s.mu.Lock()
	at, known := s.at, s.known
	s.mu.Unlock()
	if age := s.t.Now().Sub(at); !at.IsZero() && age >= 0 && age < s.age { // a clock may be set back
		return known, nil
	}
	read, err := shared.Once(ctx, &s.reading, struct{}{}, s.Read)
	return read, table.Failed("read the settings", err)
}

// fields are the attributes of the item that are absent for zero values.
func (s *Settings) fields() table.Fields {
	return table.Fields{
		attrGeneration: &s.Generation, attrRevision: &s.Revision, attrStream: &s.Stream, attrCreated: &s.Created,
		attrPagesFrom: &s.PagesFrom, attrAttributes: &s.Attributes, attrModerated: &s.Moderated, attrWeights: &s.Weights,
		attrMean: &s.Scoring.Mean, attrWeight: &s.Scoring.Weight, attrLeast: &s.Scoring.Least,
		attrScorings: &s.Scorings, attrRanked: &s.Ranked, attrEndpoints: &s.Endpoints,
		attrRebuilder: &s.Rebuild.By, attrRebuildAt: &s.Rebuild.At, attrRebuilt: &s.Rebuild.Began,
	}
}

func parse(it table.Item) (Settings, error) {
	out := Settings{State: State(table.Text(it, attrState)), unknown: maps.Clone(it)}
	fields := out.fields()
	if err := table.Read(it, fields); err != nil {
		return out, err
	}
	maps.DeleteFunc(out.unknown, func(name string, _ types.AttributeValue) bool {
		_, known := fields[name]
		return known || slices.Contains([]string{key.PK, key.SK, attrFormat, attrState, attrPowerSets}, name)
	})
	if sets, _ := it[attrPowerSets].(*types.AttributeValueMemberM); sets != nil {
		out.PowerSets = make(map[string]IndexState, len(sets.Value))
		for product := range sets.Value {
			out.PowerSets[product] = IndexState(table.Text(sets.Value, product))
		}
	}
	return out, nil
}

func (s Settings) item() table.Item {
	it := primary()
	maps.Copy(it, s.unknown)
	table.Set(it, s.fields())
	it[attrFormat], it[attrState], it[attrRevision] = table.N(Format), table.S(string(s.State)), table.N(s.Revision)
	if len(s.PowerSets) > 0 {
		sets := table.Item{}
		for product, state := range s.PowerSets {
			sets[product] = table.S(string(state))
		}
		it[attrPowerSets] = &types.AttributeValueMemberM{Value: sets}
	}
	return it
}

// Change reads the settings, calls change to modify them, and writes them. It repeats this if
// another process has changed them in between. change returns false if there is nothing to write.
// It may be called several times, also after a write that took effect although its answer was lost.
// Change returns the settings afterwards, and the error of change.
func (s *Store) Change(ctx context.Context, change func(*Settings) (bool, error)) (Settings, error) {
	return s.ChangeWith(ctx, func(now *Settings) ([]table.Write, bool, error) {
		changed, err := change(now)
		return nil, changed, err
	})
}

// ChangeWith is Change with writes of other items in the same transaction.
func (s *Store) ChangeWith(ctx context.Context, change func(*Settings) ([]table.Write, bool, error)) (Settings, error) {
	ctx = table.Patiently(ctx)
	var now Settings
	err := s.t.Race(ctx, "change the settings", func() (err error) {
		if now, err = s.Read(ctx); err != nil {
			return err
		}
		old := now.Revision
		now.PowerSets = maps.Clone(now.PowerSets)
		more, changed, err := change(&now)
		if err != nil || !changed {
			return err
		}
		now.Revision = old + 1
		put := table.Write{Put: now.item()}.IfRevision(attrRevision, old)
		if err := s.t.WriteAll(ctx, "change the settings", append(more, put)...); err != nil {
			return err
		}
		now, err = s.Read(ctx)
		return err
	})
	return now, err
}

// SetNote stores a note under a name, and replaces the previous one.
func (s *Store) SetNote(ctx context.Context, name, state string) error {
	it := table.Key(key.Meta(name))
	it[attrState] = table.S(state)
	return s.t.Write(ctx, "note the state", table.Write{Put: it})
}

// Note returns the note that was last stored under a name, "" if there is none.
func (s *Store) Note(ctx context.Context, name string) (string, error) {
	it, err := s.t.Get(ctx, "the state", table.Key(key.Meta(name)))
	return table.Text(it, attrState), err
}
