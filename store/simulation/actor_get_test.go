package simulation

import (
	"time"

	"product-comments/store"
)

// get reads comments by their ids, which is strongly consistent: each is as it
// was at some time of the call.
func get(a *act) {
	ids := make([]string, 1+a.IntN(4))
	for i := range ids {
		ids[i] = a.model.someID(a)
	}
	c, ctx := a.begin("get", "%v", ids)
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
			s = ptr(stateOf(got[i]))
		}
		if !a.model.was(id, c.began, time.Now(), func(was *state) bool { return (was == nil) == (s == nil) && (s == nil || *was == *s) }) {
			a.fail("answer", id, "%s returned %s, which comment %s was not meanwhile", c, s, id)
		}
	}
}
