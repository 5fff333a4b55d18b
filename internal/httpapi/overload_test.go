package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/gate"
	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
)

// slowEngine answers each query after a time, and so many at once: an engine that
// can do so much a second and no more.
func slowEngine(each time.Duration, atOnce int) *empty {
	room := make(chan struct{}, atOnce)
	return &empty{hold: func(ctx context.Context) error {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-room }()
		timer := time.NewTimer(each)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// load is what clients saw.
type load struct {
	accepted []time.Duration // of what was answered, sorted
	shed     int
	wrong    []string
}

func (l *load) p99() time.Duration {
	if len(l.accepted) == 0 {
		return 0
	}
	return l.accepted[len(l.accepted)*99/100]
}

func (l *load) String() string {
	return fmt.Sprintf("%d accepted, p99 %s, %d shed, %d wrong", len(l.accepted), l.p99().Round(time.Millisecond), l.shed, len(l.wrong))
}

// shedPause is how long a client waits that was sent away: a fifth of what it is told,
// as impatient ones do.
const shedPause = 200 * time.Millisecond

// press lets clients ask one request after the other, for so long. No two ask for the
// same page.
func press(t *testing.T, url string, clients int, during time.Duration) *load {
	t.Helper()
	var all load
	var mu sync.Mutex
	var running sync.WaitGroup
	h := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer h.CloseIdleConnections()
	end := time.Now().Add(during)
	for c := range clients {
		running.Go(func() {
			var own load
			for i := 0; time.Now().Before(end); i++ {
				body := fmt.Sprintf(`{"query":"{product(id:\"%d-%d\"){comments(first:5){nodes{id}}}}"}`, c, i)
				start := time.Now()
				response, err := h.Post(url+"/graphql", "application/json", strings.NewReader(body))
				if err != nil {
					own.wrong = append(own.wrong, err.Error())
					return
				}
				text, err := io.ReadAll(response.Body)
				response.Body.Close()
				switch {
				case err == nil && response.StatusCode == http.StatusOK && bytes.Contains(text, []byte(`"nodes":[]`)):
					own.accepted = append(own.accepted, time.Since(start))
				case err == nil && response.StatusCode == http.StatusServiceUnavailable && slices.Contains([]string{"1", "2", "3", "4"}, response.Header.Get("Retry-After")) &&
					bytes.Contains(text, []byte(`"reason":"overload"`)):
					own.shed++
					time.Sleep(shedPause)
				default:
					own.wrong = append(own.wrong, fmt.Sprintf("%d, %v, %s", response.StatusCode, err, text))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.accepted = append(all.accepted, own.accepted...)
			all.shed += own.shed
			all.wrong = append(all.wrong, own.wrong...)
		})
	}
	running.Wait()
	slices.Sort(all.accepted)
	return &all
}

// overloads are how many times more clients come than the engine can serve;
// OVERLOADS sets others, such as "20 100".
func overloads(t *testing.T) (times []int) {
	text := "20"
	if s := os.Getenv("OVERLOADS"); s != "" {
		text = s
	}
	for word := range strings.FieldsSeq(text) {
		n := testkit.Value(strconv.Atoi(word))(t)
		times = append(times, n)
	}
	return times
}

// With many times more clients than the engine can serve, what is accepted is
// answered nearly as soon as at full load, the rest is asked to come again, health
// answers at once, and after the load all is as before.
func TestOverloadIsShed(t *testing.T) {
	const (
		slots = 8
		each  = 40 * time.Millisecond
	)
	room := gate.NewRoom(slots, slots, 2*each)
	h := handler(t, slowEngine(each, slots), 0, func(c *httpapi.Config) { c.Gate.Slots = room })
	s := httptest.NewServer(h)
	defer s.Close()
	press(t, s.URL, slots, 200*time.Millisecond) // connections, pools
	full := press(t, s.URL, slots, time.Second)
	t.Logf("%d clients: %s", slots, full)
	testkit.Need(t, full.shed <= 0 && len(full.wrong) == 0, "at full load: %s %v", full, full.wrong)
	before := heap()
	for _, times := range overloads(t) {
		healthy, stop := make(chan time.Duration), make(chan struct{})
		go func() { healthy <- slowestHealth(s.URL, stop) }()
		over := press(t, s.URL, times*slots, time.Second)
		close(stop)
		health := <-healthy
		t.Logf("%d clients: %s; slowest health %s", times*slots, over, health.Round(time.Millisecond))
		testkit.Check(t, over.shed != 0 && len(over.wrong) == 0, "it was not shed in good order: %s %.200v", over, over.wrong)
		testkit.Check(t, over.p99() <= 4*max(full.p99(), 2*each), "p99 of what was accepted is %s, at full load it is %s", over.p99(), full.p99())
		testkit.Check(t, health <= time.Second, "health took %s", health)
		// What is worked at is worked at as fast as before.
		if got, want := len(over.accepted), len(full.accepted)/2; got < want {
			t.Errorf("%d were accepted, %d at full load", got, len(full.accepted))
		}
		got := room.Occupancy()
		testkit.Check(t, got.Inside == 0 && got.Waiting == 0, "somebody is inside: %+v", got)
		after := press(t, s.URL, slots, 500*time.Millisecond) // within two seconds
		t.Logf("%d clients after it: %s", slots, after)
		testkit.Check(t, after.shed <= 0 && after.p99() <= 2*max(full.p99(), 2*each), "after the load: %s", after)
		grown := heap() - before
		testkit.Check(t, grown <= 32<<20, "%d bytes more are in use than before the load", grown)
	}
}

// slowestHealth asks for health until it is stopped.
func slowestHealth(url string, stop <-chan struct{}) (slowest time.Duration) {
	for {
		select {
		case <-stop:
			return slowest
		case <-time.After(20 * time.Millisecond):
		}
		start := time.Now()
		response, err := http.Get(url + "/healthz")
		if err != nil {
			return time.Hour
		}
		response.Body.Close()
		slowest = max(slowest, time.Since(start))
	}
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}
