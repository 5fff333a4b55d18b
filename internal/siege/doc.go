// Package siege attacks the real program: it is built, started as a process of its
// own on loopback with the embedded engine, and sent what a hostile client would
// send. The tests measure what each request costs the process in processor time and
// memory, which Linux tells, and what a visitor besides it notices. docs/security.md lists the threats,
// and names the test of each.
//
// Everything is bounded in count and time. With SIEGE=long, which `make siege` sets,
// the same attacks go on for longer and with more clients; SIEGE_PROGRAM names
// another binary to attack, such as one of an earlier version.
package siege
