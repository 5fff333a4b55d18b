package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/engine"
)

func TestFind(t *testing.T) {
	fake := func(t *testing.T, name string, mode os.FileMode) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	// elsewhere is a working directory outside of the project.
	elsewhere := func(t *testing.T) string {
		t.Helper()
		folder, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(folder)
		t.Setenv("DYNOXIDE", "")
		t.Setenv("PATH", filepath.Join(folder, "bin"))
		return folder
	}
	expect := func(t *testing.T, want string) {
		t.Helper()
		if got, err := engine.Find(); err != nil || got != want {
			t.Errorf("Find: %q, %v; want %q", got, err, want)
		}
	}
	fails := func(t *testing.T, words ...string) {
		t.Helper()
		got, err := engine.Find()
		if err == nil {
			t.Fatalf("Find: %q; want an error", got)
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("the message does not say %q: %v", word, err)
			}
		}
	}

	t.Run("missing", func(t *testing.T) {
		elsewhere(t)
		fails(t, "make tools", "DYNOXIDE")
	})
	t.Run("Open says so too", func(t *testing.T) {
		dir := elsewhere(t)
		e, err := engine.Open(t.Context(), engine.Options{DataDir: filepath.Join(dir, "data")})
		if err == nil {
			e.Close()
			t.Fatal("opened without a binary")
		}
		if !strings.Contains(err.Error(), "make tools") {
			t.Error(err)
		}
	})
	t.Run("PATH", func(t *testing.T) {
		folder := elsewhere(t)
		expect(t, fake(t, filepath.Join(folder, "bin", "dynoxide"), 0o700))
	})
	t.Run("installed", func(t *testing.T) {
		folder := elsewhere(t)
		fake(t, filepath.Join(folder, "bin", "dynoxide"), 0o700)
		installed := fake(t, filepath.Join(folder, "web", "node_modules", "@dynoxide", "linux-x64", "dynoxide"), 0o700)
		expect(t, installed)
		below := filepath.Join(folder, "a", "b")
		if err := os.MkdirAll(below, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Chdir(below)
		expect(t, installed)
		// Another project is none of ours.
		fake(t, filepath.Join(folder, "a", "go.mod"), 0o600)
		expect(t, filepath.Join(folder, "bin", "dynoxide"))
	})
	t.Run("DYNOXIDE", func(t *testing.T) {
		folder := elsewhere(t)
		named := fake(t, filepath.Join(folder, "my-dynoxide"), 0o700)
		t.Setenv("DYNOXIDE", "./my-dynoxide")
		expect(t, named)
	})
	t.Run("DYNOXIDE is not executable", func(t *testing.T) {
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
