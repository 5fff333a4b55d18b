package apitest

import (
	"testing"

	"product-comments/deploy"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// client returns a client of the engine that fails the test if the service makes a call
// that its role in deploy/template.yaml does not allow: that of the API, or of the
// projector while the test projects.
func (s *Service) client(t testing.TB) store.API {
	t.Helper()
	template := testkit.Value(deploy.Read())(t)
	allowed := map[string]map[deploy.Action]bool{}
	for _, role := range []string{deploy.API, deploy.Projector} {
		allowed[role] = testkit.Value(template.Allowed(role))(t)
	}
	return storetest.Client(t, storetest.Actions(func(action, with string) {
		role := deploy.API
		if s.projecting.Load() {
			role = deploy.Projector
		}
		need := (deploy.Action{Name: action, With: with})
		testkit.Check(t, allowed[role][need], "%s in deploy/template.yaml does not allow %s", role, need)
	}))
}
