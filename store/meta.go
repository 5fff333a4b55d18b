package store

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/cache"
	"product-comments/store/errs"
	"product-comments/store/key"
)

// State is what the table's statistics are worth.
type State string

const (
	// StateUnknown: the table is older than its statistics.
	StateUnknown State = ""
	// StateNew: the table was made with statistics in mind, but no projector
	// has looked at its stream yet.
	StateNew State = "new"
	// StateKept: every comment is counted as soon as its record was projected.
	StateKept State = "kept"
	// StateRebuilding: comments are being counted anew.
	StateRebuilding State = "rebuilding"
	// StateBroken: records were lost. Only a rebuild helps.
	StateBroken State = "broken"
)

// Meta describes the table's statistics, in one item.
type Meta struct {
	State      State
	Generation int       // one more with every rebuild
	Stream     string    // ARN of the stream that they were counted from; empty before the first record
	Created    time.Time // when the table was made; zero if it is older than this item
	// PowerSets are the products whose comments are kept once for every set of
	// ratings, and how far that is.
	PowerSets map[string]PowerSet
	// Dictionary is the version of the dictionary that comments are packed with
	// when they are written; 0 is none.
	Dictionary int

	rebuilt     time.Time // when the generation began
	rebuilder   string    // who rebuilds, or did last
	rebuilderAt time.Time // when it last said so
	revision    int       // of the item, 0 if there is none
}

// PowerSet is how far the copies of a product's comments are.
type PowerSet string

const (
	PowerSetOff      PowerSet = ""         // there are none
	PowerSetFilling  PowerSet = "filling"  // kept, but not complete yet
	PowerSetReady    PowerSet = "ready"    // kept and complete: the planner reads them
	PowerSetLeaving  PowerSet = "leaving"  // kept, and no longer read
	PowerSetRemoving PowerSet = "removing" // no longer kept, being deleted
)

// Kept tells whether the projector keeps the copies.
func (p PowerSet) Kept() bool {
	return p == PowerSetFilling || p == PowerSetReady || p == PowerSetLeaving
}

// Attributes of the item, beside state, gen and rev.
const (
	attrStream    = "stream"    // S
	attrCreated   = "created"   // N, seconds since 1970
	attrPowerSets = "powerSets" // M of S: product id to state
	attrRebuilder = "rebuilder" // S
	attrRebuildAt = "rebuildAt" // N, seconds since 1970
	attrRebuilt   = "rebuilt"   // N, seconds since 1970
)

func metaKey() item { return primaryKey(key.Meta("statistics")) }

// settleTime is how long to wait after a change of Meta until every store, with
// the same options, has it
// and has finished the calls that it began before.
func (s *Store) settleTime() time.Duration { return 2*s.metaAge + s.timeout }

// metaCache remembers the item for a short time.
type metaCache struct {
	reading cache.Flights[struct{}, outcome[Meta]]

	mu   sync.Mutex
	at   time.Time
	meta Meta
}

// Meta reads the item, strongly consistent. It returns an Unavailable error if
// the store does not answer.
func (s *Store) Meta(ctx context.Context) (Meta, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	at := s.now()
	out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: metaKey(), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	if err != nil {
		return Meta{}, failed("read the state of the statistics", err)
	}
	meterCall(ctx, out.ConsumedCapacity)
	m, err := metaOf(out.Item)
	if err != nil {
		return Meta{}, err
	}
	s.metas.mu.Lock()
	defer s.metas.mu.Unlock()
	if at.After(s.metas.at) {
		s.metas.at, s.metas.meta = at, m
	}
	return m, nil
}

// recentMeta returns what is known of the item, not older than the store's MetaAge.
func (s *Store) recentMeta(ctx context.Context) (Meta, error) {
	s.metas.mu.Lock()
	at, m := s.metas.at, s.metas.meta
	s.metas.mu.Unlock()
	if !at.IsZero() && s.now().Sub(at) < s.metaAge {
		return m, nil
	}
	m, err := once(ctx, &s.metas.reading, struct{}{}, s.Meta)
	return m, failed("read the state of the statistics", err)
}

func metaOf(it item) (Meta, error) {
	m := Meta{}
	var err error
	number := func(name string) (n int) {
		if v, _ := it[name].(*types.AttributeValueMemberN); v != nil && err == nil {
			n, err = strconv.Atoi(v.Value)
		}
		return n
	}
	m.State, m.Stream = State(text(it, attrState)), text(it, attrStream)
	m.Generation, m.revision = number(attrGeneration), number(attrRevision)
	m.Dictionary = number(attrDictionary)
	if created := number(attrCreated); created > 0 {
		m.Created = time.Unix(int64(created), 0).UTC()
	}
	m.rebuilder = text(it, attrRebuilder)
	m.rebuilderAt = time.Unix(int64(number(attrRebuildAt)), 0)
	m.rebuilt = time.Unix(int64(number(attrRebuilt)), 0)
	if err != nil {
		return m, damaged("of the statistics' state", err)
	}
	if sets, _ := it[attrPowerSets].(*types.AttributeValueMemberM); sets != nil {
		m.PowerSets = make(map[string]PowerSet, len(sets.Value))
		for product, state := range sets.Value {
			if v, _ := state.(*types.AttributeValueMemberS); v != nil {
				m.PowerSets[product] = PowerSet(v.Value)
			}
		}
	}
	return m, nil
}

func (m Meta) item() item {
	it := metaKey()
	it[attrState], it[attrRevision] = str(string(m.State)), num(m.revision)
	if m.Generation > 0 {
		it[attrGeneration] = num(m.Generation)
	}
	if m.Dictionary > 0 {
		it[attrDictionary] = num(m.Dictionary)
	}
	if m.Stream != "" {
		it[attrStream] = str(m.Stream)
	}
	if !m.Created.IsZero() {
		it[attrCreated] = num(int(m.Created.Unix()))
	}
	if m.rebuilder != "" {
		it[attrRebuilder], it[attrRebuildAt] = str(m.rebuilder), num(int(m.rebuilderAt.Unix()))
		it[attrRebuilt] = num(int(m.rebuilt.Unix()))
	}
	if len(m.PowerSets) > 0 {
		sets := item{}
		for product, state := range m.PowerSets {
			sets[product] = str(string(state))
		}
		it[attrPowerSets] = &types.AttributeValueMemberM{Value: sets}
	}
	return it
}

// ChangeMeta reads the item, lets change alter it, and writes it back, again
// until nobody else changed it in between. change returns false to leave it as
// it is. The result is the item as it stands then. It returns change's error,
// or an Unavailable error if the store does not answer.
func (s *Store) ChangeMeta(ctx context.Context, change func(*Meta) (bool, error)) (Meta, error) {
	for pause := newPause(); ; {
		m, err := s.Meta(ctx)
		if err != nil {
			return m, err
		}
		old := m.revision
		m.PowerSets = maps.Clone(m.PowerSets)
		if changed, err := change(&m); err != nil || !changed {
			return m, err
		}
		m.revision = old + 1
		in := &dynamodb.PutItemInput{TableName: &s.table, Item: m.item()}
		if old == 0 {
			in.ConditionExpression = aws.String(absent)
		} else {
			in.ConditionExpression = aws.String(attrRevision + " = :old")
			in.ExpressionAttributeValues = item{":old": num(old)}
		}
		err = s.putMeta(ctx, in)
		if err == nil {
			return s.Meta(ctx)
		}
		if _, lost := conditionFailed(err); !lost { // a lost answer shows as a lost race, and change then sees its own work
			return m, failed("change the state of the statistics", err)
		}
		if err := pause.wait(ctx); err != nil {
			return m, failed("change the state of the statistics", err)
		}
	}
}

func (s *Store) putMeta(ctx context.Context, in *dynamodb.PutItemInput) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	_, err := s.api.PutItem(ctx, in)
	return err
}

// What an operator reads in the log when statistics are asked for that are not kept.
var (
	errBroken  = errors.New("they missed some changes: a projector rebuilds them by itself, or run product-comments stats rebuild")
	errNobody  = errors.New("no projector has run yet: start product-comments project, or serve with --projector")
	errRebuild = errors.New("a rebuild is under way")
)

// trusted returns an Unavailable error unless the statistics count every
// comment that was projected.
func (m Meta) trusted() error {
	switch m.State {
	case StateKept:
		return nil
	case StateRebuilding:
		return errs.Wrap(errs.Unavailable, errRebuild, "The statistics are being rebuilt, try again later")
	case StateBroken:
		return errs.Wrap(errs.Unavailable, errBroken, "The statistics are about to be rebuilt, try again later")
	default:
		return errs.Wrap(errs.Unavailable, errNobody, "There are no statistics yet, try again later")
	}
}
