package settings

import "math"

// NoPages is a generation that is never reached.
const NoPages = math.MaxInt32

// LeavesPages reports whether a shop left page numbers out, so that they are never computed
// before a rebuild.
func (s Settings) LeavesPages() bool { return s.Generation < s.PagesFrom }

// KeepPages leaves page numbers out from now on, or keeps them from the next rebuild on if they
// were left out. It reports whether that is a change.
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
