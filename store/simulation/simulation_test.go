package simulation

import (
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/simulation/double"
)

// rare are the situations that a run of many histories must include.
var rare = []string{
	"a batch was delivered twice",
	"a record was delivered twice within a batch",
	"a language was refused",
	"a comment moved to another product",
	"a comment moved to a greater bucket of its lane",
	"a comment moved to a smaller bucket of its lane",
	"a create was repeated after its comment was deleted",
	"a create was repeated with its idempotency key",
	"a page was read while a rating moved",
	"a part of a batch failed",
	"a power set that was stopped half-way was finished",
	"a power set was switched off",
	"a power set was switched on",
	"a write during: import",
	"a write during: power set",
	"a write during: rebuild",
	"a write during: verify",
	"a write took effect and its call failed",
	"a vote was cast that was there already",
	"a vote was withdrawn",
	"a comment became PUBLISHED",
	"a comment became REJECTED",
	"a comment became WITHDRAWN",
	"a comment was reported again by the same person",
	"a comment was seen in the queue",
	"reports returned a comment to a moderator",
	"a report was refused, after as many as a person may make in an hour",
	"a person's reports were dismissed",
	"a comment was reported again with the same address",
	"a decision forgot who made a notice",
	"moderation queue were compared at the end",
	"what was edited came before a moderator again",
	"a voter voted in two tabs at once",
	"a comment lost its owner",
	"a decision became anonymous",
	"decisions about a deleted comment were removed",
	"votes on a deleted comment were removed",
	"an erasure was stopped half-way",
	"an order became anonymous",
	"an order of an erased person was recorded again",
	"a person was erased while others wrote",
	"the table was searched for names of people who were erased",
	"the table was searched for words of removed comments",
	"a late status only told its time",
	"a status was told twice at once",
	"an order with other lines was refused",
	"open orders were listed",
	"marks of purchases were compared at the end",
	"an import found what it was to write",
	"an import replaced a comment",
	"a second comment of an owner was refused",
	"a server counted its own write ahead of the projector",
	"an operator rebuilt",
	"another's comment was not deleted",
	"copies were compared at the end",
	"copies were read that were behind",
	"counts were read that were behind",
	"values were counted",
	"a comment was found by its number",
	"a timeline was read",
	"numbers were read that were behind",
	"a filter came to a language with a region",
	"comments were counted by language, rating and text",
	"author entries were compared at the end",
	"statistics of attributes were compared at the end",
	"an order showed what its server wrote",
	"no projector ran for a day",
	"said: the stream has dropped records that may not have been projected",
	"statistics were rebuilt",
	"statistics were refused",
	"votes were counted at the end",
	"a projector whose clock was wrong",
	"an event came again",
	"an endpoint wanted no more events",
	"events were compared at the end",
	"said: a webhook could not be delivered",
	"a buyer opted out",
	"a comment got other photos",
	"a comment was created with photos",
	"a message was accepted again",
	"a moderator removed a photo",
	"a photo was refused",
	"a request became REMINDED",
	"an answer of the bucket was lost",
	"months of requests were compared at the end",
	"objects of a photo were deleted",
	"photos were compared at the end",
	"requests: request.due",
	"requests: request.opted_out",
	"two comments took the same photos at once",
	"webhooks: replay",
	"webhooks: delete",
}

// usually is how many histories are played unless HISTORIES says otherwise, if
// there is time. Where these have not met all that is rare, more are, up to mostly.
const (
	usually = 300
	mostly  = 2000
)

// calledKinds are the kinds of calls in all histories.
var calledKinds sync.Map

// TestHistories plays one history per seed.
func TestHistories(t *testing.T) {
	n := setting(t, "HISTORIES", usually)
	first := setting(t, "FIRST", rand.Uint64N(1<<32))
	if os.Getenv("SEED") != "" {
		repeat(t, drawn(setting[uint64](t, "SEED", 0)))
		return
	}
	if file := os.Getenv("REPLAY"); file != "" {
		s, err := parse(string(testkit.Value(os.ReadFile(file))(t)))
		testkit.Need(t, err == nil, "%s: %v", file, err)
		repeat(t, s)
		return
	}
	seconds := 6
	if testkit.All(t) {
		seconds = 25
	}
	lasts := time.Duration(setting(t, "SECONDS", seconds)) * time.Second
	r := &run{first: first, n: n, until: time.Now().Add(lasts), last: time.Now().Add(4 * lasts), gather: os.Getenv("GATHER") != "", rules: map[string]*broken{}, kinds: map[string]time.Duration{}}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // what a history leaves behind is gone with it
	began := time.Now()
	t.Run("histories", func(t *testing.T) {
		for range runtime.GOMAXPROCS(0) {
			t.Run("one after the other", func(t *testing.T) {
				t.Parallel()
				r.work(t)
			})
		}
	})
	compared := double.Compared()
	calledKinds.Range(func(kind, _ any) bool {
		testkit.Check(t, slices.Contains(compared, kind.(string)), "the store makes a call that is not compared with engines of others: "+
			"let double's TestDifference make it, and add to its testdata/kinds.txt: %s", kind)
		return true
	})
	played := r.played.Load()
	t.Logf("%d histories from seed %d on, %.1f a second\n%v\n%s", played, first, float64(played)/time.Since(began).Seconds(), r.kinds, r.marks.String())
	for _, rule := range slices.Sorted(maps.Keys(r.rules)) {
		b := r.rules[rule]
		t.Errorf("%s:\n\tbroken in %d histories, for the first time in history %d, SEED=%d:\n\t%s", rule, b.n, b.first-first+1, b.first, b.message)
	}
	missing := r.marks.missing(rare)
	testkit.Check(t, len(missing) == 0 || played < usually || t.Failed(), "no history had these situations: %v", missing)
}

// setting reads a number from the environment.
func setting[T int | uint64](t *testing.T, name string, otherwise T) T {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	testkit.Need(t, err == nil, "%s: %v", name, err)
	return T(n)
}

// repeat plays a history until it fails, because the scheduler decides which of two goroutines runs
// first at the same instant. With MINIMIZE it then looks for a shorter one.
func repeat(t *testing.T, s script) {
	often := setting(t, "OFTEN", 20)
	var m marks
	for i := range often {
		h := play(t, s, &m)
		if os.Getenv("JOURNAL") != "" {
			t.Logf("config: %+v\n%s", h.config, h.journal.last(1<<30, ""))
		}
		if len(h.failures) == 0 {
			continue
		}
		t.Errorf("run %d: %s", i+1, h.report())
		if os.Getenv("MINIMIZE") != "" {
			minimize(t, h)
		} else {
			t.Logf("its %d operations, which REPLAY=file plays:\n%s", len(h.noted), h.script())
		}
		return
	}
	t.Logf("history %d passed %d times\n%s", s.seed, often, m.String())
}

// run is a run of many histories.
type run struct {
	first        uint64
	n            int
	until, last  time.Time // however many were played by then; where something rare was not met
	gather       bool      // go on after failures, and count them by rule
	next, played atomic.Int64
	marks        marks

	mu    sync.Mutex
	rules map[string]*broken
	kinds map[string]time.Duration // how long histories of each kind took together
}

func (r *run) took(h *history) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[h.config.Kind] += h.took
	r.marks.add("histories: " + h.config.Kind)
}

// broken is a rule that some histories broke.
type broken struct {
	n       int
	first   uint64
	message string
}

// plays reports whether history i is played. A run that is long enough to include all rare
// situations continues after its end until it has.
func (r *run) plays(i int64) bool {
	if i < int64(r.n) {
		return time.Now().Before(r.until)
	}
	return r.n >= usually && i < mostly && time.Now().Before(r.last) && os.Getenv("KIND") == "" && len(r.marks.missing(rare)) > 0
}

// work plays histories in sequence.
func (r *run) work(t *testing.T) {
	for i := r.next.Add(1) - 1; r.plays(i); i = r.next.Add(1) - 1 {
		seed := r.first + uint64(i)
		if kind := os.Getenv("KIND"); kind != "" && draw(seed).Kind != kind {
			continue
		}
		stuck := time.AfterFunc(time.Minute, func() { t.Logf("history %d has run for a minute", seed) })
		h := play(t, drawn(seed), &r.marks)
		stuck.Stop()
		r.played.Add(1)
		r.took(h)
		if len(h.failures) == 0 {
			continue
		}
		if !r.gather {
			t.Errorf("%s\nits %d operations, which REPLAY=file plays:\n%s", h.report(), len(h.noted), h.script())
			r.next.Store(max(int64(r.n), mostly))
			return
		}
		r.note(h)
	}
}

// particular is what differs between failures of the same kind.
var particular = regexp.MustCompile(`"[^"]*"|\{[^}]*\}|[^ ]*[0-9][^ ]*`)

// note counts the first failure of a history.
func (r *run) note(h *history) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := h.failures[0]
	kind := h.config.Kind + ", " + f.rule + ": " + particular.ReplaceAllString(f.message, "…")
	kind = kind[:min(len(kind), 160)]
	b := r.rules[kind]
	if b == nil {
		b = &broken{first: h.seed, message: f.message}
		r.rules[kind] = b
	}
	b.n++
	if h.seed < b.first {
		b.first, b.message = h.seed, f.message
	}
}

// play plays one history in a separate bubble.
func play(t *testing.T, s script, m *marks) (h *history) {
	began := time.Now()
	synctest.Test(t, func(*testing.T) { h = newHistory(s, m); h.run() })
	h.took = time.Since(began)
	return h
}
