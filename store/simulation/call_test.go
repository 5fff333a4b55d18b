package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"errors"

	"github.com/aws/smithy-go"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/settings/definitions"
)

// call is one call of a verb, or the endless call of a projector.
type call struct {
	number  int
	verb    string
	args    any // as the operation's line in a script has them
	process *process
	began   time.Time
	ended   time.Time // zero while it is under way
	// explain tells what is wrong with a comment's change by this call, ""
	// if it may make it. Nil if it may make none. The model's lock is held.
	explain func(before, after *state) string
	// casts tells what is wrong with a vote that this call casts, "" if it may cast it.
	// Nil if it may cast none. The model's lock is held.
	casts func(commentID, voter string, vote votes.Vote) string
	// orders tells what is wrong with an order's change by this call, "" if it may make
	// it. Nil if it may make none. The model's lock is held.
	orders func(id string, before, after placedOrder) string
	// erases is the person whom this call erases, empty for no one. It is stopped at its
	// write of that number, if there is one.
	erases   string
	stopped  int
	erasures int // how many writes it made; guarded by the model's lock
	// defines and assigns report whether this call may define that, or put a product into
	// that group. Nil if it may define nothing, or assign none. The model's lock is held.
	defines   func(definitions.Scope, []attributes.Definition) bool
	assigns   func(of definitions.Scope, group string) bool
	redefined int // how often it did; guarded by the model's lock
	// contact is the address that this call gives an order, does and optsOut what it does to a request,
	// and to which address; empty for none.
	contact, does, optsOut string
	// within is how long after it began it may take effect; 0 is without bound.
	within  time.Duration
	commits []*moment // in order; guarded by the model's lock
	err     error
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

func (c *call) String() string {
	if c == nil {
		return "nobody"
	}
	return fmt.Sprintf("#%d %s's %s %s", c.number, c.process.name, c.verb, shorten(asText(c.args), 200))
}

func (c *call) processName() string {
	if c == nil {
		return ""
	}
	return c.process.name
}

const (
	// callTimeout is the store's default of one verb with all its retries.
	callTimeout = 5 * time.Second
	// importPatience is the store's, of one import.
	importPatience = 5 * time.Minute
	// inFlight is for how long a request may be under way that no one waits for.
	inFlight = 2 * time.Second
)

// late tells what is late in taking effect now, "" if it is not.
func (c *call) late(now time.Time) string {
	switch death := c.process.died(); {
	case c.within > 0 && now.Sub(c.began) > c.within+inFlight:
		return fmt.Sprintf("%s after it began", now.Sub(c.began))
	case !death.IsZero() && now.Sub(death) > inFlight:
		return fmt.Sprintf("%s after the death of its process", now.Sub(death))
	case !c.ended.IsZero() && c.err == nil:
		return "after it was acknowledged"
	}
	return ""
}

// same is the explain of a call that must not change what comments say.
func same(_, _ *state) string { return "it changed what a comment says" }

// remembered is how many writes an item names: of a write whose answer was lost
// no one knows any more that it took effect after so many others.
const remembered = 4

// repeats reports whether a call changes a comment once more, which it must not.
// The model's lock is held, and the present change is the comment's last moment.
func (c *call) repeats(id string) bool {
	all := c.process.h.model.comments[id]
	others := 0
	for _, mo := range slices.Backward(all[:len(all)-1]) {
		switch {
		case mo.by != c && mo.onlyVotes(): // a vote is not named
		case mo.by != c:
			others++
		case others < remembered:
			return true
		default:
			c.process.h.marks.add("a write was followed by more than its item remembers")
			return false
		}
	}
	return false
}

// effects returns the changes that a call made so far.
func (c *call) effects() []*moment {
	m := c.process.h.model
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*moment(nil), c.commits...)
}

// tolerable reports whether an error is one that a caller must live with at present.
// Those that are not are a failure of the history.
func (h *history) tolerable(c *call, err error, coded ...errs.Code) bool {
	code := errs.CodeOf(err)
	for _, want := range coded {
		if code == want {
			return true
		}
	}
	if code != errs.Unavailable && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		h.fail("error", "", "%s ended with %s: %v", c, code, err)
		return false
	}
	if h.tooSlow(err) {
		return true
	}
	// Calls share reads that are under way, of which some began before they did.
	if !c.process.died().IsZero() || c.process.faulty(c.began.Add(-inFlight)) {
		return true
	}
	h.fail("error", "", "%s failed although nothing was wrong: %v", c, err)
	return false
}

// tooSlow reports whether an error is that what must be read one after the other, over a
// network like the history's, takes longer than a call has.
func (h *history) tooSlow(err error) bool {
	if h.config.Calls.Latency <= callTimeout/25 || err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
		return false
	}
	h.marks.add("a slow network left a call no time")
	return true
}

// hasty tells why a write should have been tried for longer, "" if not: what
// DynamoDB refuses for the moment is no reason to give up before the time is over.
func hasty(c *call) string {
	var api smithy.APIError
	if c.err == nil || !errors.As(c.err, &api) || time.Since(c.began) > callTimeout*3/4 || !c.process.died().IsZero() {
		return ""
	}
	switch api.ErrorCode() {
	case "TransactionConflictException", "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "TransactionCanceledException", "TransactionInProgressException":
		return fmt.Sprintf("it gave up after %s because of a %s", time.Since(c.began), api.ErrorCode())
	}
	return ""
}
