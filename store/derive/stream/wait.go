package stream

import (
	"context"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/table"
)

const (
	// probeEvery is the time between two rounds of probes.
	probeEvery = 500 * time.Millisecond
	// probeRound is the minimum number of probes of a round, and probesPerShard the number for each
	// open shard. The hash of a probe's name selects its shard, so a round misses one shard of
	// seven.
	probeRound     = 8
	probesPerShard = 2
	// probeWriters is the number of probes that are written at once.
	probeWriters = 8
	// probeNames bounds the number of probes in the table. With many shards the bound is
	// namesPerShard for each, so that each shard gets some of the names.
	probeNames    = 1024
	namesPerShard = 32
)

// Wait returns when every change that was written to the table before the call is projected. An
// empty answer of a shard proves nothing, since DynamoDB may give one although records follow. So
// Wait writes probes until each open shard has projected one: the records of a shard are in order.
//
// Run must be under way. Wait returns ctx's error if that ends first, as it always does with a
// disabled stream.
func (c *Consumer) Wait(ctx context.Context) error {
	var probes, looks int
	c.change(func() { probes, looks = c.probes, c.begun })
	signal(c.looking)
	for {
		if err := c.probe(ctx); err != nil {
			c.failed(ctx, "write probes", err)
		}
		if missing, err := c.awaitPassed(ctx, probes, looks); missing == 0 || err != nil {
			return err
		}
	}
}

// awaitPassed waits for at most probeEvery until no shards are missing, and returns the number of
// missing ones. It returns ctx's error if that ends first.
func (c *Consumer) awaitPassed(ctx context.Context, probes, looks int) (missing int, err error) {
	timer := time.NewTimer(probeEvery)
	defer timer.Stop()
	for {
		c.mu.Lock()
		missing, changed := c.missing(probes, looks), c.changed
		c.mu.Unlock()
		if missing == 0 {
			return 0, nil
		}
		select {
		case <-ctx.Done():
			return missing, ctx.Err()
		case <-timer.C:
			return missing, nil
		case <-changed:
		}
	}
}

// missing returns the number of shards that have not projected a probe with a number above probes.
// It returns 1 until a look with a number above looks was completed. A shard that was read to its
// end is missing until its children are listed. The caller holds the lock.
func (c *Consumer) missing(probes, looks int) int {
	if c.looked <= looks || len(c.shards) == 0 {
		return 1
	}
	parents := make(map[string]bool, len(c.shards))
	for _, sh := range c.shards {
		parents[sh.parent] = true
	}
	n := 0
	for _, sh := range c.shards {
		childless := sh.phase == done && sh.listed && !parents[sh.id]
		if childless || !sh.phase.finished() && sh.probe <= probes {
			n++
		}
	}
	return n
}

// probe writes a round of probes.
func (c *Consumer) probe(ctx context.Context) error {
	open := 0
	c.change(func() {
		for _, sh := range c.shards {
			if !sh.phase.finished() {
				open++
			}
		}
	})
	names := max(probeNames, namesPerShard*open)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(probeWriters)
	for range max(probeRound, probesPerShard*open) {
		var mark string
		c.change(func() { c.probes++; mark = c.probePrefix + strconv.Itoa(c.probes) })
		group.Go(func() error {
			return c.writeProbe(ctx, strconv.Itoa(int(c.table.Random().Int64N(int64(names)))), mark)
		})
	}
	return group.Wait()
}

// probeOf returns the number of the probe that a record is about, and whether it is a probe of this
// consumer.
func (c *Consumer) probeOf(r index.Record) (int, bool) {
	// the new image: the removal of a probe does not count
	digits, ours := strings.CutPrefix(table.Text(r.After, attrProbe), c.probePrefix)
	n, err := strconv.Atoi(digits)
	return n, ours && err == nil
}

// attrProbe has the mark of a probe: the consumer's prefix and a number.
const attrProbe = "probe" // S

// probeLife is the time until a probe expires. Only its record in the stream matters.
const probeLife = time.Hour

// writeProbe writes a probe: an item without relation to comments, which replaces the probe with
// the same name. When its record is projected, all earlier records of the shard are. The name
// selects the shard; the number of names is bounded, so that the table does not fill.
func (c *Consumer) writeProbe(ctx context.Context, name, mark string) error {
	it := table.Key(key.Meta("probe-" + name))
	it[attrProbe], it[item.AttrExpires] = table.S(mark), table.N(int(c.now().Add(probeLife).Unix()))
	return c.table.Write(ctx, "write a probe", table.Write{Put: it})
}
