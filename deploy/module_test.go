package deploy

import (
	"os/exec"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// One command gives the module another path: all packages and tests of a copy are then the new
// module's.
func TestModule(t *testing.T) {
	testkit.Long(t, "builds all packages again")
	dir := t.TempDir()
	run := func(line string) string {
		c := exec.Command("sh", "-ec", line)
		c.Dir = dir
		out, err := c.CombinedOutput()
		testkit.Need(t, err == nil, "%s: %v\n%s", line, err, out)
		return string(out)
	}
	root := strings.TrimSpace(string(testkit.Value(exec.Command("git", "rev-parse", "--show-toplevel").Output())(t)))
	run("cd '" + root + "' && git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - --ignore-failed-read | tar -xf - -C '" + dir + "'")
	run("git init -q . && git add -A && sh tools/module.sh example.org/shop/comments") // it builds all packages
	left := run(`git grep -nE '[" ]product-comments/(store|graph|internal|resolvers|access|docs)' -- '*.go' '*.gotpl' gqlgen.yml go.mod || true`)
	testkit.Equal(t, left, "", "places that still name the old path:")
}
