// Package summaries keeps statistics of the attributes of comments: for each product
// and language, and each attribute, a summary of its values.
//
//	writers ─▶ Change:  what a write changes, for this process to count by itself
//	stream  ─▶ Gather:  what changes of comments add and take away (projector.Derived)
//	readers ◀─ Of
//
// The attributes of a product are dealt to key.SummaryParts items, and as many for each
// language. What a comment adds is a function of its item and of the version of the
// definitions that this names, whatever the definitions are by now: so what was added
// is taken away exactly, and a change of definitions is carried on comment by comment.
//
// Package summary has the arithmetic.
package summaries

import (
	"context"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/own"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// Definitions tell what the attributes of a comment are.
type Definitions interface {
	// At returns the definitions that a version names; those of an empty one are none.
	At(ctx context.Context, product, version string) (*attributes.Definitions, error)
}

// Summaries are those of a table. They are safe for concurrent use, and satisfy
// projector.Derived.
type Summaries struct {
	projector.Idle
	t           *table.Table
	settings    *settings.Store
	definitions Definitions
	own         *own.Writes
}

// New returns the summaries of a table, for a process that has made some writes.
func New(t *table.Table, s *settings.Store, d Definitions, own *own.Writes) *Summaries {
	return &Summaries{t: t, settings: s, definitions: d, own: own}
}

// Place names an item: a part of a product's attributes, in the comments of a language,
// or of any if it is empty.
type Place struct {
	ProductID, Language string
	Part                int
}

// PlaceOf returns the place of an attribute's summary.
func PlaceOf(product, language, attribute string) Place {
	return Place{product, language, key.SummaryPart(attribute)}
}

func (p Place) primary() table.Item {
	return table.KeyOf(key.Product(p.ProductID), key.SummariesSK(p.Part, p.Language))
}

func placeOf(it table.Item) (p Place, ok bool) {
	product, ok := key.ProductID(table.Text(it, key.PK))
	if !ok {
		return p, false
	}
	part, language, ok := key.ParseSummariesSK(table.Text(it, key.SK))
	return Place{product, language, part}, ok
}

// Attributes of an item beside its keys. An item that counts nothing does not exist.
const (
	attrSummaries = "of"    // M of B: by the key of the attribute, see summary.Parse
	attrRevision  = "rev"   // N, another one with every change
	attrGen       = "gen"   // N, the generation of what is derived; absent for 0
	attrNames     = "names" // B, an own.Set: the names of the last writes that it counts
)

// zeroKept is for how long an item that counts nothing stays for the names that it
// holds: for longer than anybody asks for one.
const zeroKept = 7 * own.Age

// stored is an item as it was read.
type stored struct {
	of         map[string]summary.Summary // by the key of the attribute
	revision   int                        // 0 if there is no item
	generation int
	names      own.Set // of the writes that it counts
}

func parse(it table.Item) (s stored, err error) {
	if err := table.Numbers(it, map[string]*int{attrRevision: &s.revision, attrGen: &s.generation}); err != nil {
		return s, err
	}
	m, _ := it[attrSummaries].(*types.AttributeValueMemberM)
	if m == nil {
		return s, table.Damaged(it, errs.Errorf(errs.Internal, "it has no %s", attrSummaries))
	}
	s.of = make(map[string]summary.Summary, len(m.Value))
	for attribute := range m.Value {
		if s.of[attribute], err = summary.Parse(table.Bytes(m.Value, attribute)); err != nil {
			return s, table.Damaged(it, err)
		}
	}
	if _, ok := it[attrNames]; ok {
		if s.names, err = own.ParseSet(table.Bytes(it, attrNames)); err != nil {
			return s, table.Damaged(it, err)
		}
	}
	return s, nil
}

// as returns the summaries as a generation sees them: those of an older one count
// nothing.
func (s stored) as(generation int) map[string]summary.Summary {
	if s.generation < generation {
		return nil
	}
	return s.of
}

// namesAs returns the names of writes that are in the summaries as a generation sees
// them.
func (s stored) namesAs(generation int) own.Set {
	if s.generation < generation {
		return own.Set{}
	}
	return s.names
}

// write returns the change of an item to other summaries with the names of writes that
// they count, on the condition that it is still as it was read. Without any summary
// there is no item, unless it holds names; then it expires after a time.
func (s *Summaries) write(at Place, old stored, to map[string]summary.Summary, names own.Set, generation int) table.Write {
	if len(to) == 0 && names.IsEmpty() {
		w := table.Write{Key: at.primary(), Delete: old.revision > 0} // nothing there, nothing to be there: hold that
		return w.IfRevision(attrRevision, old.revision)
	}
	it := at.primary()
	m := make(table.Item, len(to))
	for attribute, one := range to {
		m[attribute] = table.B(one.Bytes())
	}
	it[attrSummaries] = &types.AttributeValueMemberM{Value: m}
	it[attrRevision] = table.N(s.t.Random().NextRevision(old.revision))
	it[attrNames] = table.B(names.Bytes())
	if len(to) == 0 {
		it[item.AttrExpires] = table.N(int(s.t.Now().Add(zeroKept).Unix()))
	}
	if generation > 0 {
		it[attrGen] = table.N(generation)
	}
	return table.Write{Put: it}.IfRevision(attrRevision, old.revision)
}

// read reads the items of places, those that exist.
func (s *Summaries) read(ctx context.Context, places []Place, consistent bool) (map[Place]stored, error) {
	keys := make([]table.Item, len(places))
	for i, p := range places {
		keys[i] = p.primary()
	}
	out := make(map[Place]stored, len(places))
	var damage error
	err := s.t.GetMany(ctx, keys, consistent, func(it table.Item) {
		p, _ := placeOf(it) // it was asked for
		one, err := parse(it)
		if err != nil {
			damage = err
		}
		out[p] = one
	})
	if err == nil {
		err = damage
	}
	return out, err
}

// Of reads the summaries of places, in their order, each by the key of the attribute,
// at the price of an item; at most 100 are one call. They follow comments within
// moments, and count what this process wrote and was acknowledged. It returns an Unavailable error if the store does not answer, or if what is
// derived is not kept: they are never silently wrong.
func (s *Summaries) Of(ctx context.Context, places []Place) ([]map[string]summary.Summary, error) {
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return nil, err
	}
	for refreshed := false; ; refreshed = true {
		if err := now.Trusted(); err != nil {
			return nil, err
		}
		read, err := s.read(ctx, unique(places), false)
		if err != nil {
			return nil, err
		}
		newer := false
		out := make([]map[string]summary.Summary, len(places))
		for i, p := range places {
			newer = newer || read[p].generation > now.Generation
			out[i] = s.withOwn(p, read[p], now.Generation)
		}
		if !newer {
			return out, nil
		}
		if refreshed {
			return nil, errs.Errorf(errs.Unavailable, "The statistics have just been rebuilt, try again")
		}
		// Somebody counts anew already: what this process remembers is outdated.
		if now, err = s.settings.Read(ctx); err != nil {
			return nil, err
		}
	}
}

// withOwn returns the summaries of a place with this process's own writes that they do
// not count yet.
func (s *Summaries) withOwn(at Place, of stored, generation int) map[string]summary.Summary {
	here := func(v *own.Value) bool { return v.Language == at.Language && key.SummaryPart(v.Attribute) == at.Part }
	counted := of.as(generation)
	uncounted := s.own.UncountedValues(at.ProductID, here, of.namesAs(generation), generation, s.t.Now())
	if len(uncounted) == 0 {
		return counted
	}
	out := make(map[string]summary.Summary, len(counted)+1)
	maps.Copy(out, counted)
	for _, v := range uncounted {
		out[v.Attribute] = out[v.Attribute].With(v.Value, v.Taken)
	}
	return out
}

func unique(places []Place) []Place {
	seen := make(map[Place]bool, len(places))
	out := make([]Place, 0, len(places))
	for _, p := range places {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}

// counted returns the values of a comment's attributes as they are counted, by the
// definitions under which it was written.
func (s *Summaries) counted(ctx context.Context, c *item.Stored) (map[string]summary.Value, error) {
	if c == nil || c.Defined == "" || len(c.Attributes) == 0 {
		return nil, nil
	}
	d, err := s.definitions.At(ctx, c.ProductID, c.Defined)
	if err != nil {
		return nil, err
	}
	values := d.Values(c.Attributes)
	out := make(map[string]summary.Value, len(values))
	for _, v := range values {
		out[v.Key] = valueOf(v)
	}
	return out, nil
}
