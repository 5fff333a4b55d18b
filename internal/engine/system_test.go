package engine

import (
	"testing"

	"product-comments/internal/testkit"
)

func TestSystemsAsNpmCallsThem(t *testing.T) {
	for _, c := range [][3]string{{"linux", "amd64", "linux-x64"}, {"darwin", "arm64", "darwin-arm64"}, {"windows", "amd64", "win32-x64"}} {
		testkit.Equal(t, system(c[0], c[1]), c[2], "npm calls it")
	}
}
