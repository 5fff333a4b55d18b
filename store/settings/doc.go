// Package settings keeps the control items of a table: its format, the state and generation of the
// statistics, the products with a power set, and notes of the progress of long commands.
//
// One item has the settings that every process needs. Processes cache it for a short time (Age). A
// process that must be sure that all others know a change waits for SettleTime.
//
// All methods that call the store return an Unavailable error if the store does not answer.
package settings
