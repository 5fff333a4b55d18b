package simulation

import (
	"fmt"
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/moderation"
)

// update changes a comment; with a new title always, so that what is written
// tells who wrote it.
func update(a *act) {
	title := a.words()
	change := store.Change{ID: a.model.someID(a), Title: &title}
	spelled := ""
	if a.chance(0.4) || a.config.Sparse {
		change.Rating = ptr(1 + a.IntN(5))
		spelled += " rating"
	}
	if a.chance(0.2) {
		change.Language = ptr(a.language())
		spelled += " language " + *change.Language
	}
	if a.chance(0.2) {
		change.Text = ptr(a.text())
		spelled += " text"
	}
	if a.chance(0.2) {
		change.ExpectedVersion = ptr(1 + a.IntN(3))
		spelled += " if at version " + itoa(*change.ExpectedVersion)
	}
	if now := a.model.standsAs(change.ID); now != nil {
		if change.Attributes = a.given(now.product); len(change.Attributes) > 0 {
			spelled += fmt.Sprintf(" attributes %q", change.Attributes)
		}
	}
	if a.chance(0.3) {
		change.By = a.somebody("owner", 2)
	}
	defer a.as(&change.By)()
	c, ctx := a.begin("update", "%s %q%s", change.ID, title, spelled)
	c.within = callTimeout
	c.explain = func(before, after *state) string { return explainUpdate(change, c, before, after) }
	got, err := a.server.store.Update(ctx, change)
	a.end(c, err, "version %d", got.Version)
	effects := c.effects()
	switch {
	case err == nil && len(effects) == 0:
		a.fail("lost write", change.ID, "%s was acknowledged and wrote nothing", c)
	case err == nil:
		last := effects[len(effects)-1]
		if s := stateOf(&got).votedAs(last.after); s != *last.after { // votes may have come meanwhile
			a.fail("answer", change.ID, "%s returned %s, and wrote %s", c, &s, last.after)
		}
		if last.before.version > 1 {
			a.marks.add("a comment was edited twice")
		}
		a.look(got.ProductID)
	case errs.CodeOf(err) == errs.NotFound:
		if !a.model.was(change.ID, c.began, time.Now(), func(s *state) bool { return s == nil }) {
			a.fail("not found", change.ID, "%s ended with %v, but the comment was there", c, err)
		}
	case errs.CodeOf(err) == errs.Conflict && a.model.was(change.ID, c.began, time.Now(), func(s *state) bool { return s != nil && s.standing == "WITHDRAWN" }):
		a.marks.add("what was taken back was not changed")
	case errs.CodeOf(err) == errs.Conflict && change.ExpectedVersion != nil:
		if !a.model.was(change.ID, c.began, time.Now(), func(s *state) bool { return s != nil && s.version != *change.ExpectedVersion }) {
			a.fail("conflict", change.ID, "%s ended with %v, but the comment was at that version", c, err)
		}
	case a.refusedAny(c, change):
	default:
		a.wrote(c, a.tooMany()...)
	}
}

// refusedAny tells whether the attributes of a change may be refused, for the comment as
// it was at some time while the call went on.
func (a *act) refusedAny(c *call, change store.Change) bool {
	a.model.mu.Lock()
	states := a.model.during(change.ID, c.began, time.Now())
	a.model.mu.Unlock()
	return slices.ContainsFunc(states, func(s *state) bool {
		return s != nil && a.refusedRightly(c, s.product, change.Attributes, s.attributes)
	})
}

func ptr[T any](v T) *T { return &v }

// explainUpdate tells what is wrong with a change that an update made.
func explainUpdate(change store.Change, c *call, before, after *state) string {
	if before == nil || after == nil {
		return "an update made or removed a comment"
	}
	if c.repeats(after.id) {
		return "one update took effect twice, over what was written meanwhile"
	}
	if change.ExpectedVersion != nil && *change.ExpectedVersion != before.version {
		return "an update of another version than was expected"
	}
	if !takesInputs(c.process.h.model.knowable(before.product, c.began), change.Attributes, before.attributes, after.attributes) {
		return "the update gave it other attributes than it was to"
	}
	want := *before
	want.attributes = after.attributes
	want.version++
	want.updated = after.updated
	switch mode := c.process.h.config.Mode; {
	case before.standing == "WITHDRAWN":
		return "what was taken back was changed"
	case before.standing == "REJECTED" || before.standing == "" && mode == moderation.Pre:
		want.standing, want.why = "PENDING", moderation.ReasonEdited
		c.process.h.marks.add("what was edited came before a moderator again")
	}
	for _, part := range []struct{ to, from *string }{{&want.title, change.Title}, {&want.text, change.Text}, {&want.language, change.Language}} {
		if part.from != nil {
			*part.to = *part.from
		}
	}
	if change.Rating != nil {
		want.rating = *change.Rating
	}
	if *after != want || after.updated <= before.updated {
		return "the update did not do what it was to do"
	}
	return ""
}
