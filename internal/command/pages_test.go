package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// What the pages about orders and moderation invite to try is answered as they say, beside
// a server as `make run` starts it, but for the demo.
func TestPagesCanBeTried(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	testkit.Must(t, os.Symlink(program, filepath.Join(dir, "bin", "product-comments")))
	s := startServer(t, filepath.Join(dir, "data"), "--moderation=post", "--hold-links")
	blocks := regexp.MustCompile("(?s)```(sh|json|text)\n(.*?)```")
	for _, page := range []string{"orders.md", "moderation.md"} {
		text := testkit.Value(os.ReadFile("../../docs/" + page))(t)
		_, after, _ := strings.Cut(string(text), "\n## Try it\n")
		part, _, found := strings.Cut(after, "\n## ")
		testkit.Need(t, found, "%s has nothing to try", page)
		var script, want string
		for _, block := range blocks.FindAllStringSubmatch(part, -1) {
			if block[1] == "sh" {
				script += block[2]
			} else {
				want += block[2]
			}
		}
		c := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(script, "http://127.0.0.1:8080/", s.url))
		var out, log bytes.Buffer
		c.Dir, c.Env, c.Stdout, c.Stderr = dir, environment(), &out, &log
		_ = c.Run() // its status is that of its last command, which may find nothing
		testkit.Check(t, out.String() == want, "%s says\n%s\nit is\n%s%s", page, want, &out, &log)
	}
}
