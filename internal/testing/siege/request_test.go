//go:build linux

package siege

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"
)

// request is what an attacker sends.
type request struct {
	method, path string
	body         []byte
	header       http.Header
}

// query is a POST with a document, as clients usually send it.
func query(document string) request { return post(document, nil) }

func post(document string, variables any) request {
	members := map[string]any{"query": document}
	if variables != nil {
		members["variables"] = variables
	}
	body, err := json.Marshal(members)
	if err != nil {
		panic(err) // a mistake of the test
	}
	return raw("application/json", body)
}

func raw(contentType string, body []byte) request {
	return request{http.MethodPost, "/graphql", body, http.Header{"Content-Type": {contentType}}}
}

// link is the same as a link that anybody can follow, and any page lead to.
func link(document string) request {
	return request{method: http.MethodGet, path: "/graphql?query=" + url.QueryEscape(document)}
}

// with adds a header.
func (r request) with(name, value string) request {
	if r.header = r.header.Clone(); r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(name, value)
	return r
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	bytes  int    // of the body, as it came over the wire
	start  []byte // of the body, a megabyte at most
	last   []byte // of the body, which has the cost
	took   time.Duration

	errors []refusal
}

type refusal struct {
	Message    string
	Extensions map[string]any
}

// code is that of the first error, "" if there is none.
func (a answer) code() string {
	if len(a.errors) == 0 {
		return ""
	}
	code, _ := a.errors[0].Extensions["code"].(string)
	return code
}

// says is what the first error says, "" if there is none.
func (a answer) says() string {
	if len(a.errors) == 0 {
		return ""
	}
	return a.errors[0].Message
}

// client keeps connections as browsers do, and never asks for compression, so that
// answers are counted as they are made.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200, DisableCompression: true}}

// send sends a request and reads the whole answer, which must come in time.
func (s *server) send(r request, within time.Duration) (a answer, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	began := time.Now()
	out, err := http.NewRequestWithContext(ctx, r.method, s.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		return a, err
	}
	if r.header != nil {
		out.Header = r.header.Clone()
	}
	if host := out.Header.Get("Host"); host != "" {
		out.Host = host
	}
	if out.Header.Get("Transfer-Encoding") == "chunked" {
		out.ContentLength = -1
	}
	response, err := client.Do(out)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	const kept = 1 << 20
	if a.start, err = io.ReadAll(io.LimitReader(response.Body, kept)); err != nil {
		return a, err
	}
	a.bytes, a.last = len(a.start), a.start
	buffer := make([]byte, 64<<10)
	for err == nil {
		var n int
		n, err = response.Body.Read(buffer)
		a.bytes, a.last = a.bytes+n, append(tail(a.last), buffer[:n]...)
	}
	if err != io.EOF {
		return a, err
	}
	a.last, a.took = tail(a.last), time.Since(began)
	var body struct{ Errors []refusal }
	if json.Unmarshal(a.start, &body) == nil {
		a.errors = body.Errors
	}
	return a, nil
}

// tail returns the last bytes of a body, enough for the cost of an answer.
func tail(b []byte) []byte {
	b = b[max(0, len(b)-1000):]
	return b[:len(b):len(b)]
}
