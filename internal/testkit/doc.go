// Package testkit is what the tests of several packages share: checks of a call's error
// and value (Must, Value, Equal, Check, Need), a seed that is logged, a log that is read while it is
// written, the program as a process and as a function of Lambda, limits of what a piece
// of work may take, and a skip that continuous integration does not allow.
package testkit
