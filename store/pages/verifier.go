package pages

import (
	"context"
	"fmt"
	"slices"
	"time"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/statistics"
	"product-comments/store/stats"
	"product-comments/store/table"
	"product-comments/store/tree"
)

// Verifiers compares the rows of page numbers with the comments. During the scan it holds a
// print of the difference. A product with a tree is a candidate in any case: its nodes are
// read to see whether they add up.
func (p *Pages) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	if now.LeavesPages() { // nodes may be left until the next rebuild
		return nil
	}
	return []index.Verifier{&verifier{Held: index.NewHeld[held](share), p: p, now: now, share: share}}
}

type verifier struct {
	*index.Held[held]
	p     *Pages
	now   settings.Settings
	share *index.Share
}

// held is the print of a product's comments less the print of its rows.
type held struct {
	print stats.Print
	tree  bool
}

// Bytes implements index.Holding.
func (h held) Bytes() int {
	if h == (held{}) {
		return 0
	}
	return 32
}

// About implements index.Verifier.
func (v *verifier) About() string { return "product" }

// Count implements index.Verifier: there are as many items as there is to count.
func (v *verifier) Count() (string, int64) { return "", 0 }

// printOf returns the print of a row.
func printOf(r tree.Row) stats.Print {
	return stats.PrintOf(1, r.At.SortKey(), r.Language, string(rune(r.Kind)))
}

// Observe implements index.Verifier.
func (v *verifier) Observe(ctx context.Context, it table.Item, comment *item.Stored) error {
	product, isTree := index.Published(comment), false
	var rows []tree.Row
	if comment != nil {
		if product == "" || !v.share.Has(product) {
			return nil
		}
		row, err := v.p.rowOf(ctx, comment)
		if err != nil {
			return err
		}
		v.Change(product, func(h *held) { h.print = h.print.Plus(printOf(row)) })
		return nil
	}
	if of, _, ok := nodeOf(it); ok {
		n, err := parseNode(it)
		if err != nil {
			return err
		}
		if product, isTree = of, true; generationOf(it) == v.now.Generation {
			rows = n.Rows
		}
	} else if _, ok := monthOf(it); ok {
		product, _ = key.ProductID(table.Text(it, key.PK))
		isTree = true
	} else {
		of, state, ok, err := statistics.PagesIn(it, v.now)
		if err != nil || !ok {
			return err
		}
		product, isTree, rows = of, state.Height > 0, state.Rows
	}
	if !v.share.Has(product) {
		return nil
	}
	v.Change(product, func(h *held) {
		h.tree = h.tree || isTree
		for _, r := range rows {
			h.print = h.print.Minus(printOf(r))
		}
	})
	return nil
}

// generationOf returns that of a node's item.
func generationOf(it table.Item) int {
	generation, _, _, _ := key.ParseNodeSK(table.Text(it, key.SK))
	return generation
}

// rowOf returns a comment as it is listed. It returns an Unavailable error if the store does
// not answer.
func (p *Pages) rowOf(ctx context.Context, c *item.Stored) (tree.Row, error) {
	plain := *c
	err := plain.UnpackWith(ctx, p.settings)
	return statistics.RowOf(&plain), err
}

// Diff implements index.Verifier.
func (v *verifier) Diff(ctx context.Context, now settings.Settings, product string) (differences []string, err error) {
	differ := func(format string, args ...any) {
		differences = append(differences, "page numbers: "+fmt.Sprintf(format, args...))
	}
	var state tree.State
	var nodes []*tree.Node
	months := map[time.Time]tree.Month{}
	err = v.p.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Product(product)}, func(it table.Item) error {
		if _, of, ok, err := statistics.PagesIn(it, now); ok || err != nil {
			state = of
			return err
		}
		if _, ok := monthOf(it); ok {
			m, err := parseMonth(it, now.Generation)
			if m.Month == nil && err == nil {
				differ("the month %s is left over from before the last rebuild", m.at.Format("2006-01"))
			}
			months[m.at] = m.Month
			return err
		}
		if _, _, ok := nodeOf(it); ok {
			n, err := parseNode(it)
			if generationOf(it) != now.Generation {
				differ("the node %s is left over from before the last rebuild", table.Text(it, key.SK))
				return err
			}
			nodes = append(nodes, n)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, wrong := range state.Wrong(v.p.sizes, nodes) {
		differ("%s", wrong)
	}
	listed := state.All(nodes)
	if v.Of(product).print != 0 && (state.Kept || len(nodes) > 0) {
		var rows []tree.Row
		err = item.Each(ctx, v.p.t, product, func(c *item.Stored) error {
			if index.Published(c) != product {
				return nil
			}
			r, err := v.p.rowOf(ctx, c)
			rows = append(rows, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(rows, tree.Row.Compare)
		if !slices.EqualFunc(listed, rows, tree.Row.Same) {
			differ("they have %d comments, there are %d, or some differ", len(listed), len(rows))
		}
	}
	want := map[time.Time]tree.Month{}
	for _, r := range listed {
		at := tree.MonthOf(r.At.CreatedAt)
		if want[at] == nil {
			want[at] = tree.Month{}
		}
		if state.Height > 0 {
			want[at].Add(r, 1)
		}
	}
	for at, m := range months {
		if m != nil && !m.Equal(want[at]) {
			differ("the month %s counts %v, its comments are %v", at.Format("2006-01"), m, want[at])
		}
	}
	for at, m := range want {
		if months[at] == nil && len(m) > 0 {
			differ("the month %s is not there", at.Format("2006-01"))
		}
	}
	return differences, nil
}
