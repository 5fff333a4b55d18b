package tree

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// itemSize is how large the item of a node is, as DynamoDB counts it.
func itemSize(n *Node) int {
	return len("PK"+"SK"+"of") + len(key.Product("42")) + len(key.NodeSK(0, n.Level, n.Begin)) + len(n.Bytes())
}

// writeUnits returns the cost of an item in a transaction, readUnits the cost of a query, by bytes.
// The root is a part of the statistics.
func writeUnits(size int) int    { return 2 * ((size + 1023) / 1024) }
func readUnits(size int) float64 { return 0.5 * float64(max(1, (size+4095)/4096)) }
func monthSize(month []byte) int {
	return len("PK"+"SK"+"of"+"after"+"PRODUCT#42"+"M#2024-03") + len(month) + 9
}
func units(w Written) float64 {
	total := 2 * len(w.Gone)
	for _, n := range w.Put {
		total += writeUnits(itemSize(n))
	}
	return float64(total) + 2*float64(len(w.State.Root))/1024
}

// random returns comments of several languages over some years, or a minute.
func random(r *rand.Rand, n, languages int, over time.Duration) (rows []Row) {
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for range n {
		at := begin.Add(time.Duration(r.Int64N(int64(over)/1e6)) * time.Millisecond)
		var id ulid.ULID
		_ = id.SetTime(uint64(at.UnixMilli()))
		for i := 6; i < 16; i++ {
			id[i] = byte(r.IntN(256))
		}
		language := fmt.Sprint("l", min(int(r.ExpFloat64()*float64(languages)/3), languages-1))
		rating := 5 - []int{0, 0, 0, 1, 1, 2, 3, 4}[r.IntN(8)]
		rows = append(rows, Row{key.Position{CreatedAt: at, CommentID: id.String()}, language, stats.KindOf(rating, stats.Which(r.IntN(4)).With(stats.Photos, r.IntN(10) == 0))})
	}
	return rows
}

// figures of a tree: the writes of a single comment, of one in a batch of a hundred, and the reads
// to find a comment by its number.
type figures struct {
	lone, most, months, summed float64
	read, mostRead             float64
	trips                      int
}

// measure makes a tree of comments and measures it.
func measure(t *testing.T, rows []Row, inOrder bool, r *rand.Rand) (f figures) {
	t.Helper()
	m, months := &memory{sizes: Usual, state: State{Kept: true}}, map[time.Time]Month{}
	if inOrder {
		slices.SortFunc(rows, Row.Compare)
	}
	change := func(added []Row) (total, inMonths float64) {
		w, err := m.state.Change(context.Background(), m.sizes, m, Changes{Added: added})
		testkit.Must(t, err)
		m.write(w)
		touched := map[time.Time]bool{}
		for _, row := range added {
			at := MonthOf(row.At.CreatedAt)
			if months[at] == nil {
				months[at] = Month{}
			}
			months[at].Add(row, 1)
			touched[at] = true
		}
		for at := range touched {
			inMonths += float64(writeUnits(monthSize(months[at].Append(nil))))
		}
		return units(w), inMonths
	}
	const lone = 500
	batches, last := (len(rows)-lone)/100, 0
	for i := range batches {
		nodes, inMonths := change(rows[i*100 : i*100+100])
		if i >= batches*9/10 {
			f.summed += nodes + inMonths
			last++
		}
	}
	f.summed /= float64(last * 100)
	for _, row := range rows[len(rows)-lone:] {
		nodes, inMonths := change([]Row{row})
		f.lone += (nodes + inMonths) / lone
		f.most, f.months = max(f.most, nodes+inMonths), max(f.months, inMonths)
	}
	for range 500 {
		row, spent := rows[r.IntN(len(rows))], 0.0
		root := &Node{Level: m.state.Height}
		root.Parse(m.state.Root)
		below, until := []*Node{root}, ""
		for level := m.state.Height - 1; level >= 0; level-- {
			from := ""
			for _, n := range below {
				for _, e := range n.Entries {
					if e.Begin <= row.At.SortKey() {
						from = e.Begin
					} else if until == "" || e.Begin < until {
						until = e.Begin
					}
				}
			}
			size := 0
			below, _ = m.Between(context.Background(), level, from, until, 0)
			for _, n := range below {
				size += itemSize(n)
			}
			spent += readUnits(size)
		}
		f.read, f.mostRead, f.trips = f.read+spent/500, max(f.mostRead, spent), m.state.Height
	}
	return f
}

// TestFigures holds what page numbers cost. PAGES_COMMENTS is of how many comments, 10,000
// if it is not set; with -v it prints the table.
func TestFigures(t *testing.T) {
	n := testkit.Value(strconv.Atoi(cmp.Or(os.Getenv("PAGES_COMMENTS"), "10000")))(t)
	most, mostRead, trips := 10.0, 1.1, 2
	if n > 10_000 {
		most, mostRead, trips = 16, 2.1, 4 // three levels if they came in order
	}
	const years = 365 * 24 * time.Hour
	t.Log("| comments, over, order | languages | lone | most | of it months | summed | read | most | trips |")
	for i, c := range []struct {
		what      string
		over      time.Duration
		inOrder   bool
		languages int
	}{
		{"5 years, in order", 5 * years, true, 5}, {"5 years, any order", 5 * years, false, 5}, {"a minute", time.Minute, true, 5},
		{"20 years", 20 * years, true, 5}, {"5 years, in order", 5 * years, true, 1}, {"5 years, in order", 5 * years, true, 30},
	} {
		if i > 1 && !testkit.All(t) {
			continue
		}
		r := rand.New(rand.NewPCG(1, 2))
		f := measure(t, random(r, n, c.languages, c.over), c.inOrder, r)
		t.Logf("| %d, %s | %d | %.1f | %.0f | %.0f | %.2f | %.1f | %.1f | %d |", n, c.what, c.languages, f.lone, f.most, f.months, f.summed, f.read, f.mostRead, f.trips)
		if c.languages != 5 {
			continue
		}
		testkit.Check(t, f.lone <= most, "%s: a lone comment writes %.1f units", c.what, f.lone)
		testkit.Check(t, !c.inOrder || f.summed <= 1, "%s: one of a hundred writes %.2f units", c.what, f.summed)
		testkit.Check(t, f.read <= mostRead && f.trips <= trips, "%s: a number reads %.1f units in %d round trips", c.what, f.read, f.trips)
	}
}
