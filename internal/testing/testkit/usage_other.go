//go:build !unix

package testkit

import "time"

var began = time.Now()

// processor returns the time since the process began, which is no less than its processor time on
// one processor.
func processor() (time.Duration, error) { return time.Since(began), nil }
