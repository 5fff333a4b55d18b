package resolvers_test

import (
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/httpapi"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// service is apitest's, with the queries of this package's tests.
type service struct{ *apitest.Service }

func serve(t testing.TB, change ...func(*httpapi.Config)) *service {
	t.Helper()
	return &service{apitest.Serve(t, change...)}
}
