package simulation

import (
	"time"

	"product-comments/store/errs"
)

// remove deletes a comment.
func remove(a *act) {
	id := a.model.someID(a)
	c, ctx := a.begin("delete", "%s", id)
	c.within = callTimeout
	c.explain = func(_, after *state) string {
		if after != nil {
			return "a delete changed a comment"
		}
		return ""
	}
	got, err := a.server.store.Delete(ctx, id)
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
		if !a.model.was(id, c.began, time.Now(), gone) {
			a.fail("not found", id, "%s ended with %v, but the comment was there", c, err)
		}
	default:
		a.wrote(c)
	}
}
