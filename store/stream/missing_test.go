package stream

import (
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/projector"
	"product-comments/store/table"
)

func TestWhatAWaitWaitsFor(t *testing.T) {
	const probes, looks = 7, 2
	for _, c := range []struct {
		name   string
		looked int
		shards []shard
		want   int
	}{
		{"no list yet", looks, []shard{{id: "a", phase: reading, listed: true, probe: 9}}, 1},
		{"an empty list", looks + 1, nil, 1},
		{"a probe from before", looks + 1, []shard{{id: "a", phase: reading, listed: true, probe: probes}}, 1},
		{"a new probe", looks + 1, []shard{{id: "a", phase: reading, listed: true, probe: probes + 1}}, 0},
		{"a shard that waits for its parent", looks + 1, []shard{{id: "a", phase: reading, listed: true, probe: 8}, {id: "b", parent: "a", listed: true}}, 1},
		{"children that are not listed yet", looks + 1, []shard{{id: "a", phase: done, listed: true, probe: 8}}, 1},
		{"a parent that is done", looks + 1, []shard{{id: "a", phase: done, listed: true}, {id: "b", parent: "a", phase: reading, listed: true, probe: 8}}, 0},
		{"a shard that is gone", looks + 1, []shard{{id: "a", phase: gone, listed: true}, {id: "b", phase: reading, listed: true, probe: 8}}, 0},
		{"of an older stream", looks + 1, []shard{{id: "a", phase: done}, {id: "b", phase: reading, listed: true, probe: 8}}, 0},
	} {
		consumer := New(nil, projector.New(table.New(nil, "comments", table.Options{}), nil), Options{})
		consumer.looked = c.looked
		for _, sh := range c.shards {
			consumer.shards[sh.id] = &sh
		}
		testkit.Equal(t, consumer.missing(probes, looks), c.want, "%s", c.name)
	}
}
