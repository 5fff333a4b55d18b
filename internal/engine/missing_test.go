package engine

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// Whoever has no engine reads what is missing, how their own system gets it, and how to do
// without.
func TestMissing(t *testing.T) {
	const without = "; or do without it: --engine dynamodb uses DynamoDB on AWS, " +
		"or what listens at AWS_ENDPOINT_URL_DYNAMODB, such as DynamoDB Local at http://127.0.0.1:8000"
	for _, c := range []struct{ goos, goarch, want string }{
		{"linux", "amd64", "the embedded engine, dynoxide, is not installed for linux-x64: " +
			"run `make tools` in the project's folder and use its bin/product-comments, from whatever folder, " +
			"or set DYNOXIDE to the path of the binary of the npm package @dynoxide/linux-x64"},
		{"linux", "arm64", "the embedded engine, dynoxide, is not installed for linux-arm64: " +
			"`make tools` fetches it for linux-x64 alone; where npm has the package @dynoxide/linux-arm64, install that and set DYNOXIDE to the path of its binary"},
		{"darwin", "arm64", "the embedded engine, dynoxide, is not installed for darwin-arm64: " +
			"`make tools` fetches it for linux-x64 alone; where npm has the package @dynoxide/darwin-arm64, install that and set DYNOXIDE to the path of its binary"},
		{"windows", "amd64", "the embedded engine, dynoxide, is not installed for win32-x64: " +
			"`make tools` fetches it for linux-x64 alone; where npm has the package @dynoxide/win32-x64, install that and set DYNOXIDE to the path of its binary"},
	} {
		if got := missing(system(c.goos, c.goarch)); got != c.want+without {
			t.Errorf("%s, %s:\ngot  %s\nwant %s", c.goos, c.goarch, got, c.want+without)
		}
	}
}

// The systems are those of the lock file.
func TestSystemsOfTheLockFile(t *testing.T) {
	text, err := os.ReadFile("../../web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct{ Packages map[string]struct{} }
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	var locked []string
	for name := range lock.Packages {
		if system, ok := strings.CutPrefix(name, "node_modules/@dynoxide/"); ok {
			locked = append(locked, system)
		}
	}
	if slices.Sort(locked); !slices.Equal(locked, fetched) {
		t.Errorf("the lock file has %q, and messages say %q", locked, fetched)
	}
}
