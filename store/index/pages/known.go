package pages

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/stats"
	"product-comments/store/index/counts"
	"product-comments/store/index/pages/tree"
)

// known is the cache of nodes of a product's tree in this process. Any process may change the tree,
// and a change may take effect although its answer is lost. So the cache is valid for one mark
// only. The mark is random, changes with every change of the tree, and is in the statistics, which
// are read before a change and in the conditions of its transaction. Nodes with another mark are
// dropped.
type known struct {
	mark   int
	levels [][]knownNode // in order, with gaps; the last one is the root
}

// knownNode is a node with its encoded content, so that changes of a parsed node do not change it.
type knownNode struct {
	begin, until string // until is the beginning of the next node of the level, empty for the last node
	of           []byte
}

const (
	knownBytes    = 16 << 20        // bytes of all trees
	knownTreeMost = knownBytes / 10 // bytes of one tree; the leaves of a greater one are not cached
	knownFor      = 10 * time.Minute
	nodeBytes     = 96 // memory of a known node besides beginning and content
)

func (k *known) bytes() (n int) {
	for _, level := range k.levels {
		for _, one := range level {
			n += nodeBytes + len(one.begin) + len(one.of)
		}
	}
	return n
}

// known returns a copy of the cached nodes of a product's tree.
func (w *Pages) known(of counts.Numbered) *known {
	k := &known{of.State.Mark, make([][]knownNode, of.State.Height+1)}
	if was, ok := w.trees.Get(of.ProductID); ok && was.mark == k.mark {
		for level := range k.levels {
			k.levels[level] = slices.Clone(was.levels[level])
		}
	}
	k.levels[of.State.Height] = []knownNode{{of: of.State.Root}}
	return k
}

// find returns the index of a node of a level, or the index at which to insert it.
func (k *known) find(level int, begin string) (i int, found bool) {
	return slices.BinarySearchFunc(k.levels[level], begin, func(n knownNode, begin string) int { return strings.Compare(n.begin, begin) })
}

// holder returns the cached node of a level that holds a sort key, nil if there is none.
func (k *known) holder(level int, sortKey string) *knownNode {
	i, found := k.find(level, sortKey)
	if !found {
		i--
	}
	if i < 0 || k.levels[level][i].until != "" && k.levels[level][i].until <= sortKey {
		return nil
	}
	return &k.levels[level][i]
}

// learn adds the complete nodes of a level from one beginning until another.
func (k *known) learn(level int, from, until string, all []*tree.Node) {
	i, _ := k.find(level, from)
	var nodes []knownNode
	for n, one := range all {
		nodes = append(nodes, knownNode{one.Begin, until, one.Bytes()})
		if n > 0 {
			nodes[n-1].until = one.Begin
		}
	}
	k.levels[level] = slices.Insert(k.levels[level], i, nodes...)
}

// apply applies a change of the tree to the cache. If the tree gets another height or loses nodes,
// which is rare, the cache becomes empty.
func (k *known) apply(to tree.Written) {
	if k.mark = to.State.Mark; len(k.levels) != to.State.Height+1 || len(to.Gone) > 0 {
		k.levels = make([][]knownNode, to.State.Height+1)
	}
	k.levels[to.State.Height] = []knownNode{{of: to.State.Root}}
	for _, n := range to.Put {
		if of := k.holder(n.Level, n.Begin); of != nil && of.begin == n.Begin {
			of.of = n.Bytes()
		} else if of != nil { // a known node was split
			until := of.until
			of.until = n.Begin
			k.learn(n.Level, n.Begin, until, []*tree.Node{n})
		}
	}
	if k.bytes() > knownTreeMost {
		k.levels[0] = nil
	}
}

// nodes reads the nodes of a tree from the cache and the table. It implements tree.Nodes.
type nodes struct {
	stored
	*known
}

// Holding implements tree.Nodes, strongly consistent.
func (n nodes) Holding(ctx context.Context, height int, sortKeys []string) (all []*tree.Node, err error) {
	for level := height - 1; level >= 0; level-- {
		if err := n.readBelow(ctx, level, sortKeys); err != nil {
			return nil, err
		}
		var last *knownNode
		for _, k := range sortKeys {
			if one := n.known.holder(level, k); one != nil && one != last {
				node := &tree.Node{Level: level, Begin: one.begin}
				node.Parse(one.of) // always valid: Bytes encoded it
				all, last = append(all, node), one
			}
		}
	}
	return all, nil
}

// readBelow reads the nodes of a level that hold sort keys and are not known, with those of the same
// entry above, which costs no more. One query reads those of adjoining entries.
func (n nodes) readBelow(ctx context.Context, level int, sortKeys []string) error {
	var wanted []span
	for _, k := range sortKeys {
		if n.known.holder(level, k) != nil || len(wanted) > 0 && wanted[len(wanted)-1].holds(k) {
			continue
		}
		above := n.known.holder(level+1, k)
		if above == nil {
			continue // the change fails
		}
		s := span{until: above.until}
		tree.EachEntry(above.of, level+1, func(begin string, kids int) {
			if begin <= k {
				s.from, s.kids = begin, kids
			} else if s.until == above.until {
				s.until = begin
			}
		}, func(string, stats.Kinds) {})
		if last := len(wanted) - 1; last >= 0 && wanted[last].until == s.from {
			wanted[last].until, wanted[last].kids = s.until, wanted[last].kids+s.kids
		} else {
			wanted = append(wanted, s)
		}
	}
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(reading)
	read := make([][]*tree.Node, len(wanted))
	for i, s := range wanted {
		reads.Go(func() (err error) {
			read[i], err = n.Between(ctx, level, s.from, s.until, s.kids)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return err
	}
	for i, s := range wanted {
		n.learn(level, s.from, s.until, read[i])
	}
	return nil
}
