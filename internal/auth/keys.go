package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Times of reading a key set.
const (
	renewEvery = 10 * time.Minute // in any case
	renewGap   = 10 * time.Second // minimum interval when tokens name unknown keys
	retryFirst = time.Second      // after a failure; doubled after each further one
	retryMost  = time.Minute
	renewWait  = 3 * time.Second // how long a request waits for a new set
)

// Keys are the public keys that a source publishes. They are read again periodically, and when a
// token names an unknown key. The last valid keys stay in use until new ones are read, so an
// outage of the source locks no client out.
type Keys struct {
	read Source
	from string
	log  *slog.Logger

	set      atomic.Pointer[keySet] // nil until one was read
	text     []byte                 // of set; used by the loop only
	lastRead atomic.Int64           // time of the last successful reading, in nanoseconds since 1970; initially the time of opening

	wake chan struct{} // makes the loop read now
	stop context.CancelFunc
	done chan struct{} // closed when the loop has ended

	mu      sync.Mutex
	reading chan struct{} // closed when the requested or current reading ends; nil if there is none
	last    time.Time     // when the last reading ended
}

// Source reads a key set as published, see FromURL and FromFile.
type Source func(context.Context) ([]byte, error)

// OpenKeys starts reading the keys until Close is called. from is the location for the log. An
// error while reading is logged, and the reading is retried.
func OpenKeys(ctx context.Context, read Source, from string, log *slog.Logger) *Keys {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	k := &Keys{read: read, from: from, log: log, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	k.lastRead.Store(time.Now().UnixNano())
	first := k.readOnce(ctx)
	go k.run(running, first)
	return k
}

// Close stops reading, and waits until it has stopped.
func (k *Keys) Close() {
	k.stop()
	<-k.done
}

// age returns the time since the keys were last read.
func (k *Keys) age() time.Duration { return time.Since(time.Unix(0, k.lastRead.Load())) }

// current returns the keys; nil if none are configured or none have been read yet.
func (k *Keys) current() *keySet {
	if k == nil {
		return nil
	}
	return k.set.Load()
}

// run reads the keys periodically. ok reports whether the first reading succeeded.
func (k *Keys) run(ctx context.Context, ok bool) {
	defer close(k.done)
	for retry := retryFirst; ; {
		pause := renewEvery
		if !ok {
			pause, retry = retry, min(2*retry, retryMost)
		} else {
			retry = retryFirst
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-k.wake:
			timer.Stop()
		}
		ok = k.readOnce(ctx)
	}
}

// readOnce reads the keys, and reports whether that succeeded.
func (k *Keys) readOnce(ctx context.Context) bool {
	k.begin()
	defer k.end()
	text, err := k.read(ctx)
	if err == nil && k.text != nil && bytes.Equal(text, k.text) {
		k.lastRead.Store(time.Now().UnixNano())
		return true // tokens that this set verified stay verified
	}
	var set *keySet
	if err == nil {
		set, err = parseKeySet(text)
	}
	if err != nil {
		if ctx.Err() == nil {
			k.log.WarnContext(ctx, "the keys that verify tokens could not be read: the last ones stay valid, and the fetch is repeated",
				"from", k.from, "error", err, "known", k.known())
		}
		return false
	}
	k.text = text
	k.set.Store(set)
	k.lastRead.Store(time.Now().UnixNano())
	k.log.InfoContext(ctx, "fetched the keys that verify tokens", "from", k.from, "keys", set.count)
	return true
}

func (k *Keys) known() int {
	if set := k.set.Load(); set != nil {
		return set.count
	}
	return 0
}

func (k *Keys) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading == nil {
		k.reading = make(chan struct{})
	}
}

func (k *Keys) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.reading)
	k.reading, k.last = nil, time.Now()
}

// renew requests a reading of the keys, unless one has just ended, and waits for it. It reports
// whether the keys may have changed.
func (k *Keys) renew(ctx context.Context) bool {
	k.mu.Lock()
	if k.reading == nil {
		if time.Since(k.last) < renewGap {
			k.mu.Unlock()
			return false
		}
		k.reading = make(chan struct{})
		select {
		case k.wake <- struct{}{}:
		default: // a reading is already requested
		}
	}
	reading := k.reading
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, renewWait)
	defer cancel()
	select {
	case <-reading:
		return true
	case <-k.done: // the loop has ended
	case <-ctx.Done():
	}
	return false
}

// fetchTimeout bounds how long a key set is fetched.
const fetchTimeout = 5 * time.Second

// FromURL returns a source that reads a URL: https, or http on this machine. It sends no
// credentials, and follows redirects to such URLs only.
func FromURL(address string) (Source, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	if err := fetchable(u); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 64 << 10
	client := &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return errors.New("there are too many redirects")
		}
		return fetchable(r.URL)
	}}
	return func(ctx context.Context) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Accept", "application/jwk-set+json, application/json")
		response, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the server answered %s", response.Status)
		}
		return readKeySet(response.Body)
	}, nil
}

// Check reads the keys, and returns an error if they are not usable.
func (s Source) Check(ctx context.Context) error {
	text, err := s(ctx)
	if err != nil {
		return err
	}
	_, err = parseKeySet(text)
	return err
}

// fetchable refuses URLs whose answers could be modified on the way.
func fetchable(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it is not an https URL")
	case u.Scheme == "http" && !local:
		return errors.New("http is accepted for this machine only, because keys that are fetched without https can be replaced on the way: use https")
	}
	return nil
}

// FromFile returns a source that reads a file.
func FromFile(path string) Source {
	return func(context.Context) ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readKeySet(f)
	}
}

// readKeySet reads at most one byte more than the maximum size, so that parseKeySet can refuse a
// larger key set.
func readKeySet(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxKeySet+1)) }
