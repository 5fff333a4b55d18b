// Package faultproxy stands between the store and a real engine, for tests, and
// lets calls fail there as they do with DynamoDB: of the faults of package
// faults those that need not know what a call means.
//
// A [Rule] says what strikes which calls. It is drawn from a seed; which call
// comes when is up to the callers.
package faultproxy
