package attributes

import (
	"cmp"
	"context"
	"time"

	"product-comments/internal/cache"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options change how definitions are remembered. The zero value is ready for use.
type Options struct {
	Age   time.Duration // how old it may be which definitions a product has; 2 seconds if zero
	Bytes int64         // the most memory that definitions take; 32 MB if zero
}

// knownScopes is of how many products and groups it is remembered what they have.
const knownScopes = 16384

// Store reads and changes the definitions of a table, and remembers them. It is safe
// for concurrent use.
type Store struct {
	t        *table.Table
	settings *settings.Store
	age      time.Duration

	states    *cache.Recent[Scope, dated]
	looking   cache.Flights[Scope, reads.Outcome[scopeState]]
	effective *cache.Cache[effectiveKey, *Definitions]
	loading   cache.Flights[effectiveKey, reads.Outcome[*Definitions]]
}

type dated struct {
	scopeState
	at time.Time // when the read began
}

// effectiveKey names definitions for ever. Those that a product has from its group
// alone are the same for all of the group.
type effectiveKey struct {
	product string // empty if it has none of its own
	version string
}

// none are the definitions of a product without any.
var none = &Definitions{}

// New returns the definitions of a table.
func New(t *table.Table, s *settings.Store, o Options) *Store {
	return &Store{
		t: t, settings: s, age: cmp.Or(o.Age, 2*time.Second), states: cache.NewRecent[Scope, dated](knownScopes, nil),
		effective: cache.New(cache.Options[effectiveKey, *Definitions]{
			MaxBytes: cmp.Or(o.Bytes, 32<<20), Now: t.Clock(),
			Size: func(k effectiveKey, d *Definitions) int { return len(k.product) + len(k.version) + d.size() },
		}),
	}
}

// Definitions returns the definitions of a product as they were not longer ago than Age. In a
// table where none were ever defined it reads nothing. It returns an Unavailable
// error if the store does not answer.
func (s *Store) Definitions(ctx context.Context, product string) (*Definitions, error) {
	known, err := s.settings.Recent(ctx)
	if err != nil || !known.Attributes {
		return none, err
	}
	return s.definitions(ctx, product, s.recent)
}

// Prefetch reads which definitions products have, many with one call, so that Of knows it for
// as long as Age. In a table where none were ever defined it reads nothing. It returns an
// Unavailable error if the store does not answer.
func (s *Store) Prefetch(ctx context.Context, products []string) error {
	known, err := s.settings.Recent(ctx)
	if err != nil || !known.Attributes {
		return err
	}
	at := s.t.Now()
	scopes, read := map[string]Scope{}, map[string]scopeState{} // by partition key
	for _, product := range products {
		of := Scope{Product: product}
		if _, ok := s.remembered(of); !ok {
			scopes[of.pk()] = of
		}
	}
	keys := make([]table.Item, 0, len(scopes))
	for _, of := range scopes {
		keys = append(keys, of.stateKey())
	}
	err = s.t.GetMany(ctx, keys, true, func(it table.Item) (err error) {
		read[table.Text(it, key.PK)], err = parseScopeState(it)
		return err
	})
	if err != nil {
		return err
	}
	for pk, of := range scopes {
		s.states.Add(of, dated{read[pk], at})
	}
	return nil
}

// CurrentDefinitions returns the definitions of a product as they are, strongly consistent. It returns
// an Unavailable error if the store does not answer.
func (s *Store) CurrentDefinitions(ctx context.Context, product string) (*Definitions, error) {
	return s.definitions(ctx, product, s.read)
}

// definitions returns the definitions of a product, given how to read what a scope has.
func (s *Store) definitions(ctx context.Context, product string, read func(context.Context, Scope) (scopeState, error)) (*Definitions, error) {
	own, err := read(ctx, Scope{Product: product})
	if err != nil {
		return nil, err
	}
	r := revisions{own: own.revision, assigned: own.assigned, group: own.group}
	if own.group != "" {
		inherited, err := read(ctx, Scope{Group: own.group})
		if err != nil {
			return nil, err
		}
		r.inherited = inherited.revision
	}
	return s.DefinitionsAt(ctx, product, r.version())
}

// DefinitionsAt returns the definitions that a version names, which never change. It returns an
// Internal error for what is no version of the product, and Unavailable if the store
// does not answer.
func (s *Store) DefinitionsAt(ctx context.Context, product, version string) (*Definitions, error) {
	if version == "" {
		return none, nil
	}
	r, ok := parseVersion(version)
	if !ok {
		return nil, errs.Errorf(errs.Internal, "%q is not a version of attribute definitions", version)
	}
	k := effectiveKey{product, version}
	if r.own == 0 {
		k.product = ""
	}
	if d, ok := s.effective.Get(k); ok {
		return d, nil
	}
	load := func(ctx context.Context) (*Definitions, error) {
		own, err := s.list(ctx, Scope{Product: product}, r.own)
		if err != nil {
			return nil, err
		}
		inherited, err := s.list(ctx, Scope{Group: r.group}, r.inherited)
		if err != nil {
			return nil, err
		}
		d := Effective(version, own, r.group, inherited)
		s.effective.Set(k, d, s.t.Now().Add(keptFor))
		return d, nil
	}
	d, err := reads.Once(ctx, &s.loading, k, load)
	if err != nil && table.IsPatient(ctx) && ctx.Err() == nil { // the process that began the read may not have been
		return load(ctx)
	}
	return d, table.Failed("read the definitions of attributes", err)
}

// keptFor is how long definitions are kept in memory that is not requested again.
const keptFor = time.Hour

// recent returns what a scope has, as it was not longer ago than Age.
func (s *Store) recent(ctx context.Context, of Scope) (scopeState, error) {
	if st, ok := s.remembered(of); ok {
		return st, nil
	}
	st, err := reads.Once(ctx, &s.looking, of, func(ctx context.Context) (scopeState, error) { return s.read(ctx, of) })
	if err != nil && table.IsPatient(ctx) && ctx.Err() == nil { // see DefinitionsAt
		return s.read(ctx, of)
	}
	return st, table.Failed("read the definitions of attributes", err)
}

// remembered returns what a scope had not longer ago than Age, if that is known.
func (s *Store) remembered(of Scope) (scopeState, bool) {
	d, ok := s.states.Get(of)
	age := s.t.Now().Sub(d.at)
	return d.scopeState, ok && age >= 0 && age < s.age // a clock may be set back
}

// read reads what a scope has, strongly consistent.
func (s *Store) read(ctx context.Context, of Scope) (scopeState, error) {
	at := s.t.Now()
	it, err := s.t.Get(ctx, "the definitions of attributes", of.stateKey())
	if err != nil {
		return scopeState{}, err
	}
	st, err := parseScopeState(it)
	if err == nil {
		s.states.Add(of, dated{st, at})
	}
	return st, err
}

// list reads a revision of the definitions of a scope; 0 has none.
func (s *Store) list(ctx context.Context, of Scope, revision int) ([]Definition, error) {
	if revision == 0 {
		return nil, nil
	}
	it, err := s.t.Get(ctx, "the definitions of attributes", table.KeyOf(of.pk(), key.AttributesRevisionSK(revision)))
	if err != nil {
		return nil, err
	}
	if it == nil {
		return nil, errs.Errorf(errs.Internal, "the table lacks revision %d of the definitions of attributes of %s", revision, of)
	}
	return parseList(it)
}
