// Package moderation has the rules by which comments are shown or wait for a moderator, and says what
// a decision and a report are. Package cases stores them.
package moderation
