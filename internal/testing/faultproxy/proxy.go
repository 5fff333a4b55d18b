package faultproxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/store/simulation/faults"
)

// Rule selects which calls fail, and how often.
type Rule struct {
	faults.Rates
	Operation string // such as Query; empty for all
	Index     string // that a Query or Scan names; empty for all calls
}

func (r Rule) concerns(operation, index string) bool {
	return (r.Operation == "" || r.Operation == operation) && (r.Index == "" || r.Index == index)
}

// Proxy is a running proxy. It is safe for concurrent use.
type Proxy struct {
	server *httptest.Server
	engine *http.Client
	target string

	mu     sync.Mutex
	dice   *rand.Rand
	rule   Rule
	calls  int
	struck int
}

// Start starts a proxy for an engine's endpoint, without a rule. It ends with the test.
func Start(t testing.TB, target string, seed uint64) *Proxy {
	p := &Proxy{
		target: target,
		engine: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}},
		dice:   rand.New(rand.NewPCG(seed, 0)),
	}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0) // it breaks connections on purpose
	p.server.Start()
	t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
		p.engine.CloseIdleConnections()
	})
	return p
}

// Endpoint returns the proxy's URL, to be used instead of the engine's.
func (p *Proxy) Endpoint() string { return p.server.URL }

// Set replaces the rule. The zero Rule injects no faults.
func (p *Proxy) Set(rule Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = rule
}

// Calls returns the number of calls.
func (p *Proxy) Calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// Struck returns the number of calls with an injected fault.
func (p *Proxy) Struck() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

func (p *Proxy) draw(operation, index string) (fate faults.Fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.rule.concerns(operation, index) {
		fate = p.rule.Draw(p.dice)
	}
	if fate.Struck() {
		p.struck++
	}
	return fate
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var named struct{ IndexName string }
	_ = json.Unmarshal(body, &named) // other calls have no index
	fate := p.draw(operation, named.IndexName)
	if !wait(r, fate.Before) {
		return
	}
	if fate.Refused() {
		refuse(w, fate)
		return
	}
	answer, err := p.forward(r, body)
	if err != nil || fate.Lost && !fate.Second {
		reset(w)
		return
	}
	if !wait(r, fate.After) {
		return
	}
	if fate.Error != faults.None {
		refuse(w, fate)
		return
	}
	maps.Copy(w.Header(), answer.header)
	w.Header().Set("Content-Length", fmt.Sprint(len(answer.body)))
	w.WriteHeader(answer.status)
	if fate.Lost {
		_, _ = w.Write(answer.body[:len(answer.body)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(answer.body)
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (p *Proxy) forward(r *http.Request, body []byte) (*answer, error) {
	request, err := http.NewRequestWithContext(r.Context(), r.Method, p.target+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = r.Header.Clone()
	response, err := p.engine.Do(request)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Header.Del("Connection")
	return &answer{response.StatusCode, response.Header, content}, nil
}

// refuse answers with an error in DynamoDB's format.
func refuse(w http.ResponseWriter, fate faults.Fate) {
	status, kind := http.StatusBadRequest, "dynamodb.v20120810#ProvisionedThroughputExceededException"
	switch {
	case fate.Error == faults.Unreachable:
		reset(w)
		return
	case fate.Error == faults.Internal:
		status, kind = http.StatusInternalServerError, "dynamodb.v20120810#InternalServerError"
	case fate.Second:
		kind = "coral.availability#ThrottlingException"
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"__type":"com.amazon.%s","message":"a test says so"}`, kind)
}

// reset resets the connection without an answer.
func reset(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // RST instead of FIN
	}
	_ = conn.Close()
}

// wait returns false if the client disconnected; then its call is not forwarded.
func wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-timer.C:
		return true
	}
}
