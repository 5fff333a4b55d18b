// Package browser runs a headless Chromium for tests, and records requests and errors of its page.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/testkit"
)

const (
	// lifetime limits a test's use of its browser; on a busy machine the start takes several
	// seconds.
	lifetime = 2 * time.Minute

	// goodbye is the time that Chromium has to close before it is killed.
	goodbye = 10 * time.Second
)

// New starts a Chromium with a new profile and an empty page, and closes it when the test ends.
// The context is for chromedp and for the functions of this package; it ends with the browser
// after two minutes.
//
// Only localhost resolves in the browser: a request to another host fails at once, with or without
// a network, and [Outside] returns it.
//
// The test fails if no Chromium is installed or it does not start.
func New(t testing.TB) context.Context {
	t.Helper()
	path, err := find()
	if err != nil {
		testkit.Cannot(t, "%v", err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options(path)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)

	ctx, rec := withRecorder(ctx)
	err = chromedp.Listen(ctx, rec.event)
	testkit.Need(t, err == nil, "start %s: %v", path, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(ctx, goodbye)
		defer cancel()
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("close %s: %v", path, err)
		}
	})
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
