package authors

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Marks are written with the comments that they are of, so nothing is kept from the stream.
var _ projector.Derived = (*Authors)(nil)

// heldBytes is about what a census holds of a person, and of a comment whose marks it
// did not meet yet.
const heldBytes = 100

// Census compares marks with the comments that they are of.
func (a *Authors) Census(_ settings.Settings, share *projector.Share) projector.Census {
	return &census{a: a, share: share, seed: maphash.MakeSeed(), of: map[string]*wrote{}}
}

// census adds up the marks of each person, once by their comments and once, negative, as
// they are: a sum that is not zero is a difference.
type census struct {
	a     *Authors
	share *projector.Share
	seed  maphash.Seed
	marks atomic.Int64

	mu sync.Mutex
	of map[string]*wrote // by subject; those whose sum is not zero
}

// wrote is what was seen of somebody.
type wrote struct {
	sum uint64
	ids []string // of comments
}

// About names what suspects are.
func (c *census) About() string { return "user" }

// See takes comments that have an owner, and marks.
func (c *census) See(_ context.Context, it table.Item, comment *item.Stored) error {
	if owner, mark, ok := markOf(it); ok {
		if !c.share.Has(owner) {
			return nil
		}
		c.marks.Add(1)
		c.add(owner, -maphash.String(c.seed, mark), "")
		return nil
	}
	id, isComment := key.CommentID(table.Text(it, key.PK))
	if owner := table.Text(it, item.AttrOwner); !isComment || owner == "" || !c.share.Has(owner) {
		return nil
	}
	if comment == nil { // it is not published
		read, err := item.Read(it, "")
		if err != nil {
			return err
		}
		comment = &read
	}
	var sum uint64
	for _, mark := range marksOf(comment) {
		sum += maphash.String(c.seed, mark)
	}
	c.add(comment.Owner, sum, strings.Clone(id))
	return nil
}

func (c *census) add(owner string, sum uint64, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.of[owner]
	if w == nil {
		w = &wrote{}
		c.of[strings.Clone(owner)] = w
		c.share.Hold(heldBytes + len(owner))
	}
	if id != "" {
		w.ids = append(w.ids, id)
		c.share.Hold(heldBytes)
	}
	if w.sum += sum; w.sum == 0 {
		c.share.Hold(-heldBytes*(1+len(w.ids)) - len(owner))
		delete(c.of, owner)
	}
}

// markOf returns whose mark an item is, and all that it says; ok is false for an item that
// is none.
func markOf(it table.Item) (owner, mark string, ok bool) {
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	if owner, ok = key.Username(pk); !ok {
		return "", "", false
	}
	at, ok := item.MarkedBy(it)
	return owner, sk + " " + at.SortKey(), ok || key.IsAuthored(pk, sk)
}

// marksOf returns what markOf does of the marks that a comment should have.
func marksOf(c *item.Stored) (marks []string) {
	for _, it := range []table.Item{item.Mark(c), item.Authored(c)} {
		if _, mark, ok := markOf(it); ok {
			marks = append(marks, mark)
		}
	}
	return marks
}

// Suspects returns the people whose marks may be wrong.
func (c *census) Suspects() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.of))
}

// Compare compares somebody's marks with their comments, as they are now.
func (c *census) Compare(ctx context.Context, owner string) (differences []string, err error) {
	ids := map[string]bool{}
	for _, id := range c.of[owner].ids {
		ids[id] = true
	}
	has := map[string]bool{}
	err = c.a.t.Each(ctx, key.Partition{Index: key.Table, Value: key.User(owner)}, func(it table.Item) error {
		if _, mark, ok := markOf(it); ok {
			has[mark] = true
			at, isMark := item.MarkedBy(it)
			if !isMark {
				_, at, _ = key.ParseAuthored(table.Text(it, key.SK))
			}
			ids[at.CommentID] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var keys []table.Item
	for id := range ids {
		keys = append(keys, table.Key(key.Comment(id)))
	}
	want := map[string]bool{}
	var damage error
	err = c.a.t.GetMany(ctx, keys, true, func(it table.Item) {
		if item.IsDeleted(it) || table.Text(it, item.AttrOwner) != owner {
			return
		}
		comment, err := item.Read(it, "")
		if err != nil {
			damage = err
			return
		}
		for _, mark := range marksOf(&comment) {
			want[mark] = true
		}
	})
	if err == nil {
		err = damage
	}
	for mark := range want {
		if !has[mark] {
			differences = append(differences, fmt.Sprintf("the mark %q of a comment is missing", mark))
		}
	}
	for mark := range has {
		if !want[mark] {
			differences = append(differences, fmt.Sprintf("there is the mark %q, and no comment of which it is", mark))
		}
	}
	slices.Sort(differences)
	return differences, err
}

// Count returns how many marks there are.
func (c *census) Count() (kind string, items int64) {
	if n := c.marks.Load(); n > 0 {
		return "marks of authors", n
	}
	return "", 0
}
