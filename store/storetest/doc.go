// Package storetest gives tests a real engine.
//
// A test package starts with
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
//
// and its tests ask for a [Client] and for a [TableName]. The first one who
// asks starts the engine, in a temporary directory; it is shared by all tests
// of the binary and ends with it, also when the binary is killed.
//
// The environment variable TEST_ENGINE chooses the engine:
//
//	embedded         the one that we ship (the default)
//	dynamodb-local   AWS's own, to check that both agree
//
// DynamoDB Local listens on every interface. So it is started only where there
// is none but loopback: isolated.sh runs a test binary in such a place.
//
//	TEST_ENGINE=dynamodb-local go test -exec "$PWD/store/storetest/isolated.sh" ./store/...
//
// Where the embedded engine is not installed, tests that need it are skipped with
// the reason; in continuous integration they fail.
package storetest
