package simulation

import (
	"time"

	"product-comments/store"
	"product-comments/store/errs"
)

// remove deletes a comment.
func remove(a *act) {
	id, who := a.model.someID(a), ""
	if a.chance(0.5) {
		who = a.owner()
	}
	var guard store.Guard
	if who != "" { // only if it is theirs
		guard = func(owner string) error {
			if owner != who {
				return errs.Errorf(errs.Forbidden, "it is another's")
			}
			return nil
		}
	}
	c, ctx := a.begin("delete", "%s by %q", id, who)
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
	got, err := a.server.store.DeleteIf(ctx, id, guard)
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
