package simulation

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"product-comments/store"
	items "product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
)

// keyAge is for how long the store promises to remember an idempotency key.
const keyAge = 7 * 24 * time.Hour

// create writes a comment, often with an idempotency key that others use, too.
func create(a *act) {
	n := a.newComment(a.product(), a.owner())
	if len(n.Photos) == 0 || a.chance(0.5) {
		a.creates(n)
		return
	}
	twin := a.newComment(a.product(), n.Owner) // in two tabs at once
	twin.Photos = n.Photos
	var both sync.WaitGroup
	both.Go(func() { a.aside("twin").creates(twin) })
	a.creates(n)
	both.Wait()
	a.marks.add("two comments took the same photos at once")
}

// creation is a comment that is to be created, and its name in the script.
type creation struct {
	As string
	store.NewComment
}

func (a *act) newComment(product, owner string) creation {
	n := store.NewComment{ProductID: product, Owner: owner, Language: a.language(), Rating: 1 + a.IntN(5), Title: a.words(), Text: a.text(), Author: "ann"}
	n.OnePerOwner, n.Attributes = a.config.Alone, a.given(n.ProductID)
	if a.chance(0.2) {
		n.Incentive = a.incentive()
	}
	if a.config.Photos && a.chance(0.5) {
		n.Photos = a.photos(owner, "")
	}
	if a.chance(0.4) {
		n.IdempotencyKey = fmt.Sprintf("key-%d", a.IntN(12))
	}
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	a.creations++
	return creation{"$" + itoa(a.creations), n}
}

// incentive draws what an author got; some got nothing.
func (a *act) incentive() items.Incentive {
	return []items.Incentive{"", "DISCOUNT", "FREE_PRODUCT"}[a.IntN(3)]
}

func (a *act) creates(n creation) {
	defer a.as(&n.Owner)()
	n.By = n.Owner
	if n.Owner != "" {
		n.Author = "ann, who is " + n.Owner
	}
	c, ctx := a.begin("create", n)
	memory := n.ProductID + "\x00" + n.IdempotencyKey + "\x00" + n.Owner
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		switch {
		case before != nil || after == nil:
			return "a create took the place of another comment"
		case len(c.commits) > 0:
			return "one create made two comments"
		case after.standing != map[bool]string{true: "PENDING"}[a.config.Mode == moderation.Pre] || after.reports > 0 || after.reply != "":
			return "the comment does not stand as the shop moderates"
		case after.version != 1 || after.product != n.ProductID || after.language != n.Language || after.rating != n.Rating || after.title != n.Title || after.text != n.Text || after.author != n.Author || after.owner != n.Owner:
			return "the comment is another one than was to be made"
		case after.bought != a.model.bought.decided(n.Owner, n.ProductID):
			return "the comment says otherwise of a purchase than orders do"
		case !takesInputs(a.model.knowable(n.ProductID, c.began), n.Attributes, "", after.attributes):
			return "the comment has other attributes than were given"
		case after.incentive != string(n.Incentive) || after.used != "":
			return "the comment has another incentive than was given"
		case after.photos != complete(n.Photos):
			return "the comment has other photos than were given"
		case n.OnePerOwner && n.Owner != "" && !a.model.alone(after):
			return "a second comment of " + n.Owner
		}
		if n.IdempotencyKey != "" {
			if first := a.model.keys[memory]; first != "" && time.Since(a.model.keysAt[memory]) < keyAge {
				return "a second comment was made under an idempotency key, after " + first
			}
			a.model.keys[memory], a.model.keysAt[memory] = after.id, time.Now()
		}
		a.model.named[n.As] = after.id
		return ""
	}
	got, err := a.server.store.Create(ctx, n.NewComment)
	a.end(c, err, "%s", got.ID)
	effects := c.effects()
	a.model.mu.Lock()
	first := a.model.keys[memory]
	a.model.mu.Unlock()
	switch {
	case err == nil && len(effects) == 1:
		if s := stateOf(&got); s != *effects[0].after {
			a.fail("answer", got.ID, "%s returned %s, and wrote %s", c, &s, effects[0].after)
		}
		a.look(got.ProductID)
	case err == nil && n.IdempotencyKey == "":
		a.fail("lost write", got.ID, "%s was acknowledged and wrote nothing", c)
	case err == nil:
		a.marks.add("a create was repeated with its idempotency key")
		a.returned(c, got, first)
	case a.refusedPhotos(c, n.Photos, n.By, ""):
	case errs.CodeOf(err) == errs.Conflict && n.OnePerOwner && n.Owner != "" && len(effects) == 0 && a.hadWritten(c, n):
		a.marks.add("a second comment of an owner was refused")
	case errs.CodeOf(err) == errs.Conflict && n.IdempotencyKey != "":
		// An unpublished comment is no longer its author's once they were erased.
		gone := func(s *state) bool { return s == nil || s.hidden() && s.owner != n.Owner }
		if !a.model.was(first, c.began, time.Now(), gone) {
			a.fail("not found", first, "%s ended with %v, but the comment was not deleted", c, err)
		}
		a.marks.add("a create was repeated after its comment was deleted")
	case a.refusedRightly(c, n.ProductID, n.Attributes, ""):
	default:
		a.wrote(c, a.tooMany()...)
	}
}

// hadWritten reports whether the owner of a new comment had one about the product
// while the call went on.
func (a *act) hadWritten(c *call, n creation) bool {
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	return a.model.wrote(n.Owner, n.ProductID, c.began, time.Now())
}

// tooMany is the code with which a write may be refused that would give a product
// comments in too many languages.
func (a *act) tooMany() []errs.Code {
	if a.config.Tongues > 0 {
		return []errs.Code{errs.BadUserInput}
	}
	return nil
}

// returned checks that a call returned a state that the comment had during the call.
func (a *act) returned(c *call, got store.Comment, id string) {
	s := stateOf(&got)
	if got.ID != id || !a.model.was(id, c.began, time.Now(), func(was *state) bool { return was != nil && *was == s }) {
		a.fail("answer", got.ID, "%s returned %s, which is no state of comment %q during the call", c, &s, id)
	}
}

// wrote checks the error of a write.
func (a *act) wrote(c *call, coded ...errs.Code) {
	if errs.CodeOf(c.err) == errs.BadUserInput {
		a.marks.add("a language was refused")
	}
	if a.tolerable(c, c.err, coded...) {
		if why := hasty(c); why != "" {
			a.fail("hasty", "", "%s: %s: %v", c, why, c.err)
		}
	}
}

// update changes a comment; with a new title always, so that what is written
// tells who wrote it.
func update(a *act) {
	title := a.words()
	change := store.Change{ID: a.model.someID(a), Title: &title}
	if a.chance(0.4) || a.config.Sparse {
		change.Rating = new(1 + a.IntN(5))
	}
	if a.chance(0.2) {
		change.Language = new(a.language())
	}
	if a.chance(0.2) {
		change.Text = new(a.text())
	}
	if a.chance(0.2) {
		change.ExpectedVersion = new(1 + a.IntN(3))
	}
	if now := a.model.standsAs(change.ID); now != nil {
		change.Attributes = a.given(now.product)
	}
	if a.chance(0.3) {
		change.By = a.someone("owner", 2)
	}
	if now := a.model.standsAs(change.ID); now != nil && a.config.Photos && a.chance(0.5) {
		change.By = now.owner
		change.Photos = new(a.photos(change.By, now.photos))
	}
	a.updates(change)
}

func (a *act) updates(change store.Change) {
	defer a.as(&change.By)()
	c, ctx := a.begin("update", change)
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
		if s := stateOf(&got).votedAs(last.after); s != *last.after { // votes may have come in the meantime
			a.fail("answer", change.ID, "%s returned %s, and wrote %s", c, &s, last.after)
		}
		if last.before.version > 1 {
			a.marks.add("a comment was edited twice")
		}
		a.look(got.ProductID)
	case change.Photos != nil && a.refusedPhotos(c, *change.Photos, change.By, change.ID):
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

// refusedAny reports whether the attributes of a change may be refused, for the comment as
// it was at some time while the call went on.
func (a *act) refusedAny(c *call, change store.Change) bool {
	a.model.mu.Lock()
	states := a.model.during(change.ID, c.began, time.Now())
	a.model.mu.Unlock()
	return slices.ContainsFunc(states, func(s *state) bool {
		return s != nil && a.refusedRightly(c, s.product, change.Attributes, s.attributes)
	})
}

// explainUpdate tells what is wrong with a change that an update made.
func explainUpdate(change store.Change, c *call, before, after *state) string {
	if before == nil || after == nil {
		return "an update made or removed a comment"
	}
	if c.repeats(after.id) {
		return "one update took effect twice, over what was written in the meantime"
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
		want.standing, want.why = "PENDING", items.Why{Code: items.HeldByEdit}
		c.process.h.marks.add("what was edited came before a moderator again")
	}
	for _, part := range []struct{ to, from *string }{{&want.title, change.Title}, {&want.text, change.Text}, {&want.language, change.Language}} {
		if part.from != nil {
			*part.to = *part.from
		}
	}
	if change.Photos != nil {
		want.photos = complete(*change.Photos)
	}
	if change.Rating != nil {
		want.rating = *change.Rating
	}
	if *after != want || after.updated <= before.updated {
		return "the update did not do what it was to do"
	}
	return ""
}

// remove deletes a comment.
func remove(a *act) {
	d := deletion{ID: a.model.someID(a)}
	if a.chance(0.5) {
		d.By = a.owner()
	}
	a.deletes(d)
}

// deletion is that of a comment, only if it is theirs if it says by whom.
type deletion struct{ ID, By string }

func (a *act) deletes(d deletion) {
	id, who := d.ID, d.By
	var guard store.Guard
	if who != "" { // only if it is theirs
		guard = func(owner string) error {
			if owner != who {
				return errs.Errorf(errs.Forbidden, "it is another's")
			}
			return nil
		}
	}
	c, ctx := a.begin("delete", d)
	c.within = callTimeout
	c.explain = func(before, after *state) string {
		switch {
		case after != nil:
			return "a delete changed a comment"
		case who != "" && before.owner != who:
			return "a delete of another's comment"
		}
		return ""
	}
	got, err := a.server.store.Delete(ctx, id, guard)
	a.end(c, err, "")
	effects := c.effects()
	gone := func(s *state) bool { return s == nil }
	switch {
	case err == nil && !a.model.was(id, c.began, time.Now(), gone):
		a.fail("lost write", id, "%s was acknowledged and the comment was there all the time", c)
	case err == nil:
		a.returned(c, got, id)
		a.look(got.ProductID)
	case errs.CodeOf(err) == errs.NotFound && len(effects) > 0:
		a.fail("not found", id, "%s deleted the comment and ended with %v", c, err)
	case errs.CodeOf(err) == errs.NotFound:
		unseen := func(s *state) bool { return gone(s) || who != "" && s.owner != who && s.hidden() }
		if !a.model.was(id, c.began, time.Now(), unseen) {
			a.fail("not found", id, "%s ended with %v, but the comment was there", c, err)
		}
	case errs.CodeOf(err) == errs.Forbidden && who != "":
		if len(effects) > 0 || !a.model.was(id, c.began, time.Now(), func(s *state) bool { return s != nil && s.owner != who }) {
			a.fail("forbidden", id, "%s ended with %v, but it was theirs", c, err)
		}
		a.marks.add("another's comment was not deleted")
	default:
		a.wrote(c)
	}
}

// get reads comments by their ids, which is strongly consistent: each is as it
// was at some time of the call.
func get(a *act) {
	ids := make([]string, 1+a.IntN(4))
	for i := range ids {
		ids[i] = a.model.someID(a)
	}
	a.gets(ids)
}

func (a *act) gets(ids []string) {
	c, ctx := a.begin("get", ids)
	var got []*store.Comment
	var err error
	if len(ids) == 1 {
		var one *store.Comment
		one, err = a.server.store.Get(ctx, ids[0])
		got = []*store.Comment{one}
	} else {
		got, err = a.server.store.GetMany(ctx, ids)
	}
	a.end(c, err, "%d", len(got))
	if err != nil {
		a.tolerable(c, err)
		return
	}
	for i, id := range ids {
		var s *state
		if got[i] != nil {
			s = new(stateOf(got[i]))
		}
		if !a.model.was(id, c.began, time.Now(), func(was *state) bool { return (was == nil) == (s == nil) && (s == nil || *was == *s) }) {
			a.fail("answer", id, "%s returned %s, which comment %s was not during the call", c, s, id)
		}
	}
}
