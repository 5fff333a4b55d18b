package pages

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

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
	levels [][]knownNode // in order, with gaps
}

// knownNode is a node with its encoded content, so that changes of a parsed node do not change it.
type knownNode struct {
	begin, until string // until is the beginning of the next node of the level, empty for the last node
	kids         int
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
	k := &known{of.State.Mark, make([][]knownNode, of.State.Height)}
	if was, ok := w.trees.Get(of.ProductID); ok && was.mark == k.mark {
		for level := range k.levels {
			k.levels[level] = slices.Clone(was.levels[level])
		}
	}
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
		nodes = append(nodes, knownNode{one.Begin, until, one.Kids, one.Bytes()})
		if n > 0 {
			nodes[n-1].until = one.Begin
		}
	}
	k.levels[level] = slices.Insert(k.levels[level], i, nodes...)
}

// apply applies a change of the tree to the cache. If the tree gets another height or loses nodes,
// which is rare, the cache becomes empty.
func (k *known) apply(to tree.Written) {
	if k.mark = to.State.Mark; len(k.levels) != to.State.Height || len(to.Gone) > 0 {
		k.levels = make([][]knownNode, to.State.Height)
	}
	for _, n := range to.Put {
		if of := k.holder(n.Level, n.Begin); of != nil && of.begin == n.Begin {
			of.kids, of.of = n.Kids, n.Bytes()
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

// readTogether is a number of sort keys: if a known node holds that many, one query reads all nodes
// below it. That costs at most the read units of single reads.
const readTogether = 3

// Holding implements tree.Nodes, strongly consistent.
func (n nodes) Holding(ctx context.Context, height int, sortKeys []string) ([]*tree.Node, error) {
	reads, readCtx := errgroup.WithContext(ctx)
	reads.SetLimit(reading)
	var mu sync.Mutex
	var all []*tree.Node
	for level := height - 1; level >= 0; level-- {
		if err := n.readBelow(readCtx, level, sortKeys); err != nil {
			reads.Go(func() error { return err }) // cancels the other reads
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
				node.Parse(one.of) // always valid: Bytes encoded it
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

// readBelow reads all nodes of a level below a known node, if several sort keys below that one have
// no known node on the level.
func (n nodes) readBelow(ctx context.Context, level int, sortKeys []string) error {
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
		if keys < readTogether {
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
