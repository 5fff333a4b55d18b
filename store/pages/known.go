package pages

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/counts"
	"product-comments/store/tree"
)

// known are the nodes of a product's tree that this process has in memory. Any process may change
// the tree, and a change may take effect although its answer is lost. So they are of the tree
// with a mark, which is random, changes with every change of the tree, and is in the statistics
// that are read before and guard the change: nodes with another mark are dropped.
type known struct {
	mark   int
	levels [][]knownNode // in order; nodes are missing
}

// knownNode is a node as its item has it, so that changes of what was read do not change it.
type knownNode struct {
	begin, until string // until is where the next node of the level begins, empty for none
	kids         int
	of           []byte
}

const (
	knownBytes    = 16 << 20        // of all trees
	knownTreeMost = knownBytes / 10 // of one tree, of which otherwise the leaves are not kept
	knownFor      = 10 * time.Minute
	nodeBytes     = 96 // that a known node takes besides beginning and content
)

func (k *known) bytes() (n int) {
	for _, level := range k.levels {
		for _, one := range level {
			n += nodeBytes + len(one.begin) + len(one.of)
		}
	}
	return n
}

// known returns a copy of what is known of a product's tree.
func (w *Pages) known(of counts.Numbered) *known {
	k := &known{of.State.Mark, make([][]knownNode, of.State.Height)}
	if was, ok := w.trees.Get(of.ProductID); ok && was.mark == k.mark {
		for level := range k.levels {
			k.levels[level] = slices.Clone(was.levels[level])
		}
	}
	return k
}

// find returns where a node of a level is, or would be.
func (k *known) find(level int, begin string) (i int, found bool) {
	return slices.BinarySearchFunc(k.levels[level], begin, func(n knownNode, begin string) int { return strings.Compare(n.begin, begin) })
}

// holder returns the node of a level that holds a sort key, nil if it is not known.
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

// learn adds all nodes of a level from where one begins until another does.
func (k *known) learn(level int, from, until string, all []*tree.Node) {
	i, _ := k.find(level, from)
	var nodes []knownNode
	for n, one := range all {
		nodes = append(nodes, knownNode{one.Begin, until, one.Kids, one.Bytes()})
		if n > 0 {
			nodes[n-1].until = one.Begin
		}
	}
	k.levels[level] = slices.Insert(k.levels[level], i, nodes...)
}

// become changes what is known as the tree changes. If that gets another height or loses nodes,
// which is rare, nothing is known of it then.
func (k *known) become(to tree.Written) {
	if k.mark = to.State.Mark; len(k.levels) != to.State.Height || len(to.Gone) > 0 {
		k.levels = make([][]knownNode, to.State.Height)
	}
	for _, n := range to.Put {
		if of := k.holder(n.Level, n.Begin); of != nil && of.begin == n.Begin {
			of.kids, of.of = n.Kids, n.Bytes()
		} else if of != nil { // it was split
			until := of.until
			of.until = n.Begin
			k.learn(n.Level, n.Begin, until, []*tree.Node{n})
		}
	}
	if k.bytes() > knownTreeMost {
		k.levels[0] = nil
	}
}

// nodes are those of a tree: what is known, and what is stored. They satisfy tree.Nodes.
type nodes struct {
	stored
	*known
}

// together is of how many sort keys that one known node holds all nodes below it are read: that
// is one call, and no more units than the nodes one by one.
const together = 3

// Holding implements tree.Nodes, strongly consistent.
func (n nodes) Holding(ctx context.Context, height int, sortKeys []string) ([]*tree.Node, error) {
	reads, readCtx := errgroup.WithContext(ctx)
	reads.SetLimit(reading)
	var mu sync.Mutex
	var all []*tree.Node
	for level := height - 1; level >= 0; level-- {
		if err := n.widen(readCtx, level, sortKeys); err != nil {
			reads.Go(func() error { return err }) // stops the others
			break
		}
		var last *knownNode
		for _, k := range sortKeys {
			one := n.known.holder(level, k)
			if one == nil {
				reads.Go(func() error {
					found, err := n.stored.holder(readCtx, level, k)
					mu.Lock()
					defer mu.Unlock()
					all = append(all, found...)
					return err
				})
			} else if one != last {
				node := &tree.Node{Level: level, Begin: one.begin, Kids: one.kids}
				node.Parse(one.of) // Bytes has spelled it
				mu.Lock()
				all, last = append(all, node), one
				mu.Unlock()
			}
		}
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}

// widen reads all nodes of a level below the known ones that hold several sort keys of which the
// node is not known.
func (n nodes) widen(ctx context.Context, level int, sortKeys []string) error {
	wanted := map[span]int{}
	for _, k := range sortKeys {
		if n.known.holder(level, k) != nil {
			continue
		}
		if level+1 == len(n.levels) {
			wanted[span{}]++
		} else if above := n.known.holder(level+1, k); above != nil {
			wanted[span{from: above.begin, until: above.until}]++
		}
	}
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(reading)
	var mu sync.Mutex
	for s, keys := range wanted {
		if keys < together {
			continue
		}
		reads.Go(func() error {
			all, err := n.Between(ctx, level, s.from, s.until)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			n.learn(level, s.from, s.until, all)
			return nil
		})
	}
	return reads.Wait()
}
