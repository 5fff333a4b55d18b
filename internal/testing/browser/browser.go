// Package browser runs a headless Chromium for tests, and records requests and errors of its page.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/testkit"
)

const (
	// lifetime limits a test's use of its tab, on a busy machine too.
	lifetime = 5 * time.Minute

	// goodbye is the time that Chromium has to close before it is killed.
	goodbye = 10 * time.Second
)

// shared is the browser of this test binary.
var shared struct {
	main  atomic.Bool // Main runs, and will close it
	start sync.Once
	ctx   context.Context
	err   error
}

// Main is the tests of a binary, which share one browser. Its Run closes the browser.
type Main struct{ *testing.M }

// Run runs the tests and returns their exit status.
func (m Main) Run() int {
	shared.main.Store(true)
	code := m.M.Run()
	if shared.ctx == nil {
		return code
	}
	ctx, cancel := context.WithTimeout(shared.ctx, goodbye)
	defer cancel()
	if err := chromedp.Cancel(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
	}
	return code
}

// New opens an empty page in a new profile, and closes both when the test ends. The context is for
// chromedp and for the functions of this package; it ends after five minutes. The first call starts
// Chromium, which all tests of the binary share.
//
// Only localhost resolves in the browser: a request to another host fails at once, with or without
// a network, and [Outside] returns it.
//
// The test fails if Chromium does not start, and is skipped if none is installed.
func New(t testing.TB) context.Context {
	t.Helper()
	path, err := find()
	if err != nil {
		testkit.Cannot(t, "%v", err)
	}
	testkit.Need(t, shared.main.Load(), "the test package needs a TestMain that runs browser.Main{M: m}")
	shared.start.Do(func() {
		ctx, _ := chromedp.NewExecAllocator(context.Background(), options(path)...)
		shared.ctx, _ = chromedp.NewContext(ctx) // Main ends both
		shared.err = chromedp.Do(shared.ctx)
	})
	testkit.Need(t, shared.err == nil, "start %s: %v", path, shared.err)

	ctx, cancel := context.WithTimeout(shared.ctx, lifetime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, rec := withRecorder(ctx)
	testkit.Must(t, chromedp.Listen(ctx, rec.event))
	return ctx
}

// options are chromedp's defaults and the flags that silence Chromium in a container. They name no
// profile folder, so chromedp creates one, and removes it when all processes of Chromium have
// ended.
func options(path string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.Headless,
		chromedp.NoSandbox, // containers run as root, without user namespaces
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"),
	)
}

// find returns the path of Chromium: $CHROMIUM if set, otherwise the first of the usual names in
// PATH. The error says what to install.
func find() (string, error) {
	if name := os.Getenv("CHROMIUM"); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("the variable CHROMIUM names no browser: %w", err)
		}
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("this test needs Chromium: install it (apt-get install chromium) or set CHROMIUM to its path")
}
