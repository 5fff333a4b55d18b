package index

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sync/atomic"
	"unique"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Entry is an entry of an index, as a Verifier compares it.
type Entry struct {
	Unit   string // the part of the subject that is reported by itself, such as a column
	Digest uint64 // of what the entry says; any number if its unit says all
	N      int    // how often it is demanded; of an item that is the entry, how often negative
}

// EachItem is called with items; comment is nil unless the item is one.
type EachItem = func(it table.Item, comment *item.Stored) error

// Entries are what a Verifier needs to know of an index whose items are entries.
type Entries struct {
	About string // what subjects are: product, or user
	Kind  string // names the entries in a report; empty if they are not counted
	// Shared is true if subjects have units of the same names.
	Shared bool

	// Subject returns of which subject an item demands entries, or is one; "" of none.
	Subject func(it table.Item, comment *item.Stored) string
	// Of returns the entries that such an item demands under these settings, or is.
	Of func(ctx context.Context, now settings.Settings, it table.Item, comment *item.Stored) ([]Entry, error)
	// Sources calls each with the items that demand entries of a subject now, and with
	// the entries if they come with them. Where no list has them, units are what the scan
	// saw of the subject. Other items are ignored.
	Sources func(ctx context.Context, subject string, units []string, each EachItem) error
	// Found calls each with the entries that are in units now; nil if Sources does.
	// Other items are ignored.
	Found func(ctx context.Context, subject string, units []string, each EachItem) error
	// Name returns how differences name a unit.
	Name func(unit string) string
}

// OfProducts returns the Subject of entries of products: the product of a comment that is
// published, and of another item what is parsed from its partition key.
func OfProducts(parse func(pk string) (product string)) func(table.Item, *item.Stored) string {
	return func(it table.Item, comment *item.Stored) string {
		if product := Published(comment); product != "" {
			return product
		}
		return parse(table.Text(it, key.PK))
	}
}

// Published returns the product of a comment that is published, "" of any other or none.
func Published(comment *item.Stored) string {
	if comment = comment.OrHidden(); comment == nil {
		return ""
	}
	return comment.ProductID
}

// ByID returns the Sources of entries whose units are ids of the comments that demand them.
func ByID(t *table.Table) func(context.Context, string, []string, EachItem) error {
	return func(ctx context.Context, _ string, ids []string, each EachItem) error {
		return item.EachOf(ctx, t, ids, each)
	}
}

// EachIn calls each with every item of partitions that hold no comments. It returns the
// first error of each, or an Unavailable error if the store does not answer.
func EachIn(ctx context.Context, t *table.Table, partitions []key.Partition, each EachItem) error {
	for _, in := range partitions {
		if err := t.Each(ctx, in, func(it table.Item) error { return each(it, nil) }); err != nil {
			return err
		}
	}
	return nil
}

// Verify returns the comparison of the index with what demands its entries, for a share
// of the table.
func (of Entries) Verify(now settings.Settings, share *Share) Verifier {
	return &entriesVerifier{Held: NewHeld[observed](share), of: of, now: now, share: share}
}

type entriesVerifier struct {
	*Held[observed]
	of    Entries
	now   settings.Settings
	share *Share
	items atomic.Int64
}

// observed is what the scan saw of a subject.
type observed struct {
	sum    uint64 // of the digests of expected entries minus the digests of actual entries
	units  []unique.Handle[string]
	shared bool // others have the units, too
}

// Bytes implements Holding.
func (o observed) Bytes() int {
	const subject, unit, name = 100, 12, 120
	switch {
	case o.sum == 0:
		return 0
	case o.shared:
		return subject + len(o.units)*unit
	}
	return subject + len(o.units)*(unit+name)
}

// About implements Verifier.
func (v *entriesVerifier) About() string { return v.of.About }

// Count implements Verifier.
func (v *entriesVerifier) Count() (kind string, items int64) {
	if items = v.items.Load(); items > 0 {
		kind = v.of.Kind
	}
	return kind, items
}

// Observe implements Verifier.
func (v *entriesVerifier) Observe(ctx context.Context, it table.Item, comment *item.Stored) error {
	subject := v.of.Subject(it, comment)
	if subject == "" || !v.share.Has(subject) {
		return nil
	}
	entries, err := v.of.Of(ctx, v.now, it, comment)
	if err != nil || len(entries) == 0 {
		return err
	}
	if entries[0].N <= 0 {
		v.items.Add(1)
	}
	v.Change(subject, func(o *observed) {
		o.shared = v.of.Shared
		for _, e := range entries {
			n := uint64(e.N)
			e.N = 0
			o.sum += n * maphash.Comparable(digestSeed, e)
			if unit := unique.Make(e.Unit); !slices.Contains(o.units, unit) {
				o.units = append(o.units, unit)
			}
		}
	})
	return nil
}

// parts is how many parts the entries of a unit are compared in, by their digests: what
// is held of a unit is bounded by them, and differences are counted too low only where so
// many are that some are in one part.
const parts = 1024

type part struct {
	unit   string
	number uint64
}

// lacking is the expected entries of a part minus the actual ones.
type lacking struct {
	entries int
	digests uint64
}

// Diff implements Verifier.
func (v *entriesVerifier) Diff(ctx context.Context, now settings.Settings,
	subject string) (differences []string, err error) {
	units, all := map[string]bool{}, map[part]lacking{}
	for _, unit := range v.Of(subject).units {
		units[unit.Value()] = true
	}
	withUnits := false
	add := func(it table.Item, comment *item.Stored) error {
		if v.of.Subject(it, comment) != subject {
			return nil
		}
		entries, err := v.of.Of(ctx, now, it, comment)
		for _, e := range entries {
			if withUnits && !units[e.Unit] { // what demands it may have come after the sources were read
				continue
			}
			units[e.Unit] = true
			at := part{e.Unit, e.Digest % parts}
			l := lacking{all[at].entries + e.N, all[at].digests + uint64(e.N)*e.Digest}
			if all[at] = l; l == (lacking{}) {
				delete(all, at)
			}
		}
		return err
	}
	if err := v.of.Sources(ctx, subject, slices.Sorted(maps.Keys(units)), add); err != nil {
		return nil, err
	}
	if withUnits = true; v.of.Found != nil {
		if err := v.of.Found(ctx, subject, slices.Sorted(maps.Keys(units)), add); err != nil {
			return nil, err
		}
	}
	wrong := map[string][2]int{}
	for at, l := range all {
		w := wrong[at.unit]
		switch {
		case l.entries == 0: // another one than the one that is demanded
			w[0]++
			w[1]++
		default:
			w[0] += max(0, l.entries)
			w[1] += max(0, -l.entries)
		}
		wrong[at.unit] = w
	}
	for _, unit := range slices.Sorted(maps.Keys(wrong)) {
		w := wrong[unit]
		differences = append(differences,
			fmt.Sprintf("%s: %d are missing or outdated, %d do not belong there", v.of.Name(unit), w[0], w[1]))
	}
	return differences, nil
}

var digestSeed = maphash.MakeSeed()

// Digest stands for an item, but for its generation. Two different items hardly ever have
// the same.
func Digest(it table.Item) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for _, name := range slices.Sorted(maps.Keys(it)) {
		if name != item.AttrGeneration {
			h.WriteString(name)
			digestValue(&h, it[name])
		}
	}
	return h.Sum64()
}

func digestValue(h *maphash.Hash, v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		fmt.Fprintf(h, "S%q", v.Value)
	case *types.AttributeValueMemberN:
		fmt.Fprintf(h, "N%q", v.Value)
	case *types.AttributeValueMemberB:
		fmt.Fprintf(h, "B%q", v.Value)
	case *types.AttributeValueMemberBOOL:
		fmt.Fprintf(h, "T%v", v.Value)
	case *types.AttributeValueMemberM:
		fmt.Fprintf(h, "M%d", len(v.Value))
		for _, name := range slices.Sorted(maps.Keys(v.Value)) {
			fmt.Fprintf(h, "%q", name)
			digestValue(h, v.Value[name])
		}
	}
}
