package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Altering is the part of the DynamoDB client that only upgrades use.
type Altering interface {
	DescribeTable(context.Context, *dynamodb.DescribeTableInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput,
		error)
	UpdateTable(context.Context, *dynamodb.UpdateTableInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput,
		error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput,
		...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// Step is one change of a table by an upgrade.
type Step struct {
	What   string // what the step does, a sentence without its full stop
	change *dynamodb.UpdateTableInput
	index  string // that the step creates or deletes
	gone   bool
	live   bool // the step enables time to live
	beside *dynamodb.CreateTableInput
}

// Steps returns the steps that make a table match the design while it serves. Missing indexes
// are created. An index that does not match gets a replacement under another name, which
// servers use after a restart. With leftovers, indexes that no longer serve are deleted; only
// servers of this version survive that. Steps returns an error that names what cannot be
// changed at all.
func (d Design) Steps(table *types.TableDescription, ttl *types.TimeToLiveDescription,
	leftovers bool) (steps []Step, err error) {
	want := d.Definition(aws.ToString(table.TableName))
	if !sameKeys(table.KeySchema, want.KeySchema) {
		return nil, fmt.Errorf("its key is %s, not %s, which cannot be changed: move its comments to a new table with product-comments export and import", spell(table.KeySchema), spell(want.KeySchema))
	}
	if stream := table.StreamSpecification; stream == nil || !aws.ToBool(stream.StreamEnabled) {
		steps = append(steps, Step{What: "enable the stream of new and old images; rebuild the statistics afterwards",
			change: &dynamodb.UpdateTableInput{TableName: want.TableName,
				StreamSpecification: want.StreamSpecification}})
	} else if stream.StreamViewType != want.StreamSpecification.StreamViewType {
		return nil, fmt.Errorf("its stream has the view type %s: disable it, which loses the statistics only, run this again, then run product-comments stats rebuild", stream.StreamViewType)
	}
	switch status := ttl.TimeToLiveStatus; {
	case status == types.TimeToLiveStatusDisabled || status == "":
		steps = append(steps, Step{What: "enable expiry by the attribute " + d.Expires, live: true})
	case aws.ToString(ttl.AttributeName) != d.Expires:
		return nil, fmt.Errorf("its items expire by the attribute %s, not %s: disable that, wait an hour, and run this again", aws.ToString(ttl.AttributeName), d.Expires)
	}
	for _, w := range want.GlobalSecondaryIndexes {
		step, missing := d.makeIndex(table, want, w)
		if missing {
			steps = append(steps, step)
		} else if leftovers { // the other indexes serve until the new one is active
			steps = append(steps, d.dropIndexes(table, w, step.index)...)
		}
	}
	return steps, nil
}

// makeIndex returns the step that creates an index that serves as one of the design. missing is
// false if there is such an index.
func (d Design) makeIndex(table *types.TableDescription, want *dynamodb.CreateTableInput,
	w designed) (step Step, missing bool) {
	if got := d.serving(table, w); got != nil {
		return Step{index: *got.IndexName}, false
	}
	others := candidates(table, *w.IndexName)
	for _, got := range others { // a matching index is being created
		if got.IndexStatus == types.IndexStatusCreating && len(lacks(got, w)) == 1 {
			return Step{What: "wait for the creation of index " + *got.IndexName, index: *got.IndexName}, true
		}
	}
	name := *w.IndexName
	if len(others) > 0 {
		name = fmt.Sprintf("%s-%d", name, candidateNumber(others[len(others)-1], name)+1)
	}
	what := "make index " + name
	if len(others) > 0 {
		what += " to replace " + *others[len(others)-1].IndexName + ": " + strings.Join(unfit(table, w), ", ")
	}
	return Step{What: what, index: name, change: &dynamodb.UpdateTableInput{
		TableName: want.TableName, AttributeDefinitions: attributesOf(want, table, w),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: &name, KeySchema: w.KeySchema, Projection: w.Projection,
			ProvisionedThroughput: throughputOf(table),
		}}},
	}}, true
}

// attributesOf returns the attribute definitions of the table with one index more: only
// attributes of the index's keys are added.
func attributesOf(want *dynamodb.CreateTableInput, table *types.TableDescription,
	w designed) []types.AttributeDefinition {
	out := slices.Clone(table.AttributeDefinitions)
	for _, k := range w.KeySchema {
		same := func(a types.AttributeDefinition) bool { return *a.AttributeName == *k.AttributeName }
		if !slices.ContainsFunc(out, same) {
			out = append(out, want.AttributeDefinitions[slices.IndexFunc(want.AttributeDefinitions, same)])
		}
	}
	return out
}

// throughputOf returns the throughput of a new index of a table with provisioned capacity: the
// table's own throughput. It is nil on demand.
func throughputOf(table *types.TableDescription) *types.ProvisionedThroughput {
	if p := table.ProvisionedThroughput; p != nil && aws.ToInt64(p.ReadCapacityUnits) > 0 &&
		(table.BillingModeSummary == nil || table.BillingModeSummary.BillingMode != types.BillingModePayPerRequest) {
		return &types.ProvisionedThroughput{ReadCapacityUnits: p.ReadCapacityUnits,
			WriteCapacityUnits: p.WriteCapacityUnits}
	}
	return nil
}

// dropIndexes returns the steps that delete all candidates for an index of the design, except
// the index with the name serving.
func (d Design) dropIndexes(table *types.TableDescription, w designed, serving string) (steps []Step) {
	for _, got := range candidates(table, *w.IndexName) {
		if name := *got.IndexName; name != serving {
			steps = append(steps, Step{What: "delete index " + name + ", which " + serving + " has replaced",
				index: name, gone: true, change: &dynamodb.UpdateTableInput{
					TableName:                   table.TableName,
					GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &name}}},
				}})
		}
	}
	return steps
}

// Upgrade is an upgrade of one table.
type Upgrade struct {
	API       Altering
	Table     string
	Design    Design
	Leftovers bool // delete indexes that no longer serve as one of the design
	// Waiting is called every Poll with what Make waits for and since when; may be nil.
	Waiting func(what string, since time.Duration)
	Poll    time.Duration // 5 seconds if zero
}

// Steps returns the steps to make, none for a table that matches the design. It returns an
// error if the table does not answer, or cannot match the design.
func (u *Upgrade) Steps(ctx context.Context) ([]Step, error) {
	found, err := u.API.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &u.Table})
	if err != nil {
		return nil, fmt.Errorf("describe table %q: %w", u.Table, err)
	}
	ttl, err := u.API.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &u.Table})
	if err != nil {
		return nil, fmt.Errorf("ask how items of table %q expire: %w", u.Table, err)
	}
	live := ttl.TimeToLiveDescription
	if live == nil {
		live = &types.TimeToLiveDescription{}
	}
	steps, err := u.Design.Steps(found.Table, live, u.Leftovers)
	if err != nil {
		return nil, err
	}
	columns, err := u.columns(ctx)
	return append(columns, steps...), err
}

// columns returns the step that creates the table of the attribute index, if there is none. It comes first,
// since it waits for no other step.
func (u *Upgrade) columns(ctx context.Context) ([]Step, error) {
	want := ColumnsDefinition(u.Table)
	found, err := u.API.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: want.TableName})
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing):
		return []Step{{What: "make table " + *want.TableName + ", for the indexes of attributes", beside: want}}, nil
	case err != nil:
		return nil, fmt.Errorf("describe table %q: %w", *want.TableName, err)
	}
	return nil, columnsMismatch(found.Table)
}

// Make performs one step and waits until it has taken effect, which takes minutes to hours for
// an index of a large table. If the context ends, DynamoDB continues the change; Steps then
// returns the wait for it as the first step.
func (u *Upgrade) Make(ctx context.Context, s Step) error {
	began := time.Now()
	poll := u.Poll
	if poll == 0 {
		poll = 5 * time.Second
	}
	for asked := false; ; {
		if !asked {
			err := u.ask(ctx, s)
			var busy *types.ResourceInUseException // DynamoDB is making another change of the table
			var limit *types.LimitExceededException
			if asked = err == nil; !asked && !errors.As(err, &busy) && !errors.As(err, &limit) {
				return fmt.Errorf("%s: %w", s.What, err)
			}
		}
		if asked {
			if done, err := u.done(ctx, s); done || err != nil {
				return err
			}
		}
		if u.Waiting != nil {
			u.Waiting(s.What, time.Since(began))
		}
		if err := Sleep(ctx, poll); err != nil {
			return fmt.Errorf("%s: %w; DynamoDB continues what it began", s.What, err)
		}
	}
}

func (u *Upgrade) ask(ctx context.Context, s Step) (err error) {
	switch {
	case s.live:
		_, err = u.API.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName: &u.Table,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &u.Design.Expires,
				Enabled: aws.Bool(true)},
		})
	case s.change != nil:
		_, err = u.API.UpdateTable(ctx, s.change)
	case s.beside != nil:
		_, err = u.API.CreateTable(ctx, s.beside)
		var exists *types.ResourceInUseException // another process has created it
		if errors.As(err, &exists) {
			err = nil
		}
	}
	return err
}

// done reports whether the table is active again, with the step's index created or deleted.
func (u *Upgrade) done(ctx context.Context, s Step) (bool, error) {
	name := u.Table
	if s.beside != nil {
		name = *s.beside.TableName
	}
	found, err := u.API.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return false, fmt.Errorf("describe table %q: %w", name, err)
	}
	t := found.Table
	i := slices.IndexFunc(t.GlobalSecondaryIndexes, func(g standing) bool { return *g.IndexName == s.index })
	switch {
	case t.TableStatus != types.TableStatusActive && t.TableStatus != "":
		return false, nil
	case s.index == "":
		return true, nil
	case s.gone:
		return i < 0, nil
	case i < 0:
		return false, fmt.Errorf("%s: DynamoDB aborted it", s.What)
	}
	status := t.GlobalSecondaryIndexes[i].IndexStatus
	return status == types.IndexStatusActive || status == "", nil
}
