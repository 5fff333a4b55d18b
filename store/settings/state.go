package settings

import (
	"errors"

	"product-comments/store/errs"
)

// State is what the table's statistics are worth.
type State string

const (
	// StateUnknown: the table is older than its statistics.
	StateUnknown State = ""
	// StateNew: the table was made with statistics in mind, but no projector
	// has looked at its stream yet.
	StateNew State = "new"
	// StateKept: every comment is counted as soon as its record was projected.
	StateKept State = "kept"
	// StateRebuilding: comments are being counted anew.
	StateRebuilding State = "rebuilding"
	// StateBroken: records were lost. Only a rebuild helps.
	StateBroken State = "broken"
)

// What an operator reads in the log when statistics are asked for that are not kept.
var (
	errBroken  = errors.New("they missed some changes: a projector rebuilds them by itself, or run product-comments stats rebuild")
	errNobody  = errors.New("no projector has run yet: start product-comments project, or serve with --projector")
	errRebuild = errors.New("a rebuild is under way")
)

// Trusted returns an Unavailable error unless the statistics count every
// comment that was projected.
func (s Settings) Trusted() error {
	switch s.State {
	case StateKept:
		return nil
	case StateRebuilding:
		return errs.Wrap(errs.Unavailable, errRebuild, "The statistics are being rebuilt, try again later")
	case StateBroken:
		return errs.Wrap(errs.Unavailable, errBroken, "The statistics are about to be rebuilt, try again later")
	default:
		return errs.Wrap(errs.Unavailable, errNobody, "There are no statistics yet, try again later")
	}
}
