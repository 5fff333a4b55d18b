package main

import (
	"os"
	"testing"
	"time"
)

func TestOwnProcess(t *testing.T) {
	if got := peakMemory(os.Getpid()); got < 1<<20 || got > 1<<34 {
		t.Errorf("%d bytes of memory", got)
	}
	before := processorTime(os.Getpid())
	for start := time.Now(); processorTime(os.Getpid()) == before; { // work until it shows
		if time.Since(start) > 10*time.Second {
			t.Fatal("10 seconds of work do not show")
		}
	}
	if got := peakMemory(-1); got != 0 {
		t.Errorf("no process has %d bytes", got)
	}
}
