package command

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// tried runs what a page invites to try in a folder, and checks that it says what the page shows.
// Words after a fence's language leave out a block: their commands are returned.
func tried(t *testing.T, page, text, dir string, address ...string) (others map[string]string) {
	t.Helper()
	var script, want string
	others = map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```(sh|json|text)(?: (\\w+))?\n(.*?)```").FindAllStringSubmatch(text, -1) {
		switch {
		case block[2] != "":
			others[block[2]] += block[3]
		case block[1] == "sh":
			script += block[3]
		default:
			want += block[3]
		}
	}
	here := strings.NewReplacer(address...)
	c := exec.CommandContext(t.Context(), "sh", "-c", here.Replace(script))
	var out, log bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, environment(), &out, &log
	_ = c.Run()                                       // its status is that of its last command, which may find nothing
	got := strings.ReplaceAll(out.String(), "\r", "") // a mail's lines end with CR LF
	got = regexp.MustCompile(`code=\S+`).ReplaceAllString(got, "code=…")
	testkit.Check(t, got == here.Replace(want), "%s says\n%s\nit is\n%s%s", page, here.Replace(want), got, &log)
	return others
}

// projectFolder is a folder with the program and what else of the project the pages name.
func projectFolder(t *testing.T, others ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	testkit.Must(t, os.Symlink(program, filepath.Join(dir, "bin", "product-comments")))
	for _, name := range others {
		testkit.Must(t, os.Symlink(testkit.Value(filepath.Abs(filepath.Join("../..", name)))(t), filepath.Join(dir, name)))
	}
	return dir
}

// What the pages about orders and moderation invite to try is answered as they say, next to
// a server as `make run` starts it, but for the demo.
func TestPagesCanBeTried(t *testing.T) {
	t.Parallel()
	dir := projectFolder(t)
	s := startServer(t, filepath.Join(dir, "data"), "--moderation=post", "--hold-links")
	for _, page := range []string{"orders.md", "moderation.md"} {
		_, after, _ := strings.Cut(read(t, "../../docs", page), "\n## Try it\n")
		part, _, found := strings.Cut(after, "\n## ")
		testkit.Need(t, found, "%s has nothing to try", page)
		tried(t, page, part, dir, "http://127.0.0.1:8080/", s.url)
	}
}

// The tour's commands do what it says. What needs an account of AWS is not run: its targets of make,
// its parameters of the template and its flags exist.
func TestTheTour(t *testing.T) {
	t.Parallel()
	dir := projectFolder(t, "examples")
	var here []string
	var free []net.Listener // until all are chosen
	for _, port := range []string{"8080", "8082", "3000"} {
		l := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
		free = append(free, l)
		here = append(here, port, strings.TrimPrefix(l.Addr().String(), "127.0.0.1:"))
	}
	for _, l := range free {
		testkit.Must(t, l.Close())
	}
	text := read(t, "../../docs", "tour.md")
	others := tried(t, "tour.md", "```sh\ntrap 'kill $SERVER $SHOP 2>/dev/null' EXIT\n```\n"+text, dir, here...)

	// Stand-ins write down what the shell gives them.
	testkit.Must(t, os.Remove(filepath.Join(dir, "bin", "product-comments")))
	for _, name := range []string{"make", "sam", "product-comments"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "bin", name), []byte("#!/bin/sh\nprintf '%s\\0' "+name+" \"$@\" >>calls\necho >>calls\n"), 0o700))
	}
	c := exec.CommandContext(t.Context(), "sh", "-ec", others["build"]+others["account"])
	c.Dir, c.Env = dir, append(environment(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	testkit.Need(t, err == nil, "%v: %s", err, out)
	calls := strings.Split(strings.TrimSpace(read(t, dir, "calls")), "\n")
	testkit.Check(t, len(calls) == 6, "the tour's other commands are %q", calls)
	for _, call := range calls {
		arguments := strings.Split(strings.TrimSuffix(call, "\x00"), "\x00")
		switch arguments[0] {
		case "make":
			out, err := exec.CommandContext(t.Context(), "make", "-C", "../..", "-n", arguments[1]).CombinedOutput()
			testkit.Check(t, err == nil, "make %s: %s", arguments[1], out)
		case "sam":
			file := slices.Index(arguments, "--template-file") + 1
			template := read(t, "../..", arguments[file])
			for _, a := range arguments[slices.Index(arguments, "--parameter-overrides")+1:] {
				name, _, _ := strings.Cut(a, "=")
				testkit.Check(t, strings.Contains(template, "\n  "+name+":\n    Type: String"), "the template has no parameter %s", name)
			}
		default:
			_, err := new(commands).parser().Parse(arguments[1:])
			testkit.Check(t, err == nil, "%q: %v", arguments, err)
		}
	}
}
