package apitest

import (
	"testing"
	"time"

	"product-comments/access"
	"product-comments/deploy"
	"product-comments/internal/server/auth"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// Viewers of each role.
var (
	Anonymous = access.Viewer{}
	Alice     = access.Viewer{Subject: "alice", Role: access.Author}
	Bob       = access.Viewer{Subject: "bob", Role: access.Author}
	Mia       = access.Viewer{Subject: "mia", Role: access.Moderator}
	Shop      = access.Viewer{Subject: "shop", Role: access.Service}
)

// tokens is the token configuration of test services.
var tokens = auth.Config{Secrets: [][]byte{make([]byte, 32)}, Roles: auth.DefaultRoles()}

// Authenticator returns an authenticator that accepts the tokens of Authorization.
func Authenticator() *auth.Authenticator { return auth.New(tokens) }

// As returns the same service with another viewer.
func (s *Service) As(v access.Viewer) *Service {
	other := *s
	other.Viewer = v
	return &other
}

// Authorization returns the header of a viewer, name and value; none for an anonymous one.
func Authorization(t testing.TB, v access.Viewer) []string {
	t.Helper()
	if v == Anonymous {
		return nil
	}
	token := testkit.Value(tokens.Make(v, time.Hour))(t)
	return []string{"Authorization", "Bearer " + token}
}

// client returns a client of the engine that fails the test if the service makes a call that its
// role in deploy/template.yaml does not allow: the role of the API, or of the projector while the
// test projects.
func (s *Service) client(t testing.TB) store.API {
	t.Helper()
	template := testkit.Value(deploy.Read())(t)
	allowed := map[string]map[deploy.Action]bool{}
	for _, role := range []string{deploy.API, deploy.Projector} {
		allowed[role] = testkit.Value(template.Allowed(role))(t)
	}
	return storetest.Actions(storetest.Client(t), func(action, with string) {
		role := deploy.API
		if s.projecting.Load() {
			role = deploy.Projector
		}
		need := (deploy.Action{Name: action, With: with})
		if !allowed[role][need] { // in a fuzz target no method of t may be called
			t.Errorf("%s in deploy/template.yaml does not allow %s", role, need)
		}
	})
}
