package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/engine"
	"product-comments/internal/testkit"
)

func TestFind(t *testing.T) {
	fake := func(t *testing.T, name string, mode os.FileMode) string {
		t.Helper()
		testkit.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testkit.Must(t, os.WriteFile(name, []byte("#!/bin/sh\n"), mode))
		return name
	}
	// elsewhere is a working directory outside of the project.
	elsewhere := func(t *testing.T) string {
		t.Helper()
		folder := testkit.Value(filepath.EvalSymlinks(t.TempDir()))(t)
		t.Chdir(folder)
		t.Setenv("DYNOXIDE", "")
		t.Setenv("PATH", filepath.Join(folder, "bin"))
		return folder
	}
	expect := func(t *testing.T, want string) {
		t.Helper()
		got, err := engine.Find()
		testkit.Check(t, err == nil && got == want, "Find: %q, %v; want %q", got, err, want)
	}
	fails := func(t *testing.T, words ...string) {
		t.Helper()
		got, err := engine.Find()
		testkit.Need(t, err != nil, "Find: %q; want an error", got)
		for _, word := range words {
			testkit.Check(t, strings.Contains(err.Error(), word), "the message does not say %q: %v", word, err)
		}
	}

	t.Run("a missing engine is an error that says what to install", func(t *testing.T) {
		elsewhere(t)
		fails(t, "`make`", "DYNOXIDE", "npm install --save-optional --save-exact @dynoxide/", "--engine dynamodb-local", "Java", "--engine dynamodb uses", "AWS_ENDPOINT_URL_DYNAMODB")
	})
	t.Run("Open fails with the same advice", func(t *testing.T) {
		dir := elsewhere(t)
		for _, local := range []bool{false, true} {
			e, err := engine.Open(t.Context(), engine.Options{DataDir: filepath.Join(dir, "data"), DynamoDBLocal: local})
			if err == nil {
				e.Close()
				t.Fatal("opened without a binary")
			}
			for _, way := range []string{"dynoxide", "`make`", "Java 17", "DynamoDB Local"} {
				testkit.Check(t, strings.Contains(err.Error(), way), "the message does not say %q: %v", way, err)
			}
		}
	})
	t.Run("an engine in PATH is found", func(t *testing.T) {
		folder := elsewhere(t)
		expect(t, fake(t, filepath.Join(folder, "bin", "dynoxide"), 0o700))
	})
	t.Run("an engine planted in the working directory is ignored", func(t *testing.T) {
		folder := elsewhere(t)
		planted := filepath.Join(folder, "web", "node_modules", filepath.FromSlash(engine.Binary))
		fake(t, planted, 0o700)
		fake(t, filepath.Join(folder, "dynoxide"), 0o700)
		fake(t, filepath.Join(folder, "go.mod"), 0o600)
		below := filepath.Join(folder, "a")
		testkit.Must(t, os.Mkdir(below, 0o700))
		for _, at := range []string{folder, below} {
			t.Chdir(at)
			fails(t, "is not installed")
			t.Setenv("PATH", ".:"+strings.Repeat("../", 2)+filepath.Base(folder))
			fails(t, "is not installed")
		}
	})
	t.Run("an engine next to the program comes before PATH", func(t *testing.T) {
		folder := elsewhere(t)
		program := copyOfUs(t, filepath.Join(folder, "opt", "bin", "program"))
		find := func() string {
			t.Helper()
			cmd := exec.Command(program)
			cmd.Env = append(os.Environ(), findOnly+"=1")
			out, err := cmd.CombinedOutput()
			testkit.Need(t, err == nil, "%v: %s", err, out)
			return strings.TrimSpace(string(out))
		}
		inPath := fake(t, filepath.Join(folder, "bin", "dynoxide"), 0o700)
		testkit.Equal(t, find(), inPath, "Find")
		installed := fake(t, filepath.Join(folder, "opt", "web", "node_modules", filepath.FromSlash(engine.Binary)), 0o700)
		testkit.Equal(t, find(), installed, "Find")
		next := fake(t, filepath.Join(folder, "opt", "bin", "dynoxide"), 0o700)
		testkit.Equal(t, find(), next, "Find")
		// A program elsewhere than in bin does not look around its folder.
		program = copyOfUs(t, filepath.Join(folder, "opt", "other", "program"))
		testkit.Equal(t, find(), inPath, "Find")
	})
	t.Run("DYNOXIDE names the engine", func(t *testing.T) {
		folder := elsewhere(t)
		named := fake(t, filepath.Join(folder, "my-dynoxide"), 0o700)
		t.Setenv("DYNOXIDE", "./my-dynoxide")
		expect(t, named)
	})
	t.Run("a file in DYNOXIDE that is not executable is refused", func(t *testing.T) {
		folder := elsewhere(t)
		fake(t, filepath.Join(folder, "bin", "dynoxide"), 0o700)
		t.Setenv("DYNOXIDE", fake(t, filepath.Join(folder, "text"), 0o600))
		fails(t, "DYNOXIDE", "text", "not an executable file")
		t.Setenv("DYNOXIDE", folder)
		fails(t, "DYNOXIDE", "not an executable file")
		t.Setenv("DYNOXIDE", filepath.Join(folder, "none"))
		fails(t, "DYNOXIDE", "not an executable file")
	})
}

// copyOfUs puts this test's program somewhere else.
func copyOfUs(t *testing.T, to string) string {
	t.Helper()
	us := testkit.Value(os.Executable())(t)
	testkit.Must(t, os.MkdirAll(filepath.Dir(to), 0o700))
	content := testkit.Value(os.ReadFile(us))(t)
	testkit.Must(t, os.WriteFile(to, content, 0o700))
	return to
}
