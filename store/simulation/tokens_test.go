package simulation

import (
	"fmt"
	"sync"
	"time"
)

// tokens are what people call verbs with. Those of somebody end at some time, and then
// nobody writes in their name any more.
type tokens struct {
	mu    sync.Mutex
	used  map[string]int // calls that are under way, by person
	ended map[string]bool
}

func newTokens() tokens { return tokens{used: map[string]int{}, ended: map[string]bool{}} }

// someBuyers is how many people order; they do everything else, too.
const someBuyers = 3

// somebody is one of a few people who do one thing alone, or one of those who do
// everything.
func (a *act) somebody(kind string, n int) string {
	if a.chance(0.3) {
		return fmt.Sprintf("buyer/%d#", a.IntN(someBuyers))
	}
	return fmt.Sprintf("%s/%d#", kind, a.IntN(n))
}

// as lets a call be made in somebody's name until done is called; the name becomes that
// of nobody if their tokens have ended.
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

// endTokens ends somebody's, and waits until what they began is over. It returns false if
// the history is over before.
func (a *act) endTokens(who string) bool {
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

// hasEnded tells whether somebody's tokens have ended.
func (a *act) hasEnded(who string) bool {
	k := &a.tokens
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended[who]
}
