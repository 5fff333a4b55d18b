package command

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/settings"
)

// Writers go on while projectors are killed (kill -9 of the process) at random
// moments, run twice, and are stopped for a while. After every round the
// statistics, and the copies of a product with a power set, agree with the
// comments without a rebuild.
func TestStatisticsSurvive(t *testing.T) {
	t.Parallel()
	rounds := 1
	if testkit.All(t) {
		rounds = 4
	}
	if s := os.Getenv("SOAK_ROUNDS"); s != "" { // as `make soak` sets it
		rounds = testkit.Value(strconv.Atoi(s))(t)
	}
	seed := testkit.Seed(t)
	s := startSoak(t)
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		s.round(t, r)
		testkit.Need(t, !t.Failed(), "round %d of %d", round+1, rounds)
		t.Logf("round %d: %d comments, %s", round+1, s.comments(), s.told)
	}
	meta, err := s.store.Settings().Read(t.Context())
	testkit.Check(t, err == nil && meta.State == settings.StateKept && meta.Generation == 0, "the statistics were lost on the way: %+v, %v", meta, err)
}

// soak is a table, its writers' comments, and what happened in a round.
type soak struct {
	dir     string
	streams stream.API
	store   *store.Store
	writers [3]map[string]store.Comment
	told    string
}

func startSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{dir: t.TempDir()}
	e := testkit.Value(embedded.Open(t.Context(), embedded.Options{DataDir: s.dir}))(t)
	t.Cleanup(func() {
		err := e.Close()
		testkit.Check(t, err == nil, "%v", err)
	})
	s.streams = e
	s.store = store.New(e, "comments", store.Options{})
	testkit.Must(t, s.store.EnsureTable(t.Context(), true))
	for i := range s.writers {
		s.writers[i] = map[string]store.Comment{}
	}
	s.settle(t)
	testkit.Must(t, s.store.PowerSets().Enable(t.Context(), "1", nil))
	return s
}

func (s *soak) comments() (n int) {
	for _, w := range s.writers {
		n += len(w)
	}
	return n
}

// round writes for a second or so while things go wrong, and compares.
func (s *soak) round(t *testing.T, r *rand.Rand) {
	t.Helper()
	var tasks sync.WaitGroup
	ctx, stop := context.WithTimeout(t.Context(), time.Duration(600+r.IntN(1200))*time.Millisecond)
	defer stop()
	for i := range s.writers {
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		tasks.Go(func() { s.write(ctx, t, own, i) })
	}
	wrongs := []struct {
		name string
		do   func(context.Context, *testing.T, *rand.Rand)
	}{
		{"killed", s.killed}, {"another killed", s.killed}, {"stopped for a while", s.paused},
	}
	var told []string
	for _, wrong := range wrongs {
		if own := rand.New(rand.NewPCG(r.Uint64(), 0)); r.IntN(3) > 0 {
			told = append(told, wrong.name)
			tasks.Go(func() { wrong.do(ctx, t, own) })
		}
	}
	s.told = strings.Join(told, ", ")
	tasks.Wait()
	if t.Failed() {
		return
	}
	s.settle(t)
	wantVerified(t, s.dir, s.comments())
}

// settle lets a projector without trouble catch up.
func (s *soak) settle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	consumer := stream.New(s.streams, s.store.Projector(), stream.Options{Poll: 10 * time.Millisecond})
	var running sync.WaitGroup
	running.Go(func() { _ = consumer.Run(ctx) })
	err := consumer.Wait(ctx)
	testkit.Check(t, err == nil, "the projector does not catch up: %v; %+v", err, consumer.Status())
	cancel()
	running.Wait()
}

// write makes changes to the comments of one writer until the context ends. A
// change under way then is finished, so that the model knows what it did.
func (s *soak) write(ctx context.Context, t *testing.T, r *rand.Rand, writer int) {
	mine := s.writers[writer]
	products, languages := []string{"1", "2", "3", "4", "5"}, []string{"en", "de", "fr"}
	for ctx.Err() == nil {
		var some store.Comment
		for _, c := range mine { // any
			some = c
			break
		}
		product, language, rating := products[r.IntN(len(products))], languages[r.IntN(len(languages))], 1+r.IntN(5)
		var err error
		switch action := r.IntN(10); {
		case action < 4 || some.ID == "":
			var made store.Comment
			made, err = s.store.Create(t.Context(), store.NewComment{ProductID: product, Language: language, Rating: rating})
			mine[made.ID] = made
		case action < 5:
			list := make([]store.Comment, 0, 20)
			for i := range cap(list) {
				c := store.Comment{ID: fmt.Sprintf("w%d-%d", writer, 20*r.IntN(5)+i), ProductID: product, Language: language, Rating: 1 + r.IntN(5), CreatedAt: time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)}
				list, mine[c.ID] = append(list, c), c
			}
			_, err = s.store.Import(t.Context(), list)
		case action < 8:
			_, err = s.store.Update(t.Context(), store.Change{ID: some.ID, Rating: &rating, Language: &language})
		default:
			_, err = s.store.Delete(t.Context(), some.ID, nil)
			delete(mine, some.ID)
		}
		if err != nil {
			t.Errorf("write: %v", err)
			return
		}
	}
}

// sleep returns false if the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// killed projects by a process that is killed again and again.
func (s *soak) killed(ctx context.Context, t *testing.T, r *rand.Rand) {
	for ctx.Err() == nil {
		c := project(t, s.dir, os.Stderr, "--log-level=error")
		if c == nil {
			return
		}
		sleep(ctx, time.Duration(r.IntN(500))*time.Millisecond)
		kill(c)
	}
}

// paused projects by a process that stands still now and then, also in the
// middle of what it does, and continues as if nothing had happened.
func (s *soak) paused(ctx context.Context, t *testing.T, r *rand.Rand) {
	var log testkit.Buffer
	c := project(t, s.dir, &log)
	if c == nil {
		return
	}
	for sleep(ctx, time.Duration(50+r.IntN(200))*time.Millisecond) {
		_ = c.Process.Signal(syscall.SIGSTOP)
		sleep(ctx, time.Duration(r.IntN(500))*time.Millisecond)
		_ = c.Process.Signal(syscall.SIGCONT)
	}
	// On a busy machine it may not listen to signals yet.
	for began := time.Now(); !strings.Contains(log.String(), "msg=projecting") && time.Since(began) < time.Minute; {
		time.Sleep(5 * time.Millisecond)
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	err := c.Wait()
	testkit.Check(t, err == nil, "a projector that was asked to end: %v\n%s", err, log.String())
}
