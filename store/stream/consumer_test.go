package stream_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

func TestStatisticsFollowTheTable(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	random := testkit.Random(t)
	h := newHistory(t, s, random)
	h.write(60) // before the consumer
	c := stream.New(storetest.Streams(t), s.Projector(), quick(t))
	stop := run(t, c)
	h.write(60) // while it works
	wait(t, c)
	h.check()
	st := c.Status()
	testkit.Check(t, st.Started && st.State == settings.StateKept && len(st.Shards) == 1 && st.Transactions != 0 && st.Records >= 120 && st.LastError == "", "%+v", st)
	stop()
	h.write(60) // while there is none
	c = stream.New(storetest.Streams(t), s.Projector(), quick(t))
	run(t, c)
	wait(t, c)
	h.check()
}

// Not parallel: other tests' consumers would be taken for ours.
func TestRunEndsPromptlyAndLeavesNothing(t *testing.T) {
	s := newStore(t)
	newHistory(t, s, rand.New(rand.NewPCG(1, 1))).write(20)
	for range 3 {
		c := stream.New(storetest.Streams(t), s.Projector(), quick(t))
		stop := run(t, c)
		wait(t, c)
		began := time.Now()
		stop()
		took := time.Since(began)
		testkit.Check(t, took <= 2*time.Second, "it took %s to end", took)
	}
	testkit.Equal(t, goroutines(), "", "left behind")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := stream.New(storetest.Streams(t), s.Projector(), quick(t)).Run(ctx)
	testkit.Check(t, err == nil, "with a context that has ended: %v", err)
}

// goroutines returns the stacks of goroutines that run a consumer's code.
func goroutines() string {
	stacks := make([]byte, 1<<20)
	var ours []string
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "store/stream.(") {
			ours = append(ours, stack)
		}
	}
	return strings.Join(ours, "\n\n")
}
