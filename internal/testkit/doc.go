// Package testkit is what the tests of several packages share: a seed that is
// logged, a log that is read while it is written, a skip that continuous
// integration does not allow, and limits of what a piece of work may take.
package testkit
