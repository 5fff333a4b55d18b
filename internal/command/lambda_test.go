package command

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// On Lambda, a function whose handler is serve answers requests, by the flags'
// environment names, and ends when it is told to.
func TestServeOnLambda(t *testing.T) {
	const event = `{"version":"2.0","rawPath":"/graphql","headers":{"content-type":"application/json","host":"localhost"},
		"requestContext":{"domainName":"localhost","http":{"method":"POST","sourceIp":"192.0.2.1"}},
		"body":"{\"query\":\"{product(id:\\\"42\\\"){comments{nodes{id}}}}\"}"}`
	events, answers := make(chan string, 1), make(chan []byte, 1)
	events <- event
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case e := <-events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", "32503680000000")
			_, _ = io.WriteString(w, e)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/1/response", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		answers <- body
	})
	mux.HandleFunc("POST /2020-01-01/extension/register", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Lambda-Extension-Identifier", "1")
	})
	mux.HandleFunc("GET /2020-01-01/extension/event/next", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	runtime := httptest.NewServer(mux)
	defer runtime.Close()

	var log bytes.Buffer
	function := exec.CommandContext(t.Context(), program)
	function.Env = append(environment(), lambdaRuntimeEnv+"="+strings.TrimPrefix(runtime.URL, "http://"), lambdaHandlerEnv+"="+lambdaServes, "DATA_DIR="+t.TempDir())
	function.Stderr = &log
	if err := function.Start(); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		StatusCode int
		Body       []byte // which is base64
	}
	select {
	case got := <-answers:
		if err := json.Unmarshal(got, &answer); err != nil {
			t.Errorf("%v: %s", err, got)
		}
	case <-time.After(30 * time.Second):
		t.Error("no answer")
	}
	if want := `{"data":{"product":{"comments":{"nodes":[]}}}`; answer.StatusCode != 200 || !strings.HasPrefix(string(answer.Body), want) {
		t.Errorf("%d %s", answer.StatusCode, answer.Body)
	}
	if err := function.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := function.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, log.String())
	}
}
