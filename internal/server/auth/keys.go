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
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"product-comments/store/read/cache"
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
	lastRead atomic.Int64           // time of the last successful reading, in nanoseconds since 1970; initially the time of opening
	readings cache.Flights[struct{}, bool]
	unknown  *rate.Limiter // of readings because of unknown keys
	stop     context.CancelFunc
	done     chan struct{} // closed when the loop has ended
}

// Source reads a key set as published, see FromURL and FromFile.
type Source func(context.Context) ([]byte, error)

// OpenKeys starts reading the keys until Close is called. from is the location for the log. An
// error while reading is logged, and the reading is retried.
func OpenKeys(ctx context.Context, read Source, from string, log *slog.Logger) *Keys {
	k := &Keys{read: read, from: from, log: log, unknown: rate.NewLimiter(rate.Every(renewGap), 1), done: make(chan struct{})}
	k.lastRead.Store(time.Now().UnixNano())
	first := k.readOnce(ctx)
	ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	go k.run(ctx, first)
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
		if ok {
			retry = retryFirst
		} else {
			pause, retry = retry, min(2*retry, retryMost)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		ok, _, _ = k.readings.Do(ctx, struct{}{}, k.readOnce)
	}
}

// renew reads the keys because a token names an unknown one, unless that has just been done, or
// waits for a reading under way. It reports whether there are other keys than the last. A client that
// leaves does not stop the reading, because the next ones could not start another.
func (k *Keys) renew(ctx context.Context, last *keySet) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewWait)
	defer cancel()
	_, _, _ = k.readings.Do(ctx, struct{}{}, func(ctx context.Context) bool {
		return k.unknown.Allow() && k.readOnce(ctx)
	})
	return k.current() != last
}

// readOnce reads the keys, and reports whether that succeeded.
func (k *Keys) readOnce(ctx context.Context) bool {
	last := k.set.Load()
	set := last
	text, err := k.read(ctx)
	if err == nil && (last == nil || !bytes.Equal(text, last.text)) { // tokens that the same set verified stay verified
		set, err = parseKeySet(text)
	}
	if err != nil {
		if ctx.Err() == nil {
			k.log.WarnContext(ctx, "the keys that verify tokens could not be read: the last ones stay valid, and the fetch is repeated",
				"from", k.from, "error", err, "known", last != nil)
		}
		return false
	}
	k.lastRead.Store(time.Now().UnixNano())
	if set != last {
		k.set.Store(set)
		k.log.InfoContext(ctx, "fetched the keys that verify tokens", "from", k.from, "keys", set.count)
	}
	return true
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
		return errors.New("it is not an https URL: give one such as https://login.shop.example/")
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
