// Package attrstats keeps statistics of the attributes of comments: for each product
// and language, and each attribute, a summary of its values.
//
//	writers ─▶ Change:  what a write changes, for this process to count by itself
//	stream  ─▶ Sums:    what changes of comments add and take away (index.Sums)
//	readers ◀─ Of
//
// The attributes of a product are divided among key.SummaryParts items, and as many for each
// language. What a comment adds is a function of its item and of the version of the
// definitions that this names, whatever the definitions are by now: so what was added
// is taken away exactly, and a change of definitions is carried on comment by comment.
//
// Package summary has the arithmetic.
package attrstats

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pending"
	"product-comments/store/settings"
	"product-comments/store/summary"
	"product-comments/store/table"
)

// Definitions returns the definitions of a comment's attributes.
type Definitions interface {
	// DefinitionsAt returns the definitions that a version names. An empty version names none.
	DefinitionsAt(ctx context.Context, product, version string) (*attributes.Definitions, error)
}

// Summaries reads and maintains the attribute statistics of a table. It is safe for concurrent use, and implements
// index.Sums.
type Summaries struct {
	t           *table.Table
	settings    *settings.Store
	definitions Definitions
	pending     *pending.Log
}

// New returns the summaries of a table, for a process that has made some writes.
func New(t *table.Table, s *settings.Store, d Definitions, log *pending.Log) *Summaries {
	return &Summaries{t: t, settings: s, definitions: d, pending: log}
}

// Key names an item: a part of a product's attributes, in the comments of a language,
// or of any if it is empty.
type Key struct {
	ProductID, Language string
	Part                int
}

// KeyOf returns the key of an attribute's summary.
func KeyOf(product, language, attribute string) Key {
	return Key{product, language, key.SummaryPart(attribute)}
}

func (k Key) primary() index.Key {
	return index.Key{PK: key.Product(k.ProductID), SK: key.SummariesSK(k.Part, k.Language)}
}

// attrSummaries is what an item has besides its keys and its index.Head. An item that
// counts nothing does not exist.
const attrSummaries = "of" // M of B: by the key of the attribute, see summary.Parse

// stored is an item as read.
type stored struct {
	index.Head
	byAttribute map[string]summary.Summary // by the key of the attribute
}

func parse(it table.Item) (s stored, err error) {
	if it == nil {
		return s, nil
	}
	if s.Head, err = index.ParseHead(it); err != nil {
		return s, err
	}
	m, _ := it[attrSummaries].(*types.AttributeValueMemberM)
	if m == nil {
		return s, table.Damaged(it, errs.Errorf(errs.Internal, "it has no %s", attrSummaries))
	}
	s.byAttribute = make(map[string]summary.Summary, len(m.Value))
	for attribute := range m.Value {
		if s.byAttribute[attribute], err = summary.Parse(table.Bytes(m.Value, attribute)); err != nil {
			return s, table.Damaged(it, err)
		}
	}
	return s, nil
}

// atGeneration returns the summaries as seen in a generation: summaries of an older generation
// count nothing.
func (s stored) atGeneration(generation int) map[string]summary.Summary {
	if s.Generation < generation {
		return nil
	}
	return s.byAttribute
}

// sum is what changes add to an item, or take away, by the key of the attribute.
type sum map[string]summary.Summary

// Add implements index.Sum.
func (c sum) Add(o index.Sum) {
	for attribute, s := range o.(sum) {
		c[attribute] = c[attribute].Plus(s)
	}
}

// IsZero implements index.Sum.
func (c sum) IsZero() bool {
	maps.DeleteFunc(c, func(_ string, s summary.Summary) bool { return s.IsZero() })
	return len(c) == 0
}

// Apply implements index.Sum.
func (c sum) Apply(_ context.Context, now settings.Settings, it *index.SumItem) error {
	read, err := parse(it.Was)
	if err != nil {
		return err
	}
	old, to := read.atGeneration(now.Generation), table.Item{}
	for attribute, one := range old {
		to[attribute] = table.B(one.Bytes())
	}
	for attribute, change := range c {
		after, err := old[attribute].After(change)
		if err != nil {
			return fmt.Errorf("%s, %s: the statistics of attribute %q: %w", it.At.PK, it.At.SK, attribute, err)
		}
		if to[attribute] = table.B(after.Bytes()); after.IsZero() {
			delete(to, attribute)
		}
	}
	it.Put, it.Zero = it.At.Item(key.Table), len(to) == 0
	it.Put[attrSummaries] = &types.AttributeValueMemberM{Value: to}
	return nil
}

// Diff implements index.Sum.
func (c sum) Diff(_ context.Context, now settings.Settings, it *index.SumItem) (differences []string, err error) {
	read, err := parse(it.Was)
	has, all := read.atGeneration(now.Generation), maps.Clone(map[string]summary.Summary(c))
	maps.Copy(all, has)
	for _, attribute := range slices.Sorted(maps.Keys(all)) {
		if a, b := has[attribute], c[attribute]; !a.Same(b) {
			differences = append(differences, fmt.Sprintf("of attribute %q it counts %s, the comments have %s", attribute, spell(a), spell(b)))
		}
	}
	return differences, err
}

func spell(s summary.Summary) string {
	return fmt.Sprintf("%d numbers with the sum %s, choices %v, %d others, %v", s.Numbers, s.Sum, s.Choices, s.Others,
		s.Histogram())
}

// Read reads the summaries of keys, in their order, each by the key of the attribute,
// at the price of an item; at most 100 are one call. They follow comments within
// moments, and count what this process wrote and was acknowledged. It returns an Unavailable
// error if the store does not answer, or if what is derived is not kept: they are never silently wrong.
func (s *Summaries) Read(ctx context.Context, keys []Key) ([]map[string]summary.Summary, error) {
	out := make([]map[string]summary.Summary, len(keys))
	err := index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		at, read := make([]index.Key, len(keys)), map[index.Key]stored{}
		for i, p := range keys {
			at[i] = p.primary()
		}
		err = index.ReadSums(ctx, s.t, at, false, func(at index.Key, it table.Item) (err error) {
			read[at], err = parse(it)
			return err
		})
		if err != nil {
			return false, err
		}
		for i, p := range keys {
			newer = newer || read[at[i]].Generation > now.Generation
			if out[i], err = s.withPending(ctx, p, read[at[i]], now.Generation); err != nil {
				return newer, err
			}
		}
		return newer, nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// withPending returns the summaries of a place with this process's writes that they do not
// count yet. It returns an Unavailable error if the store does not answer.
func (s *Summaries) withPending(ctx context.Context, at Key, of stored,
	generation int) (map[string]summary.Summary, error) {
	counted := of.atGeneration(generation)
	writes := s.pending.Unprojected(at.ProductID, of.NamesAs(generation), s.t.Now())
	if len(writes) == 0 {
		return counted, nil
	}
	out := make(map[string]summary.Summary, len(counted)+1)
	maps.Copy(out, counted)
	for _, w := range writes {
		before, after := w.Shown()
		changed, err := s.Change(ctx, countedIn(generation, before), countedIn(generation, after))
		if err != nil {
			return nil, err
		}
		for _, v := range changed {
			if v.Language == at.Language && key.SummaryPart(v.Attribute) == at.Part {
				out[v.Attribute] = out[v.Attribute].With(v.Value, v.Taken)
			}
		}
	}
	return out, nil
}

// counted returns the values of a comment's attributes as they are counted, by the
// definitions under which it was written.
func (s *Summaries) counted(ctx context.Context, c *item.Stored) (map[string]summary.Value, error) {
	if c == nil || c.Defined == "" || len(c.Attributes) == 0 {
		return nil, nil
	}
	d, err := s.definitions.DefinitionsAt(ctx, c.ProductID, c.Defined)
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
