package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

// TestGolden runs the files in testdata. The commands:
//
//	plan     [product=ID | family=N] [languages=(TAG,…)] [ratings=(R,…)] [with-text] [verified] [created=(DAY,DAY)] [order=O] [after=N] [backward] [limit=N] [power-set] [embedded] [counts=(N,…)] [wanted=(N,…)] [photos=(N,…)] [size=N | sizes=(N,…)] [largest=N]
//	matrix   the same: every set of ratings, a line each
//	read-on  the same, and evaluated=N found=N blocks=N [bytes=(N,…)]: what a filtered read does then
//	next     the same, and found=N units=N [read=(KEY,…)]: what a plan that gathers does when such columns are read, too
//
// family is a number of products, of which each has the counts.
// counts are comments by rating, wanted the ones that pass with-text and verified, photos the ones with photos in any language, size and
// sizes their mean bytes, largest the bytes of the largest; without it the largest
// has the mean size. counts-TAG are the counts of one of several languages.
// created is from a day on, and before another; - is an open end.
// order is time, rating, helpful or the key of an attribute, with - before it for a
// descending one, and after the range that the window begins in. A where is a filter
// by an attribute, (KEY, MIN, MAX[, COUNT]) or (KEY, =VALUE…[, COUNT]), of which lists show
// the values if its key begins with a capital letter; with are the comments that have a
// value of the order, of the whole product.
//
// Run with -rewrite to refresh them, then read the diff.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q := Query{Filter: Filter{ProductID: "42"}, Limit: 20, Values: Values{Count: -1}}
			var sizes [5]int
			var at Progress
			var read []string
			spent := 0
			of := map[string]Counts{}
			for _, arg := range d.CmdArgs {
				switch arg.Key {
				case "family":
					ids := make([]string, numbers(t, d, arg)[0])
					for i := range ids {
						ids[i] = strconv.Itoa(i + 1)
					}
					q.ProductID, q.Family = "", Family{"bags", key.ProductsOf(ids...)}
				case "product":
					q.ProductID = arg.Vals[0]
				case "language", "languages":
					q.Languages = key.LanguagesOf(arg.Vals...)
				case "with-text":
					q.WithText = true
				case "incentivized":
					q.Incentives = IncentivesOf(new(arg.Vals[0] == "true"))
				case "with-photos":
					q.WithPhotos = true
				case "created":
					var ends [2]time.Time
					for i, v := range arg.Vals {
						if v != "-" {
							var err error
							if ends[i], err = time.Parse(time.DateOnly, v); err != nil {
								d.Fatalf(t, "%v", err)
							}
						}
					}
					q.Created = key.TimesOf(ends[0], ends[1])
				case "verified":
					q.VerifiedOnly = true
				case "order":
					field, descending := strings.CutPrefix(arg.Vals[0], "-")
					q.Order.Ascending = !descending
					q.Order.Field, q.Order.Attribute = ByAttribute, field
					for f, name := range fields {
						if name == field {
							q.Order.Field, q.Order.Attribute = f, ""
						}
					}
					q.Values.Shown = field < "a"
				case "with":
					q.Values.Count = float64(numbers(t, d, arg)[0])
				case "no-values":
					q.Values.None = true
				case "all":
					copy(q.All.Tally[:], numbers(t, d, arg))
				case "where":
					where(&q, arg.Vals)
				case "after":
					q.After = &numbers(t, d, arg)[0]
				case "backward":
					q.Backward = true
				case "wanted":
					copy(q.Wanted[:], numbers(t, d, arg))
				case "photos":
					copy(q.Photos[:], numbers(t, d, arg))
				case "limit":
					q.Limit = numbers(t, d, arg)[0]
				case "counts":
					copy(q.Tally[:], numbers(t, d, arg))
				case "size":
					for i := range sizes {
						sizes[i] = numbers(t, d, arg)[0]
					}
				case "sizes":
					copy(sizes[:], numbers(t, d, arg))
				case "largest":
					q.Largest = numbers(t, d, arg)[0]
				case "evaluated":
					at.Evaluated = numbers(t, d, arg)[0]
				case "found":
					at.Found = numbers(t, d, arg)[0]
				case "units":
					spent = numbers(t, d, arg)[0]
				case "read":
					read = arg.Vals
				case "blocks":
					at.Blocks = numbers(t, d, arg)[0]
				case "bytes":
					at.FoundBytes = numbers(t, d, arg)
				case "power-set":
					q.PowerSet = true
				case "ratings":
					set, err := key.RatingsOf(numbers(t, d, arg)...)
					if err != nil {
						return "error: " + err.Error() + "\n"
					}
					q.Ratings = set
				default:
					what, tag, ok := strings.Cut(arg.Key, "-")
					if !ok || what != "counts" {
						d.Fatalf(t, "unknown argument %s", arg.Key)
					}
					c := of[tag]
					copy(c.Tally[:], numbers(t, d, arg))
					of[tag] = c
				}
			}
			for i, size := range sizes {
				q.Bytes[i] = q.Tally[i] * size
				if size > 0 && q.Largest == 0 {
					q.Largest = slices.Max(sizes[:])
				}
			}
			for tag, c := range of {
				for i := range c.Tally {
					c.Bytes[i] = c.Tally[i] * sizes[i]
				}
				c.Largest = q.Largest
				of[tag] = c
			}
			q.Of = of
			for i := range q.All.Tally {
				q.All.Bytes[i] = q.All.Tally[i] * sizes[i]
			}
			q.All.Largest = q.Largest
			for _, product := range q.Family.Members.List() {
				q.Members = append(q.Members, Member{product, q.Known, q.Values})
			}
			if q.Members != nil {
				q.Sum()
			}
			switch d.Cmd {
			case "read-on":
				p := Choose(q)
				if e, ok := p.Root.(*Either); !ok {
					return fmt.Sprintf("%s\n", p.Strategy)
				} else if n := e.ReadOn(at); n > 0 {
					return fmt.Sprintf("%s: %d more items\n", p.Strategy, n)
				}
				return fmt.Sprintf("%s: change to the partitions\n", p.Strategy)
			case "plan":
				return Choose(q).String()
			case "next":
				p := Choose(q)
				tree := p.Root.(*Sort)
				gathered := tree.Begun(at.Found, float64(spent), p.Bound)
				for _, index := range read {
					at := slices.IndexFunc(gathered.Indexes, func(r *Scan) bool { return strings.HasSuffix(r.Partition.Value, "/"+index) })
					gathered = gathered.After(at, gathered.Found, gathered.Units)
				}
				step := tree.Next(gathered)
				what := []string{"sort all", "read an attribute index", "look up in an attribute index", "read whole", "walk among"}[step.Do]
				if step.Do == ReadIndex || step.Do == LookUp {
					what += ", " + gathered.Indexes[step.Index].Partition.Value
				}
				return fmt.Sprintf("%s: %s, %.1f read units\n", p.Strategy, what, step.Units)
			case "matrix":
				var b strings.Builder
				for mask := key.Ratings(0); mask <= key.AllRatings; mask++ {
					q.Ratings = mask
					p := Choose(q)
					fmt.Fprintf(&b, "%-8s %s on %s:", mask, p.Strategy, p.Index)
					if p.Root == nil {
						b.WriteString(" nothing")
					}
					for use, s := range p.Scans() {
						if !use.Fallback {
							fmt.Fprintf(&b, " %s×%d", s.Partition.Value, s.Limit)
						}
					}
					b.WriteString("\n")
				}
				return b.String()
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// where adds a filter by an attribute.
func where(q *Query, vals []string) {
	c, f := Condition{Attribute: vals[0], Shown: vals[0] < "a", Count: -1}, AttributeFilter{Key: vals[0]}
	rest := vals[1:]
	for len(rest) > 0 && rest[0][0] == '=' {
		c.Equals, f.Equals, rest = append(c.Equals, []byte(rest[0][1:])), append(f.Equals, rest[0][1:]), rest[1:]
	}
	if c.Equals == nil {
		c.Min, c.Max, f.Min, f.Max, rest = []byte(rest[0]), []byte(rest[1]), &rest[0], &rest[1], rest[2:]
	}
	if len(rest) > 0 {
		n, _ := strconv.Atoi(rest[0])
		c.Count = float64(n)
	}
	q.Conditions = append(q.Conditions, c)
	q.Attributes = AttributesOf(append(q.Attributes.List(), f)...)
}

func numbers(t *testing.T, d *datadriven.TestData, arg datadriven.CmdArg) []int {
	list := make([]int, len(arg.Vals))
	for i, v := range arg.Vals {
		n, err := strconv.Atoi(v)
		if err != nil {
			d.Fatalf(t, "%s: %v", arg.Key, err)
		}
		list[i] = n
	}
	return list
}

func TestScopesTellFiltersApart(t *testing.T) {
	seen := map[string]Filter{}
	at := time.Date(2024, 1, 1, 0, 0, 0, 1, time.UTC)
	times := []key.Times{{}, {From: at}, {Before: at}, {From: at, Before: at}}
	for _, product := range []string{"4", "42", "4\u00002"} {
		for _, languages := range []key.Languages{"", "en", "pt", "pt-BR", "en,pt", "en,pt,pt-BR"} {
			for mask := key.Ratings(0); mask <= key.AllRatings; mask++ {
				for more := range 768 {
					f := Filter{ProductID: product, Languages: languages, Ratings: mask, Regions: more&1 > 0, WithText: more&2 > 0, VerifiedOnly: more&16 > 0, WithPhotos: more&128 > 0, Incentives: Incentives(more >> 8), Created: times[more>>5&3]}
					f.Order = Order{Field: Field(more >> 2 & 1), Ascending: more&8 > 0}
					other, dup := seen[f.Scope()]
					same := f
					same.Ratings = other.Ratings
					testkit.Check(t, !dup || other == same && other.Ratings.Canonical() == mask.Canonical(), "%+v and %+v share a scope", f, other)
					seen[f.Scope()] = f
				}
			}
		}
	}
	// Cursors hold a fingerprint of it.
	got := (Filter{ProductID: "42", Languages: "en", Ratings: 17}).Scope()
	testkit.Check(t, got == "42\x00en\x00A", "%q", got)
}

// What a page did cost is next to what it should, partition for partition.
func TestTree(t *testing.T) {
	whole, one, five := key.PartitionByLang("42", "en"), key.PartitionByLangAndRating("42", "en", 1), key.PartitionByLangAndRating("42", "en", 5)
	p := Plan{
		Strategy: Filtered, Index: key.ByLang, Limit: 20, Reason: "one language, 3 ratings",
		Root: &Either{
			First: &Scan{Span: key.Span{Partition: whole}, Only: Only{Ratings: 0b10011}, Limit: 24, Items: 20.4, Units: 1, Actual: Spent{Units: 1, Queries: 1, Items: 24}},
			Then: &Merge{[]*Scan{
				{Span: key.Span{Partition: one}, Limit: 21}, {Span: key.Span{Partition: five}, Limit: 21, Actual: Spent{Units: 1.5, Queries: 2, Items: 1}},
			}},
		},
		Rejected: []Alternative{
			{Strategy: PowerSet, Index: key.Table, Reason: "there is none"},
			{Strategy: Merged, Index: key.ByLangAndRating, Estimate: Estimate{Units: 2, Queries: 2.5, RoundTrips: 1.5, Discarded: 3}, Reason: "0.25 read units more"},
		},
		Estimate: Estimate{Units: 1.75, Queries: 2.5, RoundTrips: 1.5, Discarded: 4},
	}
	actual := Cost{Spent: Spent{Units: 2.5, Queries: 3, Items: 25}, RoundTrips: 3}
	want := `filtered partition on byLang: one language, 3 ratings
├─ query GSI2PK = PRODUCT#42/en, only ratings 1,2,5, first 24: about 20.4 items of the page, 1.0 read units; actual 24 items, 1.0 read units in 1 query
├─ or, if it finds too little: merge
│  ├─ query GSIPK = PRODUCT#42/en/1, if the page needs it; not needed
│  └─ query GSIPK = PRODUCT#42/en/5, if the page needs it; actual 1 item, 1.5 read units in 2 queries
├─ estimate: 1.75 read units, 2.5 queries in 1.5 round trips, 4 items too many
├─ actual: 2.50 read units, 3 queries in 3 round trips, 25 items read and 20 shown
├─ not power-set partition on table: there is none
└─ not merge of partitions on byLangAndRating: 0.25 read units more (2.00 read units, 2.5 queries in 1.5 round trips, 3 items too many)
`
	if got := p.Tree(actual, 20); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Nothing was read between two cursors that hold nothing between them.
	p = Plan{Strategy: Single, Index: key.All, Reason: "no filter", Root: &Merge{[]*Scan{{Span: key.Span{Partition: key.PartitionAll("42")}, Limit: 21, Items: 21, Units: 0.5}}}}
	want = `single partition on all: no filter
├─ query GSI4PK = PRODUCT#42, first 21: about 21.0 items of the page, 0.5 read units; not read
├─ estimate: 0.00 read units, 0.0 queries in 0.0 round trips, 0 items too many
└─ actual: 0.00 read units, 0 queries in 0 round trips, 0 items read and 0 shown
`
	if got := p.Tree(Cost{}, 0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
