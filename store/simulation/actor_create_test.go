package simulation

import (
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/moderation"
)

// keyAge is for how long the store promises to remember an idempotency key.
const keyAge = 7 * 24 * time.Hour

// create writes a comment, often with an idempotency key that others use, too.
func create(a *act) { a.creates(a.newComment(a.product(), a.owner())) }

func (a *act) newComment(product, owner string) store.NewComment {
	n := store.NewComment{ProductID: product, Owner: owner, Language: a.language(), Rating: 1 + a.IntN(5), Title: a.words(), Text: a.text(), Author: "ann"}
	n.OnePerOwner, n.Attributes = a.config.Alone, a.given(n.ProductID)
	if a.chance(0.4) {
		n.IdempotencyKey = fmt.Sprintf("key-%d", a.IntN(12))
	}
	return n
}

func (a *act) creates(n store.NewComment) {
	defer a.as(&n.Owner)()
	if n.Owner != "" {
		n.Author = "ann, who is " + n.Owner
	}
	c, ctx := a.begin("create", "%s %s/%d %q by %q key %q %q", n.ProductID, n.Language, n.Rating, n.Title, n.Owner, n.IdempotencyKey, n.Attributes)
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
		case n.OnePerOwner && n.Owner != "" && !a.model.alone(after):
			return "a second comment of " + n.Owner
		}
		if n.IdempotencyKey != "" {
			if first := a.model.keys[memory]; first != "" && time.Since(a.model.keysAt[memory]) < keyAge {
				return "a second comment was made under an idempotency key, after " + first
			}
			a.model.keys[memory], a.model.keysAt[memory] = after.id, time.Now()
		}
		return ""
	}
	got, err := a.server.store.Create(ctx, n)
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
	case errs.CodeOf(err) == errs.Conflict && n.OnePerOwner && n.Owner != "" && len(effects) == 0 && a.hadWritten(c, n):
		a.marks.add("a second comment of an owner was refused")
	case errs.CodeOf(err) == errs.Conflict && n.IdempotencyKey != "":
		if !a.model.was(first, c.began, time.Now(), func(s *state) bool { return s == nil }) {
			a.fail("not found", first, "%s ended with %v, but nobody deleted the comment", c, err)
		}
		a.marks.add("a create was repeated after its comment was deleted")
	case a.refusedRightly(c, n.ProductID, n.Attributes, ""):
	default:
		a.wrote(c, a.tooMany()...)
	}
}

// hadWritten tells whether the owner of a new comment had one about the product
// while the call went on.
func (a *act) hadWritten(c *call, n store.NewComment) bool {
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

// returned checks that a call returned a comment as it was while it went on.
func (a *act) returned(c *call, got store.Comment, id string) {
	s := stateOf(&got)
	if got.ID != id || !a.model.was(id, c.began, time.Now(), func(was *state) bool { return was != nil && *was == s }) {
		a.fail("answer", got.ID, "%s returned %s, which is no state of comment %q meanwhile", c, &s, id)
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
