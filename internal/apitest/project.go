package apitest

import (
	"testing"

	"product-comments/store/storetest"
)

// Project brings the statistics up to date with everything written so far.
func (s *Service) Project(t testing.TB) {
	t.Helper()
	s.projecting.Store(true)
	defer s.projecting.Store(false)
	storetest.Project(t, s.Store.Projector())
}
