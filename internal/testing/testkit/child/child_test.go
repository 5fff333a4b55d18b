//go:build unix

package child_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/child"
)

// shell starts a script that is ready when it has made the file "ready".
func shell(t *testing.T, script string, change func(*child.Options)) (*child.Process, error) {
	t.Helper()
	dir := t.TempDir()
	options := child.Options{
		Path: "/bin/sh",
		Args: []string{"-c", script},
		Dir:  dir,
		Ready: func(context.Context) error {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err
		},
	}
	if change != nil {
		change(&options)
	}
	p, err := child.Start(t.Context(), options)
	if err == nil {
		t.Cleanup(func() { p.Stop() })
	}
	return p, err
}

func expectError(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		testkit.Check(t, err != nil && strings.Contains(err.Error(), word), "the error does not say %q: %v", word, err)
	}
}

func TestStop(t *testing.T) {
	p := testkit.Value(shell(t, "touch ready; exec sleep 1000", nil))(t)
	for range 2 {
		testkit.Must(t, p.Stop())
	}
	<-p.Done()
	expectError(t, p.Err(), "signal: terminated")
}

func TestStopKillsWhoIgnoresSIGTERM(t *testing.T) {
	p := testkit.Value(shell(t, "trap '' TERM; touch ready; exec sleep 1000",
		func(o *child.Options) { o.StopWithin = 10 * time.Millisecond }))(t)
	expectError(t, p.Stop(), "was killed")
	expectError(t, p.Err(), "signal: killed")
}

func TestEndsByItself(t *testing.T) {
	p, err := shell(t, "touch ready; read line; echo on stdout; echo on stderr >&2", nil) // its stdin is empty
	if err != nil {
		// It may have ended before it was asked, which is an error of Start.
		expectError(t, err, "exited before it was ready", "on stdout | on stderr")
		return
	}
	expectError(t, p.Err(), "exit status 0", "on stdout | on stderr")
	testkit.Must(t, p.Stop())
}

func TestEndsBeforeItIsReady(t *testing.T) {
	long := strings.Repeat("x", 5000)
	_, err := shell(t, `echo `+long+`; i=0; while [ $i -lt 100 ]; do echo "some more line $i"; i=$((i+1)); done; printf 'no newline'; exit 7`, nil)
	expectError(t, err, "exited before it was ready", "exit status 7", "line 99", "no newline")
	if len(err.Error()) > 2000 || strings.Contains(err.Error(), "line 1 ") {
		t.Errorf("the error is not bounded: %d bytes", len(err.Error()))
	}
}

func TestIsNeverReady(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	_, err := child.Start(ctx, child.Options{
		Path: "/bin/sleep", Args: []string{"1000"},
		Ready: func(context.Context) error {
			if asked++; asked == 3 {
				cancel()
			}
			return errors.New("still asleep")
		},
	})
	expectError(t, err, "is not ready", "still asleep")
}

func TestCannotStart(t *testing.T) {
	_, err := shell(t, "", func(o *child.Options) { o.Path = "/no/such/program" })
	expectError(t, err, "start program")
}

func TestFreePort(t *testing.T) {
	port, err := child.FreePort()
	testkit.Need(t, err == nil && port >= 20000 && port <= 29999, "%v %v", port, err)
}
