package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Each shell that is here takes its script, and the program completes what the shell asks for.
func TestCompletion(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	testkit.Must(t, os.Symlink(program, filepath.Join(bin, "product-comments")))
	path := "PATH=" + bin + ":" + os.Getenv("PATH")
	for shell := range completions {
		script := wantRun(t, bin, "", 0, "product-comments", "completion", shell)
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("there is no %s here: only its script was printed", shell)
			continue
		}
		c := exec.Command(shell, map[string]string{"zsh": "-n"}[shell])
		c.Args = slices.DeleteFunc(c.Args, func(a string) bool { return a == "" })
		if shell == "fish" { // alone it completes without a terminal
			script += "complete -C 'product-comments stats reb'\n"
		}
		c.Stdin, c.Env = strings.NewReader(script), append(environment(), path)
		out, err := c.CombinedOutput()
		testkit.Check(t, err == nil && (shell != "fish" || string(out) == "rebuild\n"), "%s: %v: %s", shell, err, out)
	}
	for line, want := range map[string]string{
		"stats ": "rebuild scoring verify", "webhooks re": "remove replay", "serve --moderat": "--moderation",
		"import --format ": "csv ndjson", "completion ": "bash fish zsh",
	} {
		c := exec.Command(program)
		c.Env = append(environment(), "COMP_LINE=product-comments "+line)
		found := strings.Fields(string(testkit.Value(c.Output())(t)))
		slices.Sort(found)
		testkit.Equal(t, strings.Join(found, " "), want, "completions of %q:", line)
	}
}

// The manual page has each command, flag and environment variable once.
func TestManualPage(t *testing.T) {
	t.Parallel()
	page := wantRun(t, t.TempDir(), "", 0, ".TH PRODUCT-COMMENTS 1", "--man")
	for _, want := range []string{".SS \\&stats rebuild [flags]\n", ".B \\&\\-\\-rate\\-limit=", "($RATE_LIMIT).\n", ".B \\&\\-\\-table="} {
		testkit.Equal(t, strings.Count(page, want), 1, "times that the page has %q:", want)
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Log("there is no man here: the page was not formatted")
		return
	}
	c := exec.Command(man, "--warnings", "-l", "-")
	c.Stdin, c.Env = strings.NewReader(page), append(os.Environ(), "MANWIDTH=100", "LC_ALL=C.UTF-8")
	out, err := c.CombinedOutput()
	testkit.Check(t, err == nil && !strings.Contains(string(out), "warning"), "%v: %s", err, out)
}
