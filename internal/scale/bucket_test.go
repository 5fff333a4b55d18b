package main

import "testing"

func TestBucketServesNoMoreThanItsRate(t *testing.T) {
	b := newBucket(1000, 0)
	for range 3 {
		if got := b.take(1500, 1); got != 1000 {
			t.Fatalf("got %g of 1000 a second", got)
		}
	}
}

func TestBucketKeepsWhatIsNotSpent(t *testing.T) {
	b := newBucket(1000, 300)
	for range 10 {
		if got := b.take(400, 1); got != 400 {
			t.Fatalf("got %g", got)
		}
	}
	// 10 seconds left 600 each, and this second brings 1000.
	if got := b.take(1e6, 1); got != 7000 {
		t.Errorf("a burst got %g, want 7000", got)
	}
	if got := b.take(1e6, 1); got != 1000 {
		t.Errorf("the second after it got %g, want 1000", got)
	}
}

func TestBucketKeepsFiveMinutesAtMost(t *testing.T) {
	b := newBucket(1000, 300)
	for range 1000 {
		b.take(0, 1)
	}
	if got := b.take(1e9, 1); got != 300_000 {
		t.Errorf("got %g, want 300000", got)
	}
	b.fill()
	served := 0
	for b.take(1100, 1) == 1100 {
		served++
	}
	// 300,000 kept units make up for 100 a second; the first second's are among them.
	if served != 2990 {
		t.Errorf("a full bucket lasted %d seconds of 1100 units", served)
	}
}

func TestBucketTakesLongerSteps(t *testing.T) {
	b := newBucket(1000, 0)
	if got := b.take(1e6, 5); got != 5000 {
		t.Errorf("five seconds got %g", got)
	}
	b.take(0, 5)
	if got := b.take(1e6, 1); got != 1000 {
		t.Errorf("a bucket that keeps nothing gave %g", got)
	}
}
