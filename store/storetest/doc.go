// Package storetest gives tests a real engine.
//
// A test package begins with
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
//
// and its tests call [Client] and [TableName]. The first call starts the engine in a temporary
// directory. All tests of the binary share it. It ends with the binary, even if that is killed.
//
// The environment variable TEST_ENGINE selects the engine:
//
//	embedded         the product's own (the default)
//	dynamodb-local   AWS's, to check that both behave alike
//
// DynamoDB Local listens on every interface. So it starts only in an environment that has the
// loopback interface alone. The script isolated.sh runs a test binary in such an environment.
//
//	TEST_ENGINE=dynamodb-local go test -exec "$PWD/store/storetest/isolated.sh" ./store/...
//
// If an engine is not installed, the tests that need it are skipped with the reason. In continuous
// integration they fail.
package storetest
