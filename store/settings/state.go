package settings

import (
	"cmp"
	"errors"
	"math"

	"product-comments/store/errs"
)

// State is the state of the table's statistics. Only StateKept can be trusted.
type State string

const (
	// StateUnknown: the table is older than its statistics.
	StateUnknown State = ""
	// StateNew: the table was created with settings, but no projector has read its stream yet.
	StateNew State = "new"
	// StateKept: the statistics count every projected comment.
	StateKept State = "kept"
	// StateRebuilding: comments are being counted again.
	StateRebuilding State = "rebuilding"
	// StateBroken: records were lost. A rebuild is needed.
	StateBroken State = "broken"
)

// IndexState is the state of an index for a product.
type IndexState string

const (
	IndexAbsent   IndexState = ""         // there are no entries
	IndexBuilding IndexState = "building" // kept, but not complete yet: see index.Backfill
	IndexReadable IndexState = "readable" // kept and complete: the planner reads it
	IndexFailed   IndexState = "failed"   // building, and the last step failed; only in index.Progress, not in settings
	IndexDisabled IndexState = "disabled" // not read; the entries are being removed
)

// String returns the name of the state.
func (s IndexState) String() string { return cmp.Or(string(s), "absent") }

// Causes in the log for operators if a request needs statistics that are not kept.
var (
	errBroken      = errors.New("they have missed changes: a projector rebuilds them by itself, or run product-comments stats rebuild")
	errNoProjector = errors.New("no projector has run yet: start product-comments project, or serve with --projector")
	errRebuild     = errors.New("a rebuild is under way")
)

// Trusted returns an Unavailable error unless the state is StateKept.
func (s Settings) Trusted() error {
	switch s.State {
	case StateKept:
		return nil
	case StateRebuilding:
		return errs.Wrap(errs.Unavailable, errRebuild, "The statistics are being rebuilt, try again later")
	case StateBroken:
		return errs.Wrap(errs.Unavailable, errBroken, "The statistics are about to be rebuilt, try again later")
	default:
		return errs.Wrap(errs.Unavailable, errNoProjector, "There are no statistics yet, try again later")
	}
}

// EndRebuild changes the settings at the end of a rebuild: power sets and the leaderboard by score
// are complete, and attribute indexes sort texts by the given version of weights. The scoring does
// not change during a rebuild.
func (s *Settings) EndRebuild(weights string) {
	s.State = StateKept
	s.Scorings = max(s.Scorings, 1)
	s.Ranked = s.Scorings
	for product, state := range s.PowerSets {
		if state == IndexBuilding {
			s.PowerSets[product] = IndexReadable
		}
	}
	if s.Attributes {
		s.Weights = weights
	}
}

// NoPages is the value of Settings.PagesFrom for a table without page numbers: no generation
// reaches it.
const NoPages = math.MaxInt32

// LeavesPages reports whether page numbers are disabled until a later generation, so that they are
// not computed now.
func (s Settings) LeavesPages() bool { return s.Generation < s.PagesFrom }

// KeepPages disables page numbers at once, or enables them from the next rebuild if they were
// disabled. It reports whether the settings changed.
func (s *Settings) KeepPages(keep bool) bool {
	was := s.PagesFrom
	switch {
	case !keep:
		s.PagesFrom = NoPages
	case s.LeavesPages():
		s.PagesFrom = s.Generation + 1
	}
	return was != s.PagesFrom
}
