package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// counterEvery is the time between two lines where there is no terminal.
const counterEvery = 5 * time.Second

// counter shows on standard error how far long work is: a bar on a terminal, a
// line now and then elsewhere. Any goroutine may use it.
type counter struct {
	to         io.Writer
	name, unit string
	bar        *progressbar.ProgressBar // nil without a terminal

	mu      sync.Mutex
	current string // step
	n       int64
	shown   time.Time
}

func newCounter(name, unit string) *counter {
	c := &counter{to: os.Stderr, name: name, unit: unit, shown: time.Now()}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		c.bar = progressbar.NewOptions64(-1,
			progressbar.OptionSetWriter(c.to), progressbar.OptionSetDescription(name),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetSpinnerChangeInterval(0),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit))
	}
	return c
}

// set shows a number that is greater than those before, unless one was shown
// just now.
func (c *counter) set(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n <= c.n {
		return
	}
	c.n = n
	if c.bar != nil {
		_ = c.bar.Set64(n)
	} else if time.Since(c.shown) >= counterEvery {
		c.shown = time.Now()
		_, _ = fmt.Fprintf(c.to, "%s: %d %s\n", c.name, n, c.unit)
	}
}

// step is set for work of several steps, each of which counts anew.
func (c *counter) step(name string, n int64) {
	c.mu.Lock()
	if name != c.current {
		c.current, c.n = name, 0
		if c.bar != nil {
			c.bar.Reset()
			c.bar.Describe(c.name + ", " + name)
		} else {
			_, _ = fmt.Fprintf(c.to, "%s: %s\n", c.name, name)
		}
	}
	c.mu.Unlock()
	c.set(n)
}

// end leaves the cursor on a new line.
func (c *counter) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Exit()
		_, _ = fmt.Fprintln(c.to)
	}
}
