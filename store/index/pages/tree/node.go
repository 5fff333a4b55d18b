package tree

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"product-comments/store/comment/stats"
)

// Node is a node of a tree.
type Node struct {
	Level   int      // 0 is a leaf
	Begin   string   // beginning: a sort key, or a prefix of one; empty for the first node
	Rows    []Row    // comments of a leaf, in order
	Entries []*Entry // of any other node, in order
}

// Entry counts the comments of some nodes of the level below its node.
type Entry struct {
	Begin  string
	Kids   int // number of these nodes
	Counts stats.ByLanguage
}

// Sum returns the counts of the node's comments.
func (n *Node) Sum() stats.ByLanguage {
	sum := countOf(n.Rows)
	for _, e := range n.Entries {
		sum.AddAll(e.Counts)
	}
	return sum
}

// IsEmpty reports whether the node has no comments.
func (n *Node) IsEmpty() bool {
	return len(n.Rows) == 0 && !slices.ContainsFunc(n.Entries, func(e *Entry) bool { return len(e.Counts) > 0 })
}

func (n *Node) begin() string  { return n.Begin }
func (e *Entry) begin() string { return e.Begin }

func compare(a, b *Node) int { return strings.Compare(a.Begin, b.Begin) }

// holder returns the node or entry that holds a sort key, from some in order; nil if there is none.
func holder[E interface {
	*Node | *Entry
	begin() string
}](all []E, sortKey string) E {
	i, found := slices.BinarySearchFunc(all, sortKey, func(e E, k string) int { return strings.Compare(e.begin(), k) })
	if found {
		return all[i]
	}
	if i == 0 {
		return nil
	}
	return all[i-1]
}

// shared returns the number of bytes that two texts share at their beginning.
func shared(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// between returns the shortest prefix of next that is greater than last.
func between(last, next string) string {
	n := shared(last, next)
	for n++; n < len(next) && !utf8.RuneStart(next[n]); n++ {
	}
	return next[:min(n, len(next))]
}

// divide divides rows or entries of a size into nodes. If they were appended, all nodes but the last
// are full; otherwise they have about the same number.
func divide[E any](of []E, size func([]E) int, most int, appended bool) (parts [][]E) {
	exceeds := func(some []E) bool { return len(some) > 1 && size(some) > most }
	if !appended {
		for n := 1; n == 1 || slices.ContainsFunc(parts, exceeds); n++ {
			parts = slices.Collect(slices.Chunk(of, (len(of)+n-1)/n))
		}
		return parts
	}
	for len(of) > 0 {
		n := 1
		for n < len(of) && !exceeds(of[:n+1]) {
			n++
		}
		parts, of = append(parts, of[:n:n]), of[n:]
	}
	return parts
}

// Bytes encodes the content of a node: the rows of a leaf, or the level and entries of any other
// node. With the level, the result is never empty.
func (n *Node) Bytes() []byte {
	if n.Level == 0 {
		return AppendRows(nil, n.Rows)
	}
	return appendEntries([]byte{byte(n.Level)}, n.Entries)
}

// appendEntries appends encoded entries: the languages, then of each entry the number of bytes that
// its beginning shares with the one before it, the others, the number of nodes, and for each of its
// languages the number of the language and the kinds, after how many these are.
func appendEntries(b []byte, all []*Entry) []byte {
	numbers := map[string]int{}
	for _, e := range all {
		for language := range e.Counts {
			numbers[language] = 0
		}
	}
	languages := slices.Sorted(maps.Keys(numbers))
	b = binary.AppendUvarint(b, uint64(len(languages)))
	for i, language := range languages {
		b, numbers[language] = stats.AppendText(b, language), i
	}
	before := ""
	for _, e := range all {
		n := shared(before, e.Begin)
		b = stats.AppendText(binary.AppendUvarint(b, uint64(n)), e.Begin[n:])
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(e.Kids)), uint64(len(e.Counts)))
		for _, language := range slices.Sorted(maps.Keys(e.Counts)) {
			b = e.Counts[language].Append(binary.AppendUvarint(b, uint64(numbers[language])))
		}
		before = e.Begin
	}
	return b
}

// EachEntry decodes the content of a node of a level above the leaves: it calls entry for each
// entry, and then add for its counts. It returns false for any other bytes.
func EachEntry(b []byte, level int, entry func(begin string, kids int), add func(language string, of stats.Kinds)) bool {
	r := stats.Reader{B: b}
	if int(r.Bytes(1)[0]) != level {
		return false
	}
	var languages []string
	for n := r.Uvarint(); n > 0 && !r.Damaged; n-- {
		languages = append(languages, r.Text())
	}
	for before := ""; r.More(); {
		n := r.Count()
		if n > len(before) {
			return false
		}
		before = before[:n] + r.Text()
		entry(before, r.Count())
		for n := r.Count(); n > 0 && !r.Damaged; n-- {
			language := r.Count()
			if language >= len(languages) {
				return false
			}
			add(languages[language], r.Kinds())
		}
	}
	return !r.Damaged
}

// Parse decodes the result of Bytes into the node; ok is false for any other bytes.
func (n *Node) Parse(b []byte) (ok bool) {
	if n.Level == 0 {
		n.Rows, ok = ParseRows(b)
		return ok
	}
	var last *Entry
	return EachEntry(b, n.Level, func(begin string, kids int) {
		last = &Entry{begin, kids, stats.ByLanguage{}}
		n.Entries = append(n.Entries, last)
	}, func(language string, of stats.Kinds) { last.Counts[language] = of })
}

// State is the state of a product's page numbers. The item of the product's statistics has it.
type State struct {
	// Kept is false for a product without page numbers. It gets them with the next rebuild, or when
	// all its comments are deleted.
	Kept   bool
	Rows   []Row  // all comments, in order, of a product without a tree
	Root   []byte // encoded content of the root, whose level is Height
	Height int    // number of levels below the root; 0 if there is no tree
	Mark   int    // random number of this version of the tree; 0 if there is no tree
}

// fits reports whether a State may list rows.
func (s Sizes) fits(rows []Row) bool { return size(rows) <= s.Listed }
