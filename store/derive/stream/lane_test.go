package stream

import (
	"slices"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/derive/projector"
)

// A step is given the first of thousands of waiting changes, of the buckets in turn, without those of
// closed sessions.
func TestWaitingChangesAreBounded(t *testing.T) {
	open, closed := &answer{session: &session{}}, &answer{session: &session{}}
	closed.session.closed.Store(true)
	entries := func(bucket, n int, of *answer) []entry {
		return slices.Repeat([]entry{{projector.Job{Bucket: bucket}, of}}, n)
	}
	l := &lane{Consumer: &Consumer{}, ready: make(chan struct{}, 1), queues: map[int][]entry{}}
	l.add(0, entries(0, 3, open))
	l.add(8, entries(8, 2, closed))
	l.add(8, entries(8, mostWaiting-1, open))
	l.add(16, entries(16, 5*mostWaiting, open))
	all := l.waiting()
	testkit.Check(t, len(all) == mostWaiting && all[2].Bucket == 0 && all[3].Bucket == 8, "%d changes, %d, %d", len(all), all[2].Bucket, all[3].Bucket)
	l.passed(all, 4)
	all = l.waiting()
	testkit.Check(t, all[0].Bucket == 8 && all[mostWaiting-3].Bucket == 8 && all[mostWaiting-2].Bucket == 16, "after a step: %d, %d", all[0].Bucket, all[mostWaiting-2].Bucket)
	l.passed(all, mostWaiting)
	all = l.waiting()
	testkit.Check(t, len(all) == mostWaiting && all[0].Bucket == 16, "at last: %d changes of %d", len(all), all[0].Bucket)
}
