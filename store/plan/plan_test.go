package plan

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"product-comments/store/key"
)

// TestGolden runs the files in testdata. The commands:
//
//	plan [product=ID] [language=TAG] [ratings=(R,…)] [empty=(R,…)] [power-set] [items=N]
//	matrix [product=ID] [language=TAG] [empty=(R,…)] [power-set]   every set of ratings, a line each
//
// Run with -rewrite to refresh them, then read the diff.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q := Query{Filter: Filter{ProductID: "42"}, Items: 21}
			for _, arg := range d.CmdArgs {
				switch arg.Key {
				case "product":
					q.ProductID = arg.Vals[0]
				case "language":
					q.Language = arg.Vals[0]
				case "items":
					q.Items, _ = strconv.Atoi(arg.Vals[0])
				case "power-set":
					q.PowerSet = true
				case "ratings", "empty":
					var list []int
					for _, v := range arg.Vals {
						r, err := strconv.Atoi(v)
						if err != nil {
							d.Fatalf(t, "rating %q: %v", v, err)
						}
						list = append(list, r)
					}
					set, err := key.RatingsOf(list...)
					if err != nil {
						return "error: " + err.Error() + "\n"
					}
					if arg.Key == "empty" {
						q.Empty = set
					} else {
						q.Ratings = set
					}
				default:
					d.Fatalf(t, "unknown argument %s", arg.Key)
				}
			}
			switch d.Cmd {
			case "plan":
				return Choose(q).String()
			case "matrix":
				var b strings.Builder
				for mask := key.Ratings(0); mask <= key.AllRatings; mask++ {
					q.Ratings = mask
					p := Choose(q)
					fmt.Fprintf(&b, "%-8s %s:", mask, p.Index)
					if len(p.Reads) == 0 {
						b.WriteString(" nothing")
					}
					for _, r := range p.Reads {
						fmt.Fprintf(&b, " %s×%d", r.Partition.Value, r.Limit)
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

func TestScopesTellFiltersApart(t *testing.T) {
	seen := map[string]Filter{}
	for _, product := range []string{"4", "42", "4\u00002"} {
		for _, language := range []string{"", "en", "pt", "pt-BR"} {
			for mask := key.Ratings(0); mask <= key.AllRatings; mask++ {
				f := Filter{product, language, mask}
				other, dup := seen[f.Scope()]
				same := other.ProductID == f.ProductID && other.Language == f.Language && other.Ratings.Canonical() == mask.Canonical()
				if dup && !same {
					t.Errorf("%+v and %+v share a scope", f, other)
				}
				seen[f.Scope()] = f
			}
		}
	}
}
