package double

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/store/simulation/faults"
)

const (
	tableService   = "DynamoDB"
	streamsService = "DynamoDB Streams"
)

// call describes a call apart from its effect.
type call struct {
	service, operation string
	content            hash // identifies the call among calls of the same operation
	writes             bool
	conflict           func(*rand.Rand) error // the error of a conflict with another transaction; nil if there can be none
	items              int                    // of a transaction; 0 for other calls
}

// setting is the input of a call's effect, apart from the request.
type setting struct {
	*DB
	now    time.Time
	faults faults.Rates
	dice   *rand.Rand
}

// happens draws a fault with a given probability.
func (s *setting) happens(often float64) bool { return s.dice.Float64() < often }

// do makes a call. The call takes time, may meet faults, and has its effect under the DB's lock.
// The draws do not depend on the scheduling of goroutines.
func do[T any](ctx context.Context, c *Client, what call, effect func(*setting) (T, error)) (T, error) {
	var none T
	dice, rates := c.begin(&what)
	fate := rates.Draw(dice)
	refusal := what.refusal(fate, dice)
	if err := c.wait(ctx, &what, fate.Before); err != nil {
		return none, err
	}
	if refusal != nil && fate.Refused() {
		return none, refusal
	}
	out, err := once(ctx, c, &what, rates, dice, effect)
	if fate.Repeated > 0 && !errors.Is(err, errDead) {
		if err := c.wait(ctx, &what, fate.Repeated); err != nil {
			return none, err
		}
		if what.writes {
			out, err = once(ctx, c, &what, rates, dice, effect)
		}
	}
	if err := c.wait(ctx, &what, fate.After); err != nil {
		return none, err
	}
	if refusal != nil {
		return none, refusal
	}
	if fate.Lost {
		return none, unanswered(what.service, what.operation, errLost)
	}
	return out, err
}

// begin counts a call and returns its dice.
func (c *Client) begin(what *call) (*rand.Rand, faults.Rates) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	which := c.process.text(what.operation).number(uint64(what.content))
	c.times[which]++
	return which.number(c.times[which]).dice(), c.faults
}

// once executes the effect of a call once.
func once[T any](ctx context.Context, c *Client, what *call, rates faults.Rates, dice *rand.Rand, effect func(*setting) (T, error)) (T, error) {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	var none T
	if c.killed() {
		return none, unanswered(what.service, what.operation, errDead)
	}
	c.db.caller = ctx
	defer func() { c.db.caller = nil }()
	out, err := effect(&setting{c.db, time.Now(), rates, dice})
	if err != nil {
		return none, answered(what.service, what.operation, err)
	}
	return out, nil
}

// wait waits for a duration. It returns an error if the context ends or the process dies before.
func (c *Client) wait(ctx context.Context, what *call, d time.Duration) error {
	if ctx.Err() != nil {
		return unanswered(what.service, what.operation, &aws.RequestCanceledError{Err: ctx.Err()})
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		if !c.killed() {
			return nil
		}
	case <-ctx.Done():
		return unanswered(what.service, what.operation, &aws.RequestCanceledError{Err: ctx.Err()})
	case <-c.dead:
	}
	return unanswered(what.service, what.operation, errDead)
}
