package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// fetches are commands that fetch what no hash in the repository guards, unlike npm ci and go.
var fetches = regexp.MustCompile(`\b(npm (pack|install|i|exec|x)\b|npx|wget|curl -|curl http|pip3? install|go (run|install) \S+@)`)

// What scripts fetch has a hash in the repository: they fetch with npm ci and go alone, images are
// made of nothing that a tag may change, and go.mod names the toolchain.
func TestWhatIsFetchedHasAHash(t *testing.T) {
	scripts := []string{"../Makefile"}
	for _, pattern := range []string{"../.ci/*", "../web/*.sh", "*.sh"} {
		found, err := filepath.Glob(pattern)
		testkit.Must(t, err)
		scripts = append(scripts, found...)
	}
	scripts = append(scripts, testkit.Value(filepath.Glob("../.github/workflows/*"))(t)...)
	testkit.Check(t, len(scripts) >= 8, "there are %q", scripts)
	for _, name := range scripts {
		for line := range strings.Lines(string(testkit.Value(os.ReadFile(name))(t))) {
			line = strings.TrimSpace(line)
			said := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "echo ")
			used := strings.Contains(line, "uses: ") && !regexp.MustCompile(`@[0-9a-f]{40} #`).MatchString(line)
			testkit.Check(t, said || !used && !fetches.MatchString(line), "%s: nothing guards what this fetches: %s", name, line)
		}
	}
	for _, name := range []string{"web", "clients/typescript", "examples/relay", "examples/apollo"} {
		var lock struct {
			Packages map[string]struct {
				Integrity string
				Link      bool // to a folder of the project
			}
		}
		testkit.Must(t, json.Unmarshal(testkit.Value(os.ReadFile("../"+name+"/package-lock.json"))(t), &lock))
		for of, p := range lock.Packages {
			testkit.Check(t, p.Link || !strings.Contains(of, "node_modules/") || strings.HasPrefix(p.Integrity, "sha512-"), "%s/package-lock.json has no hash of %s", name, of)
		}
	}
	module := testkit.Value(os.ReadFile("../go.mod"))(t)
	testkit.Check(t, regexp.MustCompile(`(?m)^toolchain go1\.\d+\.\d+$`).Match(module), "go.mod names no toolchain")
	image := string(testkit.Value(os.ReadFile("Containerfile"))(t))
	from := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(image, -1)
	testkit.Check(t, len(from) > 0, "Containerfile builds nothing")
	for _, f := range from {
		fixed := f[1] == "scratch" || regexp.MustCompile(`@sha256:[0-9a-f]{64}$`).MatchString(f[1])
		testkit.Check(t, fixed, "Containerfile: %s has no digest", f[1])
	}
}
