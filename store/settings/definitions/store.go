package definitions

import (
	"context"
	"time"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/cache"
	"product-comments/store/read/shared"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// The bounds of the caches.
const (
	knownScopes      = 16384    // states of products and groups
	definitionsBytes = 32 << 20 // of memory that definitions take
)

// Store reads, caches and changes the definitions of a table. It is safe for concurrent use.
type Store struct {
	t        *table.Table
	settings *settings.Store
	backfill Backfill

	states    *cache.Recent[Scope, dated]
	looking   cache.Flights[Scope, shared.Outcome[scopeState]]
	effective *cache.Cache[effectiveKey, *attributes.Definitions]
	loading   cache.Flights[effectiveKey, shared.Outcome[*attributes.Definitions]]
}

type dated struct {
	scopeState
	at time.Time // when the read began
}

// effectiveKey identifies cached definitions. Products without own definitions share the ones
// of their group.
type effectiveKey struct {
	product string // empty if the product has no own definitions
	version string
}

// none has no definitions.
var none = &attributes.Definitions{}

// Backfill returns the write that begins a backfill of the comments of a scope, which is named by its
// partition. It belongs into the transaction that changes what the comments are written under.
type Backfill func(scope string) table.Write

// New returns the store of a table's definitions. It caches a product's version for the time of the
// settings' cache.
func New(t *table.Table, s *settings.Store, backfill Backfill) *Store {
	return &Store{
		t: t, settings: s, backfill: backfill, states: cache.NewRecent[Scope, dated](knownScopes, nil),
		effective: cache.New(cache.Options[effectiveKey, *attributes.Definitions]{
			MaxBytes: definitionsBytes, Now: t.Clock(),
			Size: func(k effectiveKey, d *attributes.Definitions) int { return len(k.product) + len(k.version) + d.Size() },
		}),
	}
}

// Definitions returns the definitions of a product, at most Age old. It reads nothing in a table
// that never had definitions.
func (s *Store) Definitions(ctx context.Context, product string) (*attributes.Definitions, error) {
	known, err := s.settings.Recent(ctx)
	if err != nil || !known.Attributes {
		return none, err
	}
	return s.definitions(ctx, product, s.recent)
}

// Prefetch reads the versions of many products with one call, for later calls of Definitions within
// Age. It reads nothing in a table that never had definitions.
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

// CurrentDefinitions returns the definitions of a product, strongly consistent.
func (s *Store) CurrentDefinitions(ctx context.Context, product string) (*attributes.Definitions, error) {
	return s.definitions(ctx, product, s.read)
}

// definitions returns the definitions of a product; read returns the state of a scope.
func (s *Store) definitions(ctx context.Context, product string,
	read func(context.Context, Scope) (scopeState, error)) (*attributes.Definitions, error) {
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

// Stamp marks a comment as written under the current definitions of its product.
func (s *Store) Stamp(ctx context.Context, c *item.Stored) error {
	d, err := s.Definitions(ctx, c.ProductID)
	if err != nil {
		return err
	}
	d.Stamp(c)
	return nil
}

// DefinitionsAt returns the definitions of a version, which never change. It returns an Internal
// error for an invalid version.
func (s *Store) DefinitionsAt(ctx context.Context, product, version string) (*attributes.Definitions, error) {
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
	d, err := shared.Once(ctx, &s.loading, k, func(ctx context.Context) (*attributes.Definitions, error) {
		own, err := s.list(ctx, Scope{Product: product}, r.own)
		if err != nil {
			return nil, err
		}
		inherited, err := s.list(ctx, Scope{Group: r.group}, r.inherited)
		if err != nil {
			return nil, err
		}
		d := attributes.Effective(version, own, r.group, inherited)
		s.effective.Set(k, d, s.t.Now().Add(keptFor))
		return d, nil
	})
	return d, table.Failed("read the definitions of attributes", err)
}

// keptFor is how long unused definitions stay in memory.
const keptFor = time.Hour

// recent returns the state of a scope, at most Age old.
func (s *Store) recent(ctx context.Context, of Scope) (scopeState, error) {
	if st, ok := s.remembered(of); ok {
		return st, nil
	}
	st, err := shared.Once(ctx, &s.looking, of, func(ctx context.Context) (scopeState, error) { return s.read(ctx, of) })
	return st, table.Failed("read the definitions of attributes", err)
}

// remembered returns the cached state of a scope, if it is at most Age old.
func (s *Store) remembered(of Scope) (scopeState, bool) {
	d, ok := s.states.Get(of)
	age := s.t.Now().Sub(d.at)
	return d.scopeState, ok && age >= 0 && age < s.settings.Age() // a clock may be set back
}

// read reads the state of a scope, strongly consistent.
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

// list reads a revision of the definitions of a scope; revision 0 is empty.
func (s *Store) list(ctx context.Context, of Scope, revision int) ([]attributes.Definition, error) {
	if revision == 0 {
		return nil, nil
	}
	it, err := s.t.Get(ctx, "the definitions of attributes", table.KeyOf(of.pk(), key.AttributesRevisionSK(revision)))
	if err != nil {
		return nil, err
	}
	if it == nil {
		return nil, errs.Errorf(errs.Internal, "the table lacks revision %d of the definitions of attributes of %s",
			revision, of)
	}
	return parseList(it)
}
