package siege

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Every test that docs/security.md names is there.
func TestEveryTestOfThePageExists(t *testing.T) {
	const root = "../../.."
	page := testkit.Value(os.ReadFile(root + "/docs/security.md"))(t)
	declared := map[string]bool{}
	tests := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	testkit.Must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range tests.FindAllSubmatch(text, -1) {
			declared[string(m[1])] = true
		}
		return err
	}))
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(page, -1)
	testkit.Check(t, len(named) >= 30, "the page names %d tests only", len(named))
	for _, m := range named {
		testkit.Check(t, declared[string(m[1])], "there is no %s", m[1])
	}
	// What is here and not on the page shows nothing to anybody.
	mine := testkit.Value(filepath.Glob("*_test.go"))(t)
	for _, file := range mine {
		text := testkit.Value(os.ReadFile(file))(t)
		for _, m := range tests.FindAllSubmatch(text, -1) {
			name := string(m[1])
			testkit.Check(t, name == "TestMain" || name == t.Name() || strings.Contains(string(page), "`"+name+"`"), "the page does not name %s", name)
		}
	}
}
