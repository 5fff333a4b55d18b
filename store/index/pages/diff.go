package pages

import (
	"context"
	"fmt"
	"slices"
	"time"

	"product-comments/store/derive/index"
	"product-comments/store/index/counts"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// generationOf returns the generation in the key of a node's item.
func generationOf(it table.Item) int {
	generation, _, _, _ := key.ParseNodeSK(table.Text(it, key.SK))
	return generation
}

// Diff implements index.Sum. It checks that the tree has a row for each comment, and that its nodes
// and months add up.
func (r *rows) Diff(ctx context.Context, now settings.Settings, it *index.SumItem) (differences []string, err error) {
	if now.LeavesPages() { // obsolete nodes may exist until the next rebuild
		return nil, nil
	}
	of, err := counts.PagesOfItem(r.product, it.Was, now)
	if err != nil {
		return nil, err
	}
	state := of.State
	differ := func(format string, args ...any) {
		differences = append(differences, "page numbers: "+fmt.Sprintf(format, args...))
	}
	var nodes []*tree.Node
	months := map[time.Time]tree.Month{}
	err = r.p.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Product(r.product)}, func(it table.Item) error {
		if _, ok := monthOf(it); ok {
			m, err := parseMonth(it, now.Generation)
			if m.Month == nil && err == nil {
				differ("the month %s is obsolete: the last rebuild did not write it", m.at.Format("2006-01"))
			}
			months[m.at] = m.Month
			return err
		}
		if _, _, ok := nodeOf(it); ok {
			n, err := parseNode(it)
			if generationOf(it) != now.Generation {
				differ("the node %s is obsolete: the last rebuild did not write it", table.Text(it, key.SK))
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
	for _, wrong := range state.Wrong(r.p.sizes, nodes) {
		differ("%s", wrong)
	}
	listed := state.All(nodes)
	if state.Kept || len(nodes) > 0 {
		rows := r.changes().Added
		slices.SortFunc(rows, tree.Row.Compare)
		if !slices.EqualFunc(listed, rows, tree.Row.Same) {
			differ("they have %d comments and the product has %d, or some of them differ", len(listed), len(rows))
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
			differ("the month %s is missing", at.Format("2006-01"))
		}
	}
	return differences, nil
}
