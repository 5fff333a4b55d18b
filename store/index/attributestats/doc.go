// Package attributestats maintains the attribute statistics: for each product and language, the sums and
// the histogram of each attribute's values. All methods that call the store return an Unavailable
// error if the store does not answer.
//
//	stream  ─▶ Sums: the effects of changes of comments (index.Sums)
//	readers ◀─ Read
//
// The attributes of a product are divided among key.SummaryParts items, and those of each language
// among as many more. A comment's contribution is a function of its item and of the version of
// definitions in the item, independent of the current definitions. So exactly the counted values
// are removed later, and a change of definitions takes effect comment by comment.
//
// Package summary has the arithmetic.
package attributestats

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/derive/pending"
	"product-comments/store/errs"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/table"
)

// Statistics reads and maintains the attribute statistics of a table. It is safe for concurrent
// use, and implements index.Sums.
type Statistics struct {
	t           *table.Table
	settings    *settings.Store
	definitions *definitions.Store
	pending     *pending.Log
}

// New returns the attribute statistics of a table. The log has this process's writes.
func New(t *table.Table, s *settings.Store, d *definitions.Store, log *pending.Log) *Statistics {
	return &Statistics{t: t, settings: s, definitions: d, pending: log}
}

// Attribute names an attribute of a product's comments in a language, or in any if it is empty.
type Attribute struct{ ProductID, Language, Key string }

// item returns the key of the item that has the attribute's statistics.
func (a Attribute) item() index.Key {
	return index.Key{PK: key.Product(a.ProductID), SK: key.SummariesSK(key.SummaryPart(a.Key), a.Language)}
}

// attrSummaries is an item's only attribute besides its keys and its index.Head. There is no item
// for counts of zero.
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

// atGeneration returns the statistics that a generation sees: an item of an older generation counts
// nothing.
func (s stored) atGeneration(generation int) map[string]summary.Summary {
	if s.Generation < generation {
		return nil
	}
	return s.byAttribute
}

// sum is a change of an item's statistics, by the key of the attribute.
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

// Read reads the statistics of attributes, in their order. It costs a read of each item that has some
// of them; up to 100 items are one call. The statistics follow comments within moments, and include
// acknowledged writes of this process. If the statistics are not maintained, Read returns an
// Unavailable error: it never returns wrong numbers.
func (s *Statistics) Read(ctx context.Context, of []Attribute) ([]summary.Summary, error) {
	out := make([]summary.Summary, len(of))
	err := index.Newest(ctx, s.settings, func(now settings.Settings) (newer bool, err error) {
		at, read := make([]index.Key, len(of)), map[index.Key]stored{}
		for i, a := range of {
			at[i] = a.item()
		}
		err = index.ReadSums(ctx, s.t, at, false, func(at index.Key, it table.Item) (err error) {
			read[at], err = parse(it)
			return err
		})
		if err != nil {
			return false, err
		}
		for i, a := range of {
			newer = newer || read[at[i]].Generation > now.Generation
			if out[i], err = s.withPending(ctx, a, read[at[i]], now.Generation); err != nil {
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

// withPending returns the statistics of an attribute together with this process's pending writes.
func (s *Statistics) withPending(ctx context.Context, of Attribute, in stored, generation int) (summary.Summary, error) {
	counted := in.atGeneration(generation)[of.Key]
	for _, w := range s.pending.Unprojected(of.ProductID, in.NamesAs(generation), s.t.Now()) {
		before, after := w.Shown()
		was, err := s.valueIn(ctx, of, countedIn(generation, before))
		if err != nil {
			return counted, err
		}
		is, err := s.valueIn(ctx, of, countedIn(generation, after))
		if err != nil {
			return counted, err
		}
		if was != nil && is != nil && *was == *is {
			continue
		}
		if was != nil {
			counted = counted.With(*was, true)
		}
		if is != nil {
			counted = counted.With(*is, false)
		}
	}
	return counted, nil
}

// valueIn returns the value that an attribute's statistics count of a comment, nil for none.
func (s *Statistics) valueIn(ctx context.Context, of Attribute, c *item.Stored) (*summary.Value, error) {
	values, err := s.counted(ctx, c)
	if v, ok := values[of.Key]; ok && (of.Language == "" || of.Language == c.Language) {
		return &v, err
	}
	return nil, err
}

// counted returns the values of a comment's attributes for statistics, by the definitions under
// which the comment was written.
func (s *Statistics) counted(ctx context.Context, c *item.Stored) (map[string]summary.Value, error) {
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
