package testkit

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// RunWithProgram builds the program as releases are built, notes where it is, and runs
// the tests of a package. It returns their exit status.
func RunWithProgram(m *testing.M, path *string) int {
	dir, err := os.MkdirTemp("", "product-comments-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*path = filepath.Join(dir, "product-comments")
	build := exec.Command("go", "build", "-trimpath", "-o", *path, "product-comments")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// Server is `product-comments serve` in a process of its own.
type Server struct {
	Cmd   *exec.Cmd
	URL   string // of the API, without a slash at the end
	Admin string // of the operators' address, likewise; "" if there is none
	Log   *Buffer
	End   chan struct{} // closed when the process has ended, and Log is whole
}

var (
	serving   = regexp.MustCompile(`msg=serving url=(\S+)/( |$)`)
	operators = regexp.MustCompile(`msg=operators url=(http://[^/]+)`)
)

// Serve starts a command that ends with the program's serve, and waits until it serves.
// If it does not, Serve ends it.
func Serve(c *exec.Cmd) (*Server, error) {
	stderr, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &Server{Cmd: c, Log: &Buffer{}, End: make(chan struct{})}
	url := make(chan string, 1)
	go func() { // it ends with the process
		defer close(s.End)
		defer close(url)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(s.Log, lines.Text())
			if m := operators.FindStringSubmatch(lines.Text()); m != nil && s.Admin == "" { // it is told first
				s.Admin = m[1]
			}
			if m := serving.FindStringSubmatch(lines.Text()); m != nil {
				url <- m[1]
			}
		}
		_ = c.Wait()
	}()
	select {
	case s.URL = <-url:
	case <-time.After(time.Minute):
	}
	if s.URL == "" {
		_ = c.Process.Kill()
		<-s.End
		return nil, fmt.Errorf("it does not serve:\n%s", s.Log)
	}
	return s, nil
}
