package projector_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/index"
	"product-comments/store/projector"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// arrivals are records of new comments, one a product.
func arrivals(n int) []index.Record {
	out := make([]index.Record, n)
	for i := range out {
		out[i] = record(i+1, nil, image(fmt.Sprint(i), fmt.Sprint("p", i)))
	}
	return out
}

// wantOnce fails the test unless each of the first n products has one comment,
// and no other has any.
func wantOnce(t *testing.T, s *store.Store, n int) {
	t.Helper()
	var scopes []stats.Scope
	for i := range n + 10 {
		scopes = append(scopes, stats.Scope{ProductID: fmt.Sprint("p", i)})
	}
	got := testkit.Value(s.Statistics(t.Context(), scopes))(t)
	for i := range got {
		want := 0
		if i < n {
			want = 1
		}
		testkit.Check(t, got[i].Total() == want, "product %d has %d comments, want %d", i, got[i].Total(), want)
	}
}

func projectAll(t *testing.T, s *store.Store, sh *projector.Shard, records []index.Record) {
	t.Helper()
	did, err := s.Projector().Project(t.Context(), sh, records)
	testkit.Need(t, err == nil && did.Records == len(records), "%+v of %d records, %v", did, len(records), err)
}

// How far a shard is outlives the process, also if only the buckets noted it.
func TestShardGoesOn(t *testing.T) {
	s := newStore(t, 0)
	storetest.Project(t, s.Projector()) // statistics are kept from here on
	until := time.Unix(1_700_000_000, 0)
	sh, err := s.Projector().Open(t.Context(), "shard", until)
	testkit.Need(t, err == nil && sh.Buckets == projector.DefaultBuckets && sh.LeastSequence() == "" && sh.ReadAt.Equal(until) && !sh.Fresh(), "%+v, %v", sh, err)
	all := arrivals(60)
	projectAll(t, s, sh, all[:30])
	testkit.Check(t, sh.Sequence == "30", "it is at %s", sh.Sequence)
	again := open(t, s, "shard") // Save was never called
	projectAll(t, s, again, all)
	wantOnce(t, s, 60)

	again.Done = true
	if ok, err := s.Projector().Save(t.Context(), again); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	if ok, err := s.Projector().Save(t.Context(), sh); ok || err != nil {
		t.Errorf("another process saved it meanwhile: %v, %v", ok, err)
	}
	done := open(t, s, "shard")
	testkit.Check(t, done.Done && done.Sequence == "60", "got %+v", done)
	looked, err := s.Projector().Look(t.Context(), "another shard")
	testkit.Check(t, err == nil && looked.Fresh(), "%+v, %v", looked, err)
}

// The number of buckets changes while another process projects: that one learns it
// so, and every record counts once.
func TestRegroup(t *testing.T) {
	for _, buckets := range []int{1, 3, projector.MaxBuckets} {
		t.Run(fmt.Sprintf("the shard gets %d buckets", buckets), func(t *testing.T) {
			s := newStore(t, 5)
			storetest.Project(t, s.Projector())
			ours, theirs := open(t, s, "shard"), open(t, s, "shard")
			all := arrivals(60)
			projectAll(t, s, ours, all[:20])
			if ok, err := s.Projector().SetBuckets(t.Context(), ours, buckets); !ok || err != nil || ours.Buckets != buckets {
				t.Fatalf("%v, %v", ok, err)
			}
			if _, err := s.Projector().Project(t.Context(), theirs, all[:40]); !errors.Is(err, projector.ErrMoved) {
				t.Errorf("got %v", err)
			}
			if ok, err := s.Projector().SetBuckets(t.Context(), theirs, 2); ok || err != nil {
				t.Errorf("another process divided it otherwise: %v, %v", ok, err)
			}
			wantOnce(t, s, 20)
			projectAll(t, s, ours, all[:40])
			theirs = open(t, s, "shard")
			testkit.Check(t, theirs.Buckets == buckets, "%d buckets", theirs.Buckets)
			projectAll(t, s, theirs, all)
			wantOnce(t, s, 60)
		})
	}
}

// Buckets must not change under a process that has gone further.
func TestRegroupIsLate(t *testing.T) {
	s := newStore(t, 5)
	storetest.Project(t, s.Projector())
	ours, theirs := open(t, s, "shard"), open(t, s, "shard")
	all := arrivals(40)
	projectAll(t, s, theirs, all)
	if ok, err := s.Projector().SetBuckets(t.Context(), ours, 2); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	ours = open(t, s, "shard")
	projectAll(t, s, ours, all)
	if ok, err := s.Projector().SetBuckets(t.Context(), ours, 2); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	wantOnce(t, s, 40)
}
