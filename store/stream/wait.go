package stream

import (
	"context"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

const (
	// probeEvery is the time between two rounds of probes.
	probeEvery = 500 * time.Millisecond
	// probeRound is the least number of probes of a round, and probesPerShard how many there
	// are for each open shard: the hash of a probe's name decides to which shard it goes, so a
	// round misses one shard of seven, whether or not the shard already has a probe.
	probeRound     = 8
	probesPerShard = 2
	// probeWriters is how many probes are written at once.
	probeWriters = 8
	// probeNames bounds the probes in the table, and namesPerShard does where
	// there are many shards, so that each shard is the place of some.
	probeNames    = 1024
	namesPerShard = 32
)

// Wait returns when every record that was written to the table before the call
// was projected. That a shard answers without records proves nothing, as
// DynamoDB may answer so although more follows. So Wait writes probes until
// each open shard has projected one: the records of a shard are in order.
//
// Run must be under way. Wait returns ctx's error if that ends first; with a
// stream that is switched off it always does.
func (c *Consumer) Wait(ctx context.Context) error {
	var probes, looks int
	c.change(func() { probes, looks = c.probes, c.begun })
	ask(c.looking)
	for {
		if err := c.probe(ctx); err != nil {
			c.failed(ctx, "write probes", err)
		}
		if missing, err := c.awaitPassed(ctx, probes, looks); missing == 0 || err != nil {
			return err
		}
	}
}

// awaitPassed waits for a round's time until the shards have passed what Wait
// waits for, and returns how many have not. It returns ctx's error if that
// ends first.
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

// missing returns how many shards, of a list made after these looks, have not
// projected a probe that came after these probes. A shard that was read to its
// end is one of them while its children are not listed yet, and so is the list
// itself. The caller holds the lock.
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

// probeOf returns the number of the probe whose record this is, if it is one of
// this consumer's own. Others' clocks and numbers say nothing here.
func (c *Consumer) probeOf(r index.Record) (int, bool) {
	// that a probe is removed says nothing
	digits, ours := strings.CutPrefix(table.Text(r.After, attrProbe), c.probePrefix)
	n, err := strconv.Atoi(digits)
	return n, ours && err == nil
}

// attrProbe is what a probe carries.
const attrProbe = "probe" // S

// probeLife is for how long the table keeps a probe. Only its record in the
// stream matters.
const probeLife = time.Hour

// writeProbe writes an item that says nothing about comments, instead of the
// one written under the same name before. Who meets its record in the stream
// knows that all earlier records of the shard are behind. The names decide in
// which shards the records appear; there are few of them, so that the table does
// not fill.
func (c *Consumer) writeProbe(ctx context.Context, name, mark string) error {
	it := table.Key(key.Meta("probe-" + name))
	it[attrProbe], it[item.AttrExpires] = table.S(mark), table.N(int(c.now().Add(probeLife).Unix()))
	return c.table.Write(ctx, "write a probe", table.Write{Put: it})
}
