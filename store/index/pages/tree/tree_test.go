package tree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// memory is a tree that is stored in memory.
type memory struct {
	sizes  Sizes
	state  State
	levels [40][]*Node
}

func (m *memory) Holding(_ context.Context, height int, sortKeys []string) (all []*Node, _ error) {
	for level := range height {
		for _, k := range sortKeys {
			if n := holder(m.levels[level], k); n != nil {
				all = append(all, copyOf(n))
			}
		}
	}
	return all, nil
}

func (m *memory) Between(_ context.Context, level int, from, until string, _ int) (all []*Node, _ error) {
	for _, n := range m.levels[level] {
		if n.Begin >= from && (until == "" || n.Begin < until) {
			all = append(all, copyOf(n))
		}
	}
	return all, nil
}

func (m *memory) After(_ context.Context, level int, begin string) (string, error) {
	for _, n := range m.levels[level] {
		if n.Begin > begin {
			return n.Begin, nil
		}
	}
	return "", nil
}

// copyOf returns a node as it is read again.
func copyOf(n *Node) *Node {
	out := &Node{Level: n.Level, Begin: n.Begin}
	if !out.Parse(n.Bytes()) {
		panic("a node is not read as it was written")
	}
	return out
}

func (m *memory) write(w Written) {
	m.state = w.State
	for _, n := range w.Gone {
		m.levels[n.Level] = slices.DeleteFunc(m.levels[n.Level], func(o *Node) bool { return o.Begin == n.Begin })
	}
	for _, n := range w.Put {
		l := m.levels[n.Level]
		if i, found := slices.BinarySearchFunc(l, n, compare); found {
			l[i] = copyOf(n)
		} else {
			m.levels[n.Level] = slices.Insert(l, i, copyOf(n))
		}
	}
}

// rows draws comments of several kinds of histories.
func rowsOf(t *rapid.T, n int) (rows []Row) {
	begin := time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC)
	step := rapid.SampledFrom([]time.Duration{0, 1, time.Microsecond, time.Second, 24 * time.Hour, 200 * time.Hour}).Draw(t, "step")
	ulids := rapid.Bool().Draw(t, "ULIDs")
	seed := rapid.Uint64().Draw(t, "seed")
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		at := begin.Add(time.Duration(r.IntN(4*n+1)) * step)
		id := fmt.Sprint("c", i)
		if ulids {
			var u ulid.ULID
			testkit.Need(t, u.SetTime(uint64(at.UnixMilli()+int64(r.IntN(3))*int64(r.IntN(1e9)))) == nil, "no time of a ULID")
			u[6], u[14], u[15] = byte(r.IntN(256)), byte(i>>8), byte(i)
			id = u.String()
		}
		rows = append(rows, Row{key.Position{CreatedAt: at, CommentID: id}, []string{"en", "de", "pt-BR"}[r.IntN(3)], stats.KindOf(1+r.IntN(5), stats.Which(r.IntN(8)))})
	}
	return rows
}

// check fails unless the tree is one of these rows, which are in order.
func (m *memory) check(t testkit.Test, rows []Row) {
	t.Helper()
	var nodes []*Node
	for _, l := range m.levels {
		nodes = append(nodes, l...)
	}
	wrong := m.state.Wrong(m.sizes, nodes)
	testkit.Need(t, len(wrong) == 0, "%s", strings.Join(wrong, "\n"))
	got := m.state.All(nodes)
	testkit.Need(t, slices.EqualFunc(got, rows, Row.Same), "it has %d rows, not %d", len(got), len(rows))
}

// After changes in batches of any size and in any order, the tree has the comments and is valid.
func TestTree(t *testing.T) {
	sizes := []int{10, 100, 400}
	if testkit.All(t) {
		sizes = append(sizes, 1000, 3000)
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rowsOf(t, rapid.SampledFrom(sizes).Draw(t, "comments"))
		if rapid.Bool().Draw(t, "in order") {
			slices.SortFunc(all, Row.Compare)
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of changes"), 1))
		most := rapid.SampledFrom([]int{1, 10, 100}).Draw(t, "batch")
		few := rapid.Bool().Draw(t, "small nodes")
		grow := rapid.IntRange(1, 9).Draw(t, "of ten are added")
		m := &memory{sizes: Usual, state: State{Kept: true}}
		if few {
			m.sizes = Sizes{Listed: 20, Node: 40, Below: 2, Root: 60}
		}
		var has []Row
		apply := func(c Changes) {
			for _, row := range c.Taken {
				i, _ := slices.BinarySearchFunc(has, row, Row.Compare)
				has = slices.Delete(has, i, i+1)
			}
			for _, row := range c.Added {
				i, _ := slices.BinarySearchFunc(has, row, Row.Compare)
				has = slices.Insert(has, i, row)
			}
			c.Empty = len(has) == 0
			w, err := m.state.Change(context.Background(), m.sizes, m, c)
			testkit.Need(t, err == nil, "%v", err)
			m.write(w)
			m.check(t, has)
		}
		for len(all) > 0 {
			var c Changes
			for range 1 + r.IntN(most) {
				switch {
				case len(all) > 0 && r.IntN(10) < grow:
					c.Added, all = append(c.Added, all[0]), all[1:]
				case len(has) > len(c.Taken):
					if row := has[r.IntN(len(has))]; !slices.ContainsFunc(c.Taken, row.Same) {
						c.Taken = append(c.Taken, row)
					}
				case len(all) > 0:
					c.Added, all = append(c.Added, all[0]), all[1:]
				}
			}
			apply(c)
		}
		m.check(t, has)
		from := r.IntN(len(has) + 1)
		for _, gone := range [][]Row{slices.Clone(has[from:]), slices.Clone(has[:from])} {
			for some := range slices.Chunk(gone, 50) {
				apply(Changes{Taken: some})
			}
			m.check(t, has)
		}
		for _, l := range m.levels {
			testkit.Need(t, len(l) == 0, "without comments there are nodes")
		}
		testkit.Need(t, m.state.Height == 0 && m.state.Root == nil && len(m.state.Rows) == 0, "without comments it is %+v", m.state)
	})
}

// A missing row cannot be removed, and an existing row cannot be added.
func TestNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rowsOf(t, 200)
		slices.SortFunc(rows, Row.Compare)
		for _, n := range []int{5, 199} {
			m := &memory{sizes: Usual, state: State{Kept: true}}
			w, err := m.state.Change(context.Background(), m.sizes, m, Changes{Added: rows[:n]})
			testkit.Need(t, err == nil, "%v", err)
			m.write(w)
			other := rows[0]
			other.Kind = (other.Kind + 1) % 40
			for _, c := range []Changes{{Taken: rows[n : n+1]}, {Added: rows[:1]}, {Taken: []Row{other}}} {
				_, err := m.state.Change(context.Background(), m.sizes, m, c)
				testkit.Need(t, err != nil, "%v is taken", c)
			}
		}
	})
}

// ParseMonth is the inverse of Append.
func TestMonth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Month{}
		rows := rowsOf(t, rapid.IntRange(0, 300).Draw(t, "rows"))
		for _, r := range rows {
			m.Add(r, 1)
		}
		again, ok := ParseMonth(m.Append(nil))
		testkit.Need(t, ok && m.Equal(again), "%v is read as %v", m, again)
		for _, r := range rows {
			m.Add(r, -1)
		}
		testkit.Need(t, len(m) == 0, "%v is left", m)
	})
}
