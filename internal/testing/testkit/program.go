package testkit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Buffer is a bytes.Buffer that is safe for concurrent use, such as for the log of a process.
type Buffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// String returns the content so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// OnLambda runs a command as Lambda runs a function, sends it one event, and stops it after the
// answer. It returns the answer, after the word response or error, and the log.
func OnLambda(t testing.TB, function *exec.Cmd, event []byte) (answer, log string) {
	t.Helper()
	answers := make(chan string, 1)
	var given atomic.Bool
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		if given.Swap(true) {
			never(w, r)
			return
		}
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
		_, _ = w.Write(event)
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/1/{what}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		answers <- r.PathValue("what") + " " + strings.TrimSpace(string(body))
	})
	mux.HandleFunc("POST /2020-01-01/extension/register", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Lambda-Extension-Identifier", "1")
	})
	mux.HandleFunc("GET /2020-01-01/extension/event/next", never)
	runtime := httptest.NewServer(mux)
	defer runtime.Close()

	var said bytes.Buffer
	function.Env = append(function.Env, "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(runtime.URL, "http://"))
	function.Stderr = &said
	Must(t, function.Start())
	select {
	case answer = <-answers:
	case <-time.After(2 * time.Minute):
		t.Error("no answer")
	}
	if err := function.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := function.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, &said)
	}
	return answer, said.String()
}

// RunWithProgram stores the path of the program, and runs the tests of a package. It returns their
// exit status. The program is the tests' own binary by another name, which runs main: so nothing
// is built and linked a second time. It must be called before flags are parsed.
func RunWithProgram(m interface{ Run() int }, path *string, main func() int) int {
	const name = "product-comments"
	if filepath.Base(os.Args[0]) == name {
		return main()
	}
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*path = filepath.Join(dir, name)
	tests, err := os.Executable()
	if err == nil {
		err = os.Symlink(tests, *path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Server is `product-comments serve` in a separate process.
type Server struct {
	Cmd   *exec.Cmd
	URL   string // of the API, without a slash at the end
	Admin string // of the operators' address, without a slash at the end; empty if there is none
	Log   *Buffer
	End   chan struct{} // closed when the process has ended, and Log is complete
}

var (
	serving   = regexp.MustCompile(`msg=serving url=(\S+)/( |$)`)
	operators = regexp.MustCompile(`msg="listening for operators" url=(http://[^/]+)`)
)

// Serve starts a command that ends with the program's serve, and waits until it is ready. On an
// error it stops the process.
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
			if m := operators.FindStringSubmatch(lines.Text()); m != nil && s.Admin == "" { // it is logged first
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
	case <-time.After(2 * time.Minute):
	}
	if s.URL == "" {
		_ = c.Process.Kill()
		<-s.End
		return nil, fmt.Errorf("it does not serve:\n%s", s.Log)
	}
	return s, nil
}
