// Package settings keeps the table's control items: of which format the table is, what
// the statistics are worth and of which generation they are, which products have a power set,
// and marks of how far some long work got.
//
// One item holds what every process needs to know. Processes remember it for a
// short time (Age); a process that changes something that others must have noticed
// waits for SettleTime.
package settings
