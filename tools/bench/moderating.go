package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/table"
)

// spending adds up the write units of all writes, indexes included.
type spending struct {
	*dynamodb.Client
	mu    sync.Mutex
	units float64
}

func (s *spending) spend(all ...*types.ConsumedCapacity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range all {
		if c != nil {
			s.units += aws.ToFloat64(c.CapacityUnits)
		}
	}
}

// read returns what was spent since the last time.
func (s *spending) read() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	units := s.units
	s.units = 0
	return units
}

func (s *spending) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := s.Client.PutItem(ctx, in, o...)
	if err == nil {
		s.spend(out.ConsumedCapacity)
	}
	return out, err
}

func (s *spending) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := s.Client.UpdateItem(ctx, in, o...)
	if err == nil {
		s.spend(out.ConsumedCapacity)
	}
	return out, err
}

func (s *spending) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := s.Client.TransactWriteItems(ctx, in, o...)
	if err == nil {
		for i := range out.ConsumedCapacity {
			s.spend(&out.ConsumedCapacity[i])
		}
	}
	return out, err
}

// moderatedComments is how many comments each step is measured on.
const moderatedComments = 40

// measureModeration measures what it costs to write comments that are shown at once or
// wait, to decide about them, and to read the queue.
func measureModeration(ctx context.Context, b *bench) error {
	say("moderation")
	b.report.line("Moderation, %d comments of one kind with a text of 400 bytes: units each, of reads strongly consistent where the store reads so.", moderatedComments)
	b.report.columns(1, "what | write units | read units")
	for _, mode := range []moderation.Mode{moderation.Off, moderation.Pre} {
		if err := b.moderate(ctx, mode); err != nil {
			return fmt.Errorf("moderation %s: %w", mode, err)
		}
	}
	b.report.end()
	return nil
}

func (b *bench) moderate(ctx context.Context, mode moderation.Mode) error {
	spent := &spending{Client: b.client}
	s := store.New(spent, "moderation."+mode.String(), store.Options{Moderation: moderation.Options{Mode: mode, Reports: 1000}})
	if err := s.EnsureTable(ctx, true); err != nil {
		return err
	}
	made := store.NewComment{ProductID: "42", Rating: 4, Language: "en", Title: "A title as usual", Author: "Somebody", Text: fmt.Sprintf("%0400d", 0), Owner: "alice"}
	if _, err := s.Create(ctx, made); err != nil { // the first of its kind is announced
		return err
	}
	var ids []string
	step := func(what string, do func(context.Context, int) error) error {
		spent.read()
		within, meter := table.WithMeter(ctx)
		for i := range moderatedComments {
			if err := do(within, i); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		units, _ := meter.Read()
		b.report.row("%s | %.1f | %.1f", what, spent.read()/moderatedComments, units/moderatedComments)
		return nil
	}
	decide := func(v moderation.Verb) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			_, err := s.Decide(ctx, store.Ruling{ID: ids[i], Verb: v, By: "mia", Reason: "because"})
			return err
		}
	}
	report := func(who string) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			_, err := s.Report(ctx, ids[i], who, "")
			return err
		}
	}
	create := func(ctx context.Context, _ int) error {
		c, err := s.Create(ctx, made)
		ids = append(ids, c.ID)
		return err
	}
	if mode == moderation.Off {
		if err := step("a comment that is shown at once", create); err != nil {
			return err
		}
		made.Owner = ""
		return step("the same of nobody in particular", create)
	}
	page := func(ctx context.Context, _ int) error {
		got, err := s.Queue(ctx, moderation.Queue{State: item.Pending}, store.Window{Limit: pageSize})
		if err == nil && len(got.Items) != pageSize {
			err = fmt.Errorf("a page of the queue has %d comments", len(got.Items))
		}
		return err
	}
	for _, one := range []struct {
		what string
		do   func(context.Context, int) error
	}{
		{"a comment that waits", create},
		{fmt.Sprintf("a page of %d of the queue", pageSize), page},
		{"approved", decide(moderation.Approve)},
		{"reported for the first time", report("bob")},
		{"reported again", report("carol")},
		{"replied to", func(ctx context.Context, i int) error {
			_, err := s.Reply(ctx, ids[i], "Thank you for your comment", nil)
			return err
		}},
		{"rejected", decide(moderation.Reject)},
		{"approved again", decide(moderation.Approve)},
		{"withdrawn", decide(moderation.Withdraw)},
	} {
		if err := step(one.what, one.do); err != nil {
			return err
		}
	}
	return nil
}
