package simulation

import (
	"context"
	"fmt"

	"product-comments/store"
	"product-comments/store/comment/moderation"
)

// notice reports a comment as one of a few people without a token, now and then again.
func notice(a *act) {
	id := a.model.someID(a)
	for _, s := range a.model.all() {
		if s.notices > 0 && !s.hidden() && a.chance(0.3) {
			id = s.id
		}
	}
	a.notices(noticing{id, fmt.Sprintf("n%d@example.org", a.IntN(4))})
}

// noticing is a report of a comment by a person with an address.
type noticing struct{ ID, Email string }

func (a *act) notices(n noticing) {
	_, effects := a.does(deed{
		verb: "notice", args: n, id: n.ID,
		refuses: (*state).hidden,
		makes:   func(is, _ *state) { is.reports, is.notices = is.reports+1, is.notices+1 },
		do: func(ctx context.Context) (store.Comment, error) {
			c, receipt, err := a.server.store.Notify(ctx, n.ID, moderation.Notice{Name: "Ann", Email: n.Email, Reason: "rude"})
			if err == nil && len(receipt) != 16 {
				a.fail("answer", n.ID, "the receipt is %q", receipt)
			}
			return c, err
		},
	})
	if effects == 0 {
		a.marks.add("a comment was reported again with the same address")
	}
}
