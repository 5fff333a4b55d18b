//go:build !race

package testkit

// RaceFactor is how many times longer work takes in this build than in one without the
// race detector.
const RaceFactor = 1
