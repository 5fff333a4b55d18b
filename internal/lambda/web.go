package lambda

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"
)

// MaxAnswer is the maximum of bytes of an answer's body. Lambda allows 6 MB, and base64 increases
// a body by a third.
const MaxAnswer = 4_500_000

var errNoRequest = errors.New("the event is not an HTTP request: the function's trigger must be a function URL, or an HTTP API with payload format 2.0")

// Web answers the requests of a function URL, or of API Gateway's HTTP API, which has the same
// payload format (version 2.0). It is safe for concurrent use.
type Web struct {
	handler http.Handler
	log     *slog.Logger
}

// NewWeb returns a Web that passes requests to a handler.
func NewWeb(handler http.Handler, log *slog.Logger) *Web { return &Web{handler, log} }

// Handle answers one request. It returns an error for an event that is not an HTTP request.
func (w *Web) Handle(
	ctx context.Context, event events.LambdaFunctionURLRequest,
) (events.LambdaFunctionURLResponse, error) {
	if event.RequestContext.HTTP.Method == "" {
		return events.LambdaFunctionURLResponse{}, errNoRequest
	}
	answer := &answer{header: http.Header{}}
	if r, err := requestOf(ctx, event); err != nil {
		http.Error(answer, "the body is not base64, although isBase64Encoded is true", http.StatusBadRequest)
	} else {
		w.serve(answer, r)
	}
	return answer.response(), nil
}

// serve answers a panic with 500.
func (w *Web) serve(answer *answer, r *http.Request) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if fault != http.ErrAbortHandler {
			w.log.ErrorContext(r.Context(), "a request panicked", "error", fmt.Sprint(fault),
				"stack", string(debug.Stack()))
		}
		answer.replace(http.StatusInternalServerError, "internal error")
	}()
	w.handler.ServeHTTP(answer, r)
}

// requestOf returns the request as a server without a proxy would receive it: its address is the
// one that AWS saw, whatever the headers say.
func requestOf(ctx context.Context, event events.LambdaFunctionURLRequest) (*http.Request, error) {
	body := []byte(event.Body)
	if event.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(event.Body); err != nil {
			return nil, err
		}
	}
	from := event.RequestContext
	target := &url.URL{Path: event.RawPath, RawQuery: event.RawQueryString}
	if plain, err := url.PathUnescape(event.RawPath); err == nil {
		target.Path, target.RawPath = plain, event.RawPath
	}
	r := (&http.Request{
		Method: from.HTTP.Method, URL: target, RequestURI: target.RequestURI(), Host: from.DomainName,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}).WithContext(ctx)
	if from.HTTP.SourceIP != "" {
		r.RemoteAddr = net.JoinHostPort(from.HTTP.SourceIP, "0")
	}
	for name, value := range event.Headers { // several values of one name are joined by commas
		if strings.EqualFold(name, "Host") {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	if len(event.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(event.Cookies, "; "))
	}
	return r, nil
}

// answer records the output of a handler.
type answer struct {
	header http.Header
	status int // 0 until it is set
	sent   http.Header
	body   bytes.Buffer
	large  bool
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter. Like on a connection, later changes of the header
// have no effect.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK { // lower ones are informational
		a.status, a.sent = status, a.header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		if a.header.Get("Content-Type") == "" {
			a.header.Set("Content-Type", http.DetectContentType(b))
		}
		a.WriteHeader(http.StatusOK)
	}
	if a.large = a.large || a.body.Len()+len(b) > MaxAnswer; a.large {
		return 0, fmt.Errorf("the answer is larger than %d bytes", MaxAnswer)
	}
	return a.body.Write(b)
}

// replace replaces the answer.
func (a *answer) replace(status int, sentence string) {
	*a = answer{header: http.Header{}}
	http.Error(a, sentence, status)
}

func (a *answer) response() events.LambdaFunctionURLResponse {
	if a.large {
		a.replace(http.StatusInternalServerError, fmt.Sprintf("The answer exceeds %d bytes, AWS Lambda's limit: ask for less", MaxAnswer))
	}
	a.WriteHeader(http.StatusOK)
	out := events.LambdaFunctionURLResponse{
		StatusCode: a.status, Headers: map[string]string{}, Cookies: a.sent.Values("Set-Cookie"),
		Body: base64.StdEncoding.EncodeToString(a.body.Bytes()), IsBase64Encoded: true,
	}
	for name, values := range a.sent {
		if name != "Set-Cookie" {
			out.Headers[name] = strings.Join(values, ", ")
		}
	}
	return out
}

// Start handles events of Lambda's runtime with the method Handle of a Handler or a Web until the
// context ends, which also ends an invocation under way. It requests SIGTERM before an instance is
// stopped; otherwise the instance is killed at once. Outside Lambda, or if the runtime fails, it ends
// the process.
func Start(ctx context.Context, handle any) {
	// The runtime's loop never returns.
	go awslambda.StartWithOptions(handle, awslambda.WithContext(ctx), awslambda.WithEnableSIGTERM())
	<-ctx.Done()
}
