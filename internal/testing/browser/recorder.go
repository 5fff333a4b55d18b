package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// recorder records the page's activity. Chromium's events arrive on another goroutine than the
// test's.
type recorder struct {
	mu       sync.Mutex
	requests []string
	problems []string
}

type recorderKey struct{}

func withRecorder(ctx context.Context) (context.Context, *recorder) {
	rec := new(recorder)
	return context.WithValue(ctx, recorderKey{}, rec), rec
}

// recorderOf panics on a context that New has not returned.
func recorderOf(ctx context.Context) *recorder {
	return ctx.Value(recorderKey{}).(*recorder)
}

// event records the relevant events. It is called for each event.
func (r *recorder) event(ev any) {
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		r.request(ev.Request.URL)
	case *network.EventWebSocketCreated:
		r.request(ev.URL)
	case *network.EventWebTransportCreated:
		r.request(ev.URL)
	case *log.EventEntryAdded:
		// Violations of a page's policy and failed loads are reported here.
		if e := ev.Entry; e.Level == log.EntryLevelWarning || e.Level == log.EntryLevelError {
			r.problem("%s: %s %s", e.Source, e.Text, e.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeWarning || ev.Type == runtime.ConsoleAPICalledTypeError {
			r.problem("console.%s: %s", ev.Type, consoleText(ev.Args))
		}
	case *runtime.EventExceptionThrown:
		d := ev.ExceptionDetails
		text := d.Text
		if d.Exception != nil {
			text += " " + d.Exception.Description
		}
		r.problem("exception: %s %s", text, d.URL)
	}
}

func (r *recorder) request(url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, url)
}

func (r *recorder) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// consoleText joins the arguments of a console call: strings unchanged, objects by their
// description, other values as JSON.
func consoleText(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		word := a.Description
		if word == "" && json.Unmarshal(a.Value, &word) != nil {
			word = string(a.Value)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Requests returns the address of every request that the page has made or tried to make, in order,
// including data: and blob: addresses.
func Requests(ctx context.Context) []string {
	r := recorderOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Problems returns the page's problems so far, one per line: console warnings and errors, uncaught
// exceptions, failed loads, and violations of a Content-Security-Policy.
func Problems(ctx context.Context) []string {
	r := recorderOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.problems)
}

// Outside returns the [Requests] to other servers than that of the address base, without data:,
// blob: and about: addresses.
func Outside(ctx context.Context, base string) []string {
	return slices.DeleteFunc(Requests(ctx), func(address string) bool {
		return inside(address, base)
	})
}

func inside(address, base string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "data", "blob", "about":
		return true
	}
	b, err := url.Parse(base)
	return err == nil && u.Host == b.Host
}
