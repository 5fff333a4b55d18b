package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"product-comments/internal/checkout"
	"product-comments/internal/engine"
	"product-comments/internal/testkit"
)

// openDir makes the test binary a helper process: it opens the engine of the
// directory, prints its endpoint, and closes it when its stdin ends.
const openDir = "ENGINE_TEST_OPEN_DIR"

// findOnly makes it print where it finds the engine.
const findOnly = "ENGINE_TEST_FIND"

func TestMain(m *testing.M) {
	if os.Getenv(findOnly) != "" {
		found, err := engine.Find()
		if err != nil {
			found = err.Error()
		}
		fmt.Println(found)
		os.Exit(0)
	}
	checkout.UseEngine()
	if dir := os.Getenv(openDir); dir != "" {
		if err := openUntilEOF(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func openUntilEOF(dir string) error {
	e, err := engine.Open(context.Background(), engine.Options{DataDir: dir})
	if err != nil {
		return err
	}
	fmt.Println(e.Endpoint())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return e.Close()
}

// helper is another process with an open engine.
type helper struct {
	t        *testing.T
	cmd      *exec.Cmd
	stdin    io.Closer
	endpoint string
}

func startHelper(t *testing.T, dir string) *helper {
	t.Helper()
	need(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), openDir+"="+dir)
	cmd.Stderr = os.Stderr
	stdin := testkit.Value(cmd.StdinPipe())(t)
	stdout := testkit.Value(cmd.StdoutPipe())(t)
	testkit.Must(t, cmd.Start())
	h := &helper{t: t, cmd: cmd, stdin: stdin}
	t.Cleanup(func() { h.kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	testkit.Need(t, err == nil, "the helper printed no endpoint: %v", err)
	h.endpoint = strings.TrimSpace(line)
	return h
}

// end lets the helper close its engine and exit.
func (h *helper) end() {
	h.t.Helper()
	h.stdin.Close()
	if err := h.cmd.Wait(); err != nil {
		h.t.Fatalf("helper: %v", err)
	}
}

// kill ends the helper as kill -9 does.
func (h *helper) kill() {
	if h.cmd.ProcessState == nil {
		h.cmd.Process.Kill()
		h.cmd.Wait()
	}
}
