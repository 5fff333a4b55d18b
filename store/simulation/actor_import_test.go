package simulation

import (
	"fmt"
	"time"

	"product-comments/store"
)

// importFile imports comments, some of which may be there, and often the same
// ones again.
func importFile(a *act) {
	again := 1
	if a.chance(0.3) {
		again = 2
	}
	file := a.file(1 + a.IntN(40))
	for range again {
		if a.imports(file) != nil {
			return
		}
	}
}

// importComments imports a file of so many comments.
func importComments(a *act, n int) { _ = a.imports(a.file(n)) }

// file draws comments with different ids, most of them from a small pool, and
// some of the ones that visitors made.
func (a *act) file(n int) []store.Comment {
	seen := map[string]bool{}
	var file []store.Comment
	for range n {
		id := fmt.Sprintf("imported-%d", a.IntN(60))
		if a.chance(0.15) {
			id = a.model.someID(a)
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		// Few different times, so that the order is by id, too.
		created := a.began.Add(-time.Duration(a.IntN(5)) * time.Hour).Add(time.Duration(len(id)) * time.Minute)
		c := store.Comment{ID: id, ProductID: a.product(), Language: a.language(), Rating: 1 + a.IntN(5), Title: a.words(), Text: a.text(), Author: "bob", CreatedAt: created}
		if a.chance(0.2) {
			c.VerifiedPurchase, c.Helpful, c.Attributes = new(a.chance(0.7)), new(a.IntN(9)), []byte(`{"seat":4}`)
			if a.config.OldStatistics && len(a.servers) == 0 { // there was no order by that then
				c.Helpful = nil
			}
		}
		if a.chance(0.2) {
			c.Incentive, c.ExperiencedAt = a.incentive(), new(created.Add(-time.Hour))
		}
		if raw := a.raw(c.ProductID); raw != nil {
			c.Attributes = raw
		}
		file = append(file, c)
	}
	return file
}

// importKinds imports a comment of each of many kinds.
func importKinds(a *act, kinds int) {
	file := make([]store.Comment, kinds)
	for i := range file {
		file[i] = store.Comment{ID: fmt.Sprintf("old-%d", i), ProductID: a.config.Products[0], Language: fmt.Sprintf("en-x-k%d", i/5), Rating: 1 + i%5, Title: a.words(), CreatedAt: a.began.Add(-time.Duration(i) * time.Second)}
	}
	_ = a.imports(file)
}

// importTongues imports a comment in each of many languages.
func importTongues(a *act, languages int) {
	var file []store.Comment
	for i := range languages {
		file = append(file, store.Comment{ID: fmt.Sprintf("tongue-%d", i), ProductID: a.config.Products[0], Language: fmt.Sprintf("en-x-t%d", i), Rating: 1 + a.IntN(5), Title: a.words(), CreatedAt: a.began.Add(-time.Duration(i) * time.Second)})
	}
	_ = a.imports(file)
}

// imports imports a file and checks what was written.
func (a *act) imports(file []store.Comment) error {
	c, ctx := a.begin("import", file)
	given := map[string]*state{}
	for i := range file {
		given[file[i].ID] = new(stateOf(&file[i]))
	}
	counted := map[string]int{}
	c.within = importPatience
	c.explain = func(before, after *state) string {
		if after == nil {
			return "an import removed a comment"
		}
		want := given[after.id]
		if want == nil {
			return "an import wrote a comment that it was not given"
		}
		if counted[after.id]++; c.repeats(after.id) {
			return "one import wrote a comment twice, over what was done to it in the meantime"
		}
		s := *want
		s.version, s.updated = 1, after.updated
		if before != nil {
			if before.standing == "WITHDRAWN" {
				return "an import changed a withdrawn comment"
			}
			s.version, s.owner, s.bought = before.version+1, before.owner, a.model.bought.imported(before, s)
			s = s.votedAs(before).stands(before)
			s.photos = before.photos
		}
		if *after != s {
			return fmt.Sprintf("the import should have made it %s", &s)
		}
		return ""
	}
	outcomes, err := a.server.store.Import(ctx, file)
	a.end(c, err, "%v", outcomes)
	if err != nil {
		a.wrote(c, a.tooMany()...)
		return err
	}
	a.imported(c, file, outcomes, counted)
	return nil
}

// imported checks the outcomes of an import.
func (a *act) imported(c *call, file []store.Comment, outcomes []store.Outcome, counted map[string]int) {
	for i := range file {
		id := file[i].ID
		a.model.mu.Lock()
		n := counted[id]
		a.model.mu.Unlock()
		switch outcomes[i] {
		case store.IsWithdrawn:
			if n > 0 || !a.model.was(id, c.began, time.Now(), func(s *state) bool { return s != nil && s.standing == "WITHDRAWN" }) {
				a.fail("lost write", id, "%s left comment %s as withdrawn, which it is not", c, id)
			}
			a.marks.add("an import left a withdrawn comment")
		case store.Unchanged:
			want := stateOf(&file[i])
			alike := func(s *state) bool {
				if s == nil {
					return false
				}
				t := s.votedAs(&want).stands(&want)
				t.photos = want.photos
				t.version, t.updated, t.owner = want.version, want.updated, want.owner
				if want.bought == "" && (a.model.bought.follows[id] || a.model.now(id) == nil) { // of one that is gone it is not known any more
					t.bought = ""
				}
				return t == want
			}
			if n > 0 || !a.model.was(id, c.began, time.Now(), alike) {
				a.fail("lost write", id, "%s left comment %s as it is, which is another one", c, id)
			}
			a.marks.add("an import found what it was to write")
		default:
			// A change that another person made during the import comes after it.
			overtaken := n == 0 && len(a.model.during(id, c.began, time.Now())) > 1
			if n == 0 && !overtaken {
				a.fail("lost write", id, "%s was acknowledged and did not write comment %s", c, id)
			}
			if outcomes[i] == store.Replaced {
				a.marks.add("an import replaced a comment")
			}
		}
	}
}
