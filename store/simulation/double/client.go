package double

import (
	"sync"

	"product-comments/store/simulation/faults"
)

// Client is the connection of one process to a DB. It implements table.API and stream.API. A client
// for a bubble of testing/synctest must be created in the bubble.
type Client struct {
	db      *DB
	process hash

	mu     sync.Mutex
	faults faults.Rates
	calls  int
	times  map[hash]uint64 // how often each call was made

	// dead is closed, under the DB's lock, when the process dies. No call has an effect afterwards.
	dead chan struct{}
	kill sync.Once
}

// Client returns a client for a new process. A second client with the same name counts its calls
// from the beginning, so it meets the same faults.
func (db *DB) Client(process string) *Client {
	return &Client{db: db, process: db.seed.text(process), times: map[hash]uint64{}, dead: make(chan struct{})}
}

// Set sets the faults of all calls that begin from now on.
func (c *Client) Set(f faults.Rates) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
}

// Kill ends the process. Calls in progress have taken effect already, or never will. All calls,
// current and later, fail at once.
func (c *Client) Kill() {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	c.kill.Do(func() { close(c.dead) })
}

// killed reports whether the process is dead.
func (c *Client) killed() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// Calls returns the number of calls that the process has made, including failed ones.
func (c *Client) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}
