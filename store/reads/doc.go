// Package reads makes identical reads that are under way at the same time once,
// and keeps what they read for a while, by what was written last.
package reads
