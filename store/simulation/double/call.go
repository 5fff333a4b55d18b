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

// call is what a call is, besides what it does.
type call struct {
	service, operation string
	content            hash // what tells it from other calls of its operation
	writes             bool
	conflict           func(*rand.Rand) error // what another transaction does to it; nil for nothing
	items              int                    // of a transaction; 0 for anything else
}

// setting is what a call's effect may depend on besides the request.
type setting struct {
	*DB
	now    time.Time
	faults faults.Rates
	dice   *rand.Rand
}

// happens draws whether a fault of a given probability happens.
func (s *setting) happens(often float64) bool { return s.dice.Float64() < often }

// do makes a call: it takes its time, may meet faults, and has its effect under
// the DB's lock. What is drawn does not depend on what other goroutines do.
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

// once has the effect of a call once.
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

// wait lets time pass. It returns an error if the caller or the process gives
// up first.
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
