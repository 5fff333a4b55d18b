// Package siege attacks the program: it is started as a separate process on loopback with the
// embedded engine, and sent requests of a hostile client. The tests measure the processor
// time and memory that the requests cost, from Linux's statistics, and the effect on another
// visitor. docs/security.md lists the threats and their tests.
//
// All attacks are limited in number and time. Costly ones run with TESTS=all. With SIEGE=long, which
// `make siege` sets, they take longer and use more clients; SIEGE_PROGRAM names another binary to attack, such as one of an
// earlier version.
package siege
