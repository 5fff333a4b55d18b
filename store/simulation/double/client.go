package double

import (
	"sync"

	"product-comments/store/simulation/faults"
)

// Client is how one process reaches a DB. It implements store.API and
// stream.API. In a bubble of testing/synctest it must be made there.
type Client struct {
	db      *DB
	process hash

	mu     sync.Mutex
	faults faults.Rates
	calls  int
	times  map[hash]uint64 // how often each call was made

	// dead is closed when the process dies, under the DB's lock, so that no call
	// has an effect afterwards.
	dead chan struct{}
	kill sync.Once
}

// Client returns a client for a new process. Of two with the same name, each
// begins to count its calls again, and so meets the same faults.
func (db *DB) Client(process string) *Client {
	return &Client{db: db, process: db.seed.text(process), times: map[hash]uint64{}, dead: make(chan struct{})}
}

// Set says what is to befall the calls that begin from now on.
func (c *Client) Set(f faults.Rates) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
}

// Kill ends the process: no call of it has an effect any more. Calls under way
// may have taken effect or not; all calls, now and later, fail at once.
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

// Calls returns how many calls the process made, failed ones included.
func (c *Client) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}
