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
)

// Fault is a way in which a call goes wrong.
type Fault string

// The faults, see the package comment.
const (
	Throttled Fault = "throttled"
	Limited   Fault = "limited"
	Broken    Fault = "broken"
	Slow      Fault = "slow"
	Reset     Fault = "reset"
	Half      Fault = "half"
	Lost      Fault = "lost"
)

// Faults lists all of them.
var Faults = []Fault{Throttled, Limited, Broken, Slow, Reset, Half, Lost}

// Rule says what share of which calls a fault strikes.
type Rule struct {
	Fault     Fault
	Share     float64       // 0 to 1
	Operation string        // such as Query; empty for all
	Index     string        // that a Query or Scan names; empty for all calls
	Delay     time.Duration // the longest of a Slow call; half a second if zero
}

func (r Rule) concerns(operation, index string) bool {
	return (r.Operation == "" || r.Operation == operation) && (r.Index == "" || r.Index == index)
}

// Proxy is a running proxy. Its methods may be called from any goroutine.
type Proxy struct {
	server *httptest.Server
	engine *http.Client
	target string

	mu     sync.Mutex
	dice   *rand.Rand
	rules  []Rule
	calls  int
	struck map[Fault]int
}

// Start starts a proxy for an engine's endpoint, without rules. It ends with the
// test.
func Start(t testing.TB, target string, seed uint64) *Proxy {
	p := &Proxy{
		target: target,
		engine: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}},
		dice:   rand.New(rand.NewPCG(seed, 0)),
		struck: map[Fault]int{},
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

// Endpoint is the proxy's URL, to be used in the engine's place.
func (p *Proxy) Endpoint() string { return p.server.URL }

// Set puts rules in the place of those that there were; without any, nothing
// goes wrong. For each call the first rule that strikes counts.
func (p *Proxy) Set(rules ...Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = rules
}

// Calls returns how many calls came.
func (p *Proxy) Calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

// Struck returns how many calls each fault struck.
func (p *Proxy) Struck() map[Fault]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.struck)
}

// fate is what befalls a call.
type fate struct {
	fault Fault // "" for none
	early bool  // of those that strike before or after the engine was asked
	delay time.Duration
}

func (p *Proxy) draw(operation, index string) fate {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	for _, r := range p.rules {
		if r.concerns(operation, index) && p.dice.Float64() < r.Share {
			p.struck[r.Fault]++
			most := r.Delay
			if most == 0 {
				most = time.Second / 2
			}
			return fate{r.Fault, p.dice.IntN(2) == 0, time.Duration(p.dice.Int64N(int64(most)))}
		}
	}
	return fate{}
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var named struct{ IndexName string }
	_ = json.Unmarshal(body, &named) // what has no index has none
	fate := p.draw(operation, named.IndexName)
	switch {
	case fate.fault == Throttled:
		refuse(w, http.StatusBadRequest, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException")
		return
	case fate.fault == Limited:
		refuse(w, http.StatusBadRequest, "com.amazon.coral.availability#ThrottlingException")
		return
	case fate.fault == Broken && fate.early:
		refuse(w, http.StatusInternalServerError, "com.amazonaws.dynamodb.v20120810#InternalServerError")
		return
	case fate.fault == Reset:
		reset(w)
		return
	case fate.fault == Slow && fate.early:
		if !wait(r, fate.delay) {
			return
		}
	}
	answer, err := p.forward(r, body)
	if err != nil {
		reset(w)
		return
	}
	switch fate.fault {
	case Broken:
		refuse(w, http.StatusInternalServerError, "com.amazonaws.dynamodb.v20120810#InternalServerError")
		return
	case Lost:
		reset(w)
		return
	case Slow:
		if !fate.early && !wait(r, fate.delay) {
			return
		}
	}
	maps.Copy(w.Header(), answer.header)
	w.Header().Set("Content-Length", fmt.Sprint(len(answer.body)))
	w.WriteHeader(answer.status)
	if fate.fault == Half {
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

// refuse answers as DynamoDB spells errors.
func refuse(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"__type":%q,"message":"a test says so"}`, kind)
}

// reset breaks the connection, so that the client meets a reset and no end.
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
		_ = tcp.SetLinger(0) // RST in the place of FIN
	}
	_ = conn.Close()
}

// wait returns false if the client went away meanwhile: its call is not made then.
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
