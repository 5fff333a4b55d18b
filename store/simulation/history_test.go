package simulation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/attributes"
	"product-comments/store/key"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
)

// history is one run. It begins with a table and its processes, continues with actors and chaos,
// and ends with the final checks.
type history struct {
	seed    uint64
	config  config
	began   time.Time
	db      *double.DB
	bucket  *bucket
	model   *model
	journal *journal
	marks   *marks
	gate    *gate
	lines   []line // that are played; nil if actors draw what they do
	stream  string // ARN of the table's

	mu                        sync.Mutex
	started                   map[string]int // processes, by kind
	calls                     int
	creations                 int    // that were drawn
	noted                     []line // every operation that began
	walkers                   int    // walks that were drawn
	walks                     map[int]*walk
	living, servers, projects []*process
	source                    *source // of events for Lambda, nil without
	failures                  []failure
	underWay                  map[string]int // calls by verb
	tokens                    tokens
	erasures                  map[string]bool // by person who is to be erased, whether published comments of theirs stay
	over                      chan struct{}   // closed at the first failure
	calm                      bool
	took                      time.Duration // in real time
	resharded                 int           // how often chaos did it
}

// newHistory returns the history of a script, inside a bubble.
func newHistory(s script, m *marks) *history {
	h := &history{seed: s.seed, config: s.config, lines: s.lines, began: time.Now(), marks: m, gate: newGate(), over: make(chan struct{}), started: map[string]int{}, walks: map[int]*walk{}, underWay: map[string]int{}, tokens: newTokens(), erasures: map[string]bool{}}
	h.journal = &journal{began: h.began}
	h.model, h.bucket = newModel(h), &bucket{h: h, objects: map[string]map[int]bool{}}
	o := h.config.Double
	o.Committed = h.model.committed
	o.Kinds = func(kind string) { calledKinds.LoadOrStore(kind, true) }
	h.db = double.New(o)
	return h
}

// run plays the history.
func (h *history) run() {
	watchdog := time.AfterFunc(400*24*time.Hour, func() { h.fail("stuck", "", "the history does not end") })
	defer watchdog.Stop()
	h.found()
	h.populate()
	h.act()
	if !h.failed() {
		h.quiet()
	}
	h.killAll()
}

func itoa(n int) string { return strconv.Itoa(n) }

// dice returns what a part of the history draws from.
func (h *history) dice(part string) *dice {
	sum := uint64(14695981039346656037)
	for _, b := range []byte(part) {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return &dice{rand.New(rand.NewPCG(h.seed, sum))}
}

// fail records a broken promise, and ends the history. The rule is the kind of promise. about is
// the id of a comment, or empty.
func (h *history) fail(rule, about, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	h.journal.add("", "WRONG", "%s", message)
	if slices.Contains(ignored, rule) {
		h.marks.add("(ignored: " + rule + ")")
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.failures) == 0 {
		close(h.over)
	}
	h.failures = append(h.failures, failure{rule, about, message})
}

// failure is a broken promise.
type failure struct{ rule, about, message string }

// ignored are rules that IGNORE names, to see what is wrong next to them.
var ignored = strings.Split(os.Getenv("IGNORE"), ",")

func (h *history) failed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.failures) > 0
}

// report is what a person needs to follow a failure.
func (h *history) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "history %d failed: repeat it with SEED=%d\n\n", h.seed, h.seed)
	for i, f := range h.failures {
		if i == 3 {
			break
		}
		fmt.Fprintf(&b, "broken: %s: %s\n%s", f.rule, f.message, h.model.story(f.about))
	}
	fmt.Fprintf(&b, "\nthe last events:\n%s", h.journal.last(60, h.failures[0].about))
	return b.String()
}

// sleep lets virtual time pass. It returns false if the history is over.
func (h *history) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-h.over:
		return false
	}
}

// found makes the table and what was in it before, with nothing going wrong.
func (h *history) found() {
	founder := h.start("founder", 0)
	defer founder.kill()
	if err := founder.store.EnsureTable(founder.ctx, true); err != nil {
		h.fail("set-up", "", "the table could not be made: %v", err)
		return
	}
	arn, err := founder.store.Projector().Table().StreamARN(founder.ctx)
	if err != nil {
		h.fail("set-up", "", "the table has no stream: %v", err)
	}
	h.stream = arn
	a := &act{history: h, server: founder, dice: h.dice("founder"), who: "founder", where: founder.name}
	if h.lines != nil {
		h.playLines(slices.DeleteFunc(slices.Clone(h.lines), func(l line) bool { return l.who != a.who }))
		return
	}
	if h.config.Webhooks && !h.config.OldStatistics && a.chance(0.7) {
		webhooks(a)
	}
	if h.config.Defined && a.chance(0.5) {
		h.defineFirst(a)
	}
	if h.config.Founded > 0 {
		importComments(a, h.config.Founded)
	}
	if h.config.LongAgo > 0 {
		importKinds(a, h.config.LongAgo)
	}
	if h.config.Tongues > 0 {
		importTongues(a, h.config.Tongues)
	}
	if h.config.Defined {
		h.defineFirst(a)
	}
	if h.config.LongAgo > 0 || h.config.OldStatistics || h.config.Ready || h.config.Defined && a.chance(0.7) {
		p := a.project(offset{})
		a.catchesUp(nothing{})
		if h.config.Ready {
			a.switches(switching{h.config.Products[0], true})
		}
		a.kills(p.name)
	}
	if h.config.LongAgo > 0 && a.chance(0.7) {
		a.waits(27 * time.Hour)
	}
	if h.config.OldStatistics {
		h.age(a)
	}
}

// catchesUp waits until everything has caught up.
func (a *act) catchesUp(nothing) {
	a.note("catch up", nothing{})
	a.catchUp(time.Hour)
}

// waits lets time pass in which nothing happens.
func (a *act) waits(d time.Duration) {
	a.note("wait", d)
	a.sleep(d)
}

// defineFirst defines attributes of the first product, unless it has some.
func (h *history) defineFirst(a *act) {
	of := definitions.Scope{Product: h.config.Products[0]}
	if len(h.model.defined[of]) > 0 {
		return
	}
	var list []attributes.Definition
	for i := range max(len(someKeys), h.config.Wide) {
		list = append(list, a.defined(i))
	}
	a.defines(redefinition{of, list, true})
}

// populate starts the processes of the history.
func (h *history) populate() {
	d := h.dice("populate")
	for range h.config.Servers {
		h.servers = append(h.servers, h.start("server", h.serverOffset(d)))
	}
	for range h.config.Projectors {
		h.projects = append(h.projects, h.start("projector", h.projectorOffset(d)).project())
	}
	if h.config.Functions > 0 {
		h.source = newSource(h)
	}
}

// projectorOffset draws by how much the clock of a projector is wrong.
func (h *history) projectorOffset(d *dice) time.Duration {
	offset := time.Duration(0)
	if h.config.Astray {
		offset = d.duration(time.Minute, 6*time.Hour)
		if d.chance(0.5) {
			offset = -offset
		}
		h.marks.add("a projector whose clock was wrong")
	}
	return offset
}

// serverOffset draws by how much the clock of a server is wrong, by hours only ahead.
func (h *history) serverOffset(d *dice) time.Duration {
	offset := time.Duration(0)
	if h.config.Skew {
		switch {
		case d.chance(0.3):
			offset = d.duration(time.Second, 40*time.Hour)
		case d.chance(0.3):
			offset = -d.duration(time.Millisecond, 5*time.Second)
		}
	}
	return offset
}

// act lets actors and chaos at the table until the actors have done their steps.
func (h *history) act() {
	if h.lines != nil {
		h.playLines(slices.DeleteFunc(slices.Clone(h.lines), func(l line) bool { return l.who == "founder" }))
		return
	}
	var working, disturbing sync.WaitGroup
	stop := make(chan struct{})
	disturbing.Go(func() { h.disturb(stop) })
	for i := range h.config.Actors {
		working.Go(func() { h.perform(visitors, h.dice("actor"+itoa(i)), "actor"+itoa(i), h.config.Steps) })
	}
	for i := range h.config.Operators {
		working.Go(func() { h.perform(operators, h.dice("operator"+itoa(i)), "operator"+itoa(i), 1+h.config.Steps/4) })
	}
	working.Wait()
	close(stop)
	disturbing.Wait()
	if h.config.Astray && h.config.Attributes && !h.failed() { // what its projector sees first others end
		d := h.dice("astray")
		h.step(actor{step: define}, d, "astray")
		a := &act{history: h, who: "astray", where: "-"}
		p := a.project(offset{h.projectorOffset(d)})
		h.sleep(h.config.Maintain + 3*time.Second)
		a.kills(p.name)
	}
}

// perform is the life of an actor: pauses and steps.
func (h *history) perform(of cast, d *dice, name string, steps int) {
	total := 0
	for _, a := range actors {
		if a.cast == of {
			total += a.weight(&h.config)
		}
	}
	for range steps {
		pause := time.Duration(d.ExpFloat64() * float64(h.config.Pace))
		if of == operators {
			pause *= 2
		}
		if total == 0 || !h.sleep(pause) {
			return
		}
		h.gate.enter()
		n := d.IntN(total)
		for _, a := range actors {
			if a.cast != of {
				continue
			}
			if n -= a.weight(&h.config); n < 0 {
				h.step(a, d, name)
				break
			}
		}
		h.gate.leave()
	}
}

// step is one step of an actor through a server.
func (h *history) step(is actor, d *dice, who string) {
	i := d.IntN(len(h.servers))
	h.mu.Lock()
	a := &act{history: h, server: h.servers[i], dice: d, who: who, where: "server" + itoa(i)}
	h.mu.Unlock()
	if is.cast == operators {
		a.server = h.start(who, 0)
		a.where = a.server.name
		if h.config.Storm != (faults.Rates{}) && d.chance(0.3) {
			a.befalls(befalling{a.where, h.config.Storm})
		}
		if h.config.Kills && d.chance(0.2) { // the operator presses ctrl-C, or pulls the plug
			killed := time.AfterFunc(d.duration(10*time.Millisecond, 20*time.Second), func() { a.aside("kill").kills(a.where) })
			defer killed.Stop()
		}
		defer a.server.kill()
	}
	is.step(a)
}

// killAll kills all processes.
func (h *history) killAll() {
	h.mu.Lock()
	living := h.living
	source := h.source
	h.mu.Unlock()
	if source != nil {
		source.stop()
	}
	for _, p := range living {
		p.kill()
	}
}

// age makes the table one that is older than all that is known of its statistics.
func (h *history) age(a *act) {
	var lost [][2]string
	for _, it := range h.db.Items() {
		pk, sk := text(it, key.PK), text(it, key.SK)
		_, statistics := key.ParseStatisticsSK(sk)
		if pk == key.Meta("statistics") || statistics && a.chance(0.5) {
			lost = append(lost, [2]string{pk, sk})
		}
	}
	a.makesOld(lost)
}

// makesOld removes items from the table.
func (a *act) makesOld(keys [][2]string) {
	a.note("make old", keys)
	for _, k := range keys {
		_, err := a.server.client.DeleteItem(a.server.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: item{key.PK: &types.AttributeValueMemberS{Value: k[0]}, key.SK: &types.AttributeValueMemberS{Value: k[1]}}})
		if err != nil {
			a.fail("set-up", "", "the table could not be made older: %v", err)
		}
	}
}
