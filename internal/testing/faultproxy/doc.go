// Package faultproxy is a proxy between the store and an engine for tests. It injects those faults
// of package faults that do not depend on the meaning of a call.
//
// A [Rule] selects calls and faults. The faults are drawn from a seed; the order of calls depends
// on the callers.
package faultproxy
