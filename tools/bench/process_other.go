//go:build !linux

package main

import "time"

// peakMemory is not known here.
func peakMemory(int) int64 { return 0 }

// processorTime is not known here.
func processorTime(int) time.Duration { return 0 }
