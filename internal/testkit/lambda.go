package testkit

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// OnLambda runs a command as Lambda runs a function, hands it one event, and asks it to
// end when it has answered. It returns the answer, behind the word response or error, and
// what the function logged.
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
	case <-time.After(30 * time.Second):
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
