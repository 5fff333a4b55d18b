package settings

import "math"

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
