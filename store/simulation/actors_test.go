package simulation

import (
	"fmt"
	"strings"
	"sync"
	"time"

	items "product-comments/store/comment/item"
)

// cast is the kind of an actor.
type cast int

const (
	visitors  cast = iota // through a server
	operators             // by a command, in a separate process
)

// actor calls one verb.
type actor struct {
	name   string
	cast   cast
	weight func(*config) int // frequency relative to the other actors
	step   func(*act)
}

// actors are all actors. A new verb needs a line here.
var actors = []actor{
	{"create", visitors, func(c *config) int { return 25 - 22*one(c.Sparse) }, create},
	{"update", visitors, func(c *config) int { return 25 + 150*one(c.Edits) }, update},
	{"delete", visitors, func(c *config) int { return 10 - 8*one(c.Sparse) }, remove},
	{"upload", visitors, func(c *config) int { return 25 * one(c.Photos) }, upload},
	{"remove photo", visitors, func(c *config) int { return 6 * one(c.Photos) }, removePhoto},
	{"vote", visitors, often(15), vote},
	{"decide", visitors, func(c *config) int { return 30 * one(c.Moderated) }, decide},
	{"report", visitors, func(c *config) int { return 30 * one(c.Moderated) }, report},
	{"notice", visitors, func(c *config) int { return 12 * one(c.Moderated) }, notice},
	{"dismiss reports", visitors, func(c *config) int { return 8 * one(c.Moderated) }, dismissReports},
	{"reply", visitors, func(c *config) int { return 8 * one(c.Moderated) }, reply},
	{"queue", visitors, func(c *config) int { return 8 * one(c.Moderated) }, queue},
	{"define", visitors, func(c *config) int { return 3*one(c.Attributes) + 5*one(c.Redefined) }, define},
	{"assign", visitors, func(c *config) int { return 4 * one(c.Groups) }, assign},
	{"order", visitors, func(c *config) int { return 10 + 30*one(c.Attributes) }, orders},
	{"record order", visitors, func(c *config) int { return 6 + 14*one(c.Kind == "people") + 120*one(c.Requests) }, recordOrder},
	{"set order status", visitors, func(c *config) int { return 10 + 30*one(c.Kind == "people") + 160*one(c.Requests) }, setOrderStatus},
	{"see orders", visitors, often(6), seeOrders},
	{"get", visitors, often(5), get},
	{"page", visitors, often(35), page},
	{"numbers", visitors, often(12), numbers},
	{"statistics", visitors, often(15), statistics},
	{"leaderboard", visitors, often(8), leaderboard},
	{"request", visitors, func(c *config) int { return 140 * one(c.Requests) }, requests},
	{"webhooks", visitors, func(c *config) int { return 6 * one(c.Webhooks) }, webhooks},
	{"import", operators, func(c *config) int { return 10 - 10*one(c.Sparse) }, importFile},
	{"erase", operators, func(c *config) int { return 14 * one(c.Erased) }, erase},
	{"verify", operators, often(3), verification},
	{"fill", operators, func(c *config) int { return 3 * one(c.Attributes) }, fill},
	{"power set", operators, func(c *config) int { return 14*one(c.PowerSets) + 60*one(c.Switches) }, powerSet},
	{"scoring", operators, often(3), setScoring},
	{"rebuild", operators, func(c *config) int { return 4 * one(c.Rebuilds) }, rebuild},
}

func often(n int) func(*config) int { return func(*config) int { return n } }

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// act is the context of one step of an actor. A step from a script has nil dice, because it draws
// nothing.
type act struct {
	*history
	*dice
	server     *process
	who, where string // in the script
}

func (a *act) product() string  { return a.config.Products[a.IntN(len(a.config.Products))] }
func (a *act) language() string { return a.config.Languages[a.IntN(len(a.config.Languages))] }

// owner draws the owner of a comment: one of a few people, or often none.
func (a *act) owner() string {
	if a.chance(0.4) {
		return ""
	}
	return a.someone("owner", 6-4*one(a.config.Alone))
}

// words returns a text that is different in each call, so that the words of an item identify the
// call that wrote it. All have the same length.
func (a *act) words() string { return fmt.Sprintf("%06x %010x", a.IntN(1<<24), a.Int64N(1<<40)) }

// text draws a short text, or rarely one that is too long for the indexes.
func (a *act) text() string {
	switch {
	case a.config.Large:
		return a.words() + strings.Repeat("x", items.InlineText-200)
	case a.chance(0.2):
		return ""
	case a.chance(0.02):
		return a.words() + strings.Repeat("x", items.InlineText)
	}
	return a.words() + " the legroom was fine, the food was not"
}

// tokens are the tokens of people. When the tokens of a person end, no later call has the name of
// that person.
type tokens struct {
	mu    sync.Mutex
	used  map[string]int // calls that are under way, by person
	ended map[string]bool
}

func newTokens() tokens { return tokens{used: map[string]int{}, ended: map[string]bool{}} }

// someBuyers is how many people order; they do everything else, too.
const someBuyers = 3

// someone draws one of n people of a kind, or one of the people who use all verbs.
func (a *act) someone(kind string, n int) string {
	if a.chance(0.3) {
		return fmt.Sprintf("buyer/%d#", a.IntN(someBuyers))
	}
	return fmt.Sprintf("%s/%d#", kind, a.IntN(n))
}

// as lets a call be made in a person's name until done is called; the name becomes that
// of no one if their tokens have ended.
func (a *act) as(name *string) (done func()) {
	k := &a.tokens
	k.mu.Lock()
	defer k.mu.Unlock()
	who := *name
	if k.ended[who] {
		*name = ""
		return func() {}
	}
	k.used[who]++
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.used[who]--
	}
}

// endTokens ends a person's, and waits until what they began is over. It returns false if
// the history is over before.
func (a *act) endTokens(who string) bool {
	a.note("end tokens", who)
	k := &a.tokens
	underWay := func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.ended[who] = true
		return k.used[who] > 0
	}
	for underWay() {
		if !a.sleep(100 * time.Millisecond) {
			return false
		}
	}
	return a.sleep(inFlight)
}

// hasEnded reports whether a person's tokens have ended.
func (a *act) hasEnded(who string) bool {
	k := &a.tokens
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended[who]
}
