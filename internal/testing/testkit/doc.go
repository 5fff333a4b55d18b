// Package testkit is shared by the tests of several packages: checks of errors and values (Must,
// Value, Equal, Check, Need, Err, Fails), calls at the same time (AtOnce), a seed that
// is logged, a log that can be read while it is written, the program as a process and as a Lambda
// function, processor time and memory (Measure) and limits of them (Least), and a skip that
// continuous integration does not allow.
package testkit
