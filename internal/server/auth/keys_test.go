package auth

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"product-comments/internal/testing/testkit"
)

// publisher is a source of keys that can change and fail.
type publisher struct {
	mu    sync.Mutex
	text  []byte
	err   error
	hang  bool
	reads int
}

func (p *publisher) read(ctx context.Context) ([]byte, error) {
	p.mu.Lock()
	p.reads++
	text, err, hang := p.text, p.err, p.hang
	p.mu.Unlock()
	if hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return text, err
}

func (p *publisher) set(text []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.err = text, err
}

func (p *publisher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reads
}

// publishing runs a test with a publisher and an authenticator of its keys, on a
// virtual clock.
func publishing(t *testing.T, p *publisher, test func(*testing.T, *Authenticator, *bytes.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := &bytes.Buffer{}
		keys := OpenKeys(t.Context(), p.read, "https://keys.example/", slog.New(slog.NewTextHandler(log, nil)))
		defer keys.Close()
		test(t, shop(func(c *Config) { c.Keys = keys }), log)
	})
}

var errDown = errors.New("connection refused")

func TestKeysAreExchangedWithoutABreak(t *testing.T) {
	next := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	old, fresh := ecJWK("one", &ecKey.PublicKey), ecJWK("two", &next.PublicKey)
	p := &publisher{text: keySetOf(old)}
	publishing(t, p, func(t *testing.T, a *Authenticator, _ *bytes.Buffer) {
		one := sign(t, jwt.SigningMethodES256, ecKey, kid("one"), nil)
		two := sign(t, jwt.SigningMethodES256, next, kid("two"), nil)
		wantViewer(t, a, one, alice)
		time.Sleep(time.Minute) // of the virtual clock
		p.set(keySetOf(old, fresh), nil)
		testkit.AtOnce(20, func(int) { wantViewer(t, a, two, alice) }) // at its first sight: all wait for one reading
		wantViewer(t, a, one, alice)
		p.set(keySetOf(fresh), nil)
		time.Sleep(renewEvery + time.Second)
		synctest.Wait()
		wantViewer(t, a, two, alice)
		wantRefusal(t, a, one, unknownKey) // remembered or not
	})
}

func TestUnknownKeysDoNotFloodThePublisher(t *testing.T) {
	p := &publisher{text: allKeys()}
	publishing(t, p, func(t *testing.T, a *Authenticator, _ *bytes.Buffer) {
		forged := sign(t, jwt.SigningMethodES256, ecKey, kid("made up"), nil)
		for range 60 {
			testkit.AtOnce(20, func(_ int) { wantRefusal(t, a, forged, unknownKey) })
			time.Sleep(time.Second)
		}
		n := p.count()
		testkit.Check(t, n <= 8, "1,200 requests in a minute made it read %d times", n)
	})
}

// Where the keys are is down when the server starts: it says so, tells clients
// to try again, and has the keys as soon as they are there.
func TestAServerStartsWithoutItsKeys(t *testing.T) {
	p := &publisher{err: errDown}
	publishing(t, p, func(t *testing.T, a *Authenticator, log *bytes.Buffer) {
		token := sign(t, jwt.SigningMethodES256, ecKey, kid("ec"), nil)
		_, err := ask(t, a, token)
		var refusal *Refusal
		testkit.Check(t, errors.As(err, &refusal) && refusal.Unavailable(), "without keys: %v", err)
		_, err = a.Viewer(t.Context(), nil)
		testkit.Check(t, err == nil, "without keys an anonymous visitor gets %v", err)
		wantViewer(t, a, hs256(t, nil), alice) // its key is here
		synctest.Wait()
		testkit.Check(t, strings.Contains(log.String(), "could not be read") && strings.Contains(log.String(), "connection refused"), "the log says %s", log)
		p.set(allKeys(), nil)
		time.Sleep(retryMost)
		synctest.Wait()
		wantViewer(t, a, token, alice)
	})
}

func TestViewersAreKeptWhileTheKeyServerFails(t *testing.T) {
	for name, fail := range map[string]struct {
		text []byte
		err  error
	}{
		"the key server is down": {nil, errDown}, "the key server answers no JSON": {[]byte("<html>"), nil}, "the key set is empty": {[]byte(`{"keys":[]}`), nil},
		"the key server has other keys alone": {keySetOf(map[string]string{"kty": "oct", "k": "AAAA"}), nil}, "the key set has megabytes": {make([]byte, 5<<20), nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := &publisher{text: allKeys()}
			publishing(t, p, func(t *testing.T, a *Authenticator, _ *bytes.Buffer) {
				token := sign(t, jwt.SigningMethodES256, ecKey, kid("ec"), nil)
				p.set(fail.text, fail.err)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				wantViewer(t, a, token, alice)
				n := p.count()
				testkit.Check(t, n <= 24*60+100, "it was asked %d times a day", n)
			})
		})
	}
}

// A publisher that never answers holds a request up for some seconds at most.
func TestAHangingPublisherIsNotWaitedFor(t *testing.T) {
	p := &publisher{text: allKeys()}
	publishing(t, p, func(t *testing.T, a *Authenticator, _ *bytes.Buffer) {
		time.Sleep(time.Minute)
		p.mu.Lock()
		p.hang = true
		p.mu.Unlock()
		begun := time.Now()
		wantRefusal(t, a, sign(t, jwt.SigningMethodES256, ecKey, kid("new"), nil), unknownKey)
		took := time.Since(begun)
		testkit.Check(t, took <= renewWait, "it took %s", took)
		wantViewer(t, a, sign(t, jwt.SigningMethodES256, ecKey, kid("ec"), nil), alice)
	})
}

func TestWhatAKeySetMayHold(t *testing.T) {
	weak := must(rsa.GenerateKey(rand.Reader, 1024))
	p521 := must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))
	good := rsaJWK("good", &rsaKey.PublicKey)
	for name, bad := range map[string]map[string]string{
		"a secret":              {"kty": "oct", "kid": "bad", "k": b64(secret)},
		"for encryption":        rsaJWK("bad", &rsaKey.PublicKey, "use", "enc"),
		"another algorithm":     rsaJWK("bad", &rsaKey.PublicKey, "alg", "RSA-OAEP"),
		"1,024 bits":            rsaJWK("bad", &weak.PublicKey),
		"100,000 bits":          {"kty": "RSA", "kid": "bad", "n": b64(bytes.Repeat([]byte{0xff}, 12500)), "e": "AQAB"},
		"another curve":         ecJWK("bad", &p521.PublicKey),
		"a point off the curve": {"kty": "EC", "kid": "bad", "crv": "P-256", "x": b64(make([]byte, 32)), "y": b64(make([]byte, 32))},
		"an exponent of zero":   rsaJWK("bad", &rsaKey.PublicKey, "e", "AA"),
		"no key at all":         {"kid": "bad"},
	} {
		set, err := parseKeySet(keySetOf(bad, good))
		testkit.Check(t, err == nil && set.count == 1, "%s: %+v, %v", name, set, err)
	}
	_, err := parseKeySet([]byte(`{"keys":[7,"x",null,{"kty":"RSA"},` + string(must(json.Marshal(good))) + `]}`))
	testkit.Check(t, err == nil, "one damaged key spoils the others: %v", err)
	many := make([]map[string]string, maxKeys+1)
	for i := range many {
		many[i] = good
	}
	for name, text := range map[string][]byte{
		"too many": keySetOf(many...), "too large": append(allKeys(), bytes.Repeat([]byte(" "), maxKeySet)...), "none": []byte(`{}`), "null": []byte("null"), "text": []byte("keys"),
	} {
		if set, err := parseKeySet(text); err == nil {
			t.Errorf("%s: %d keys", name, set.count)
		}
	}
}

func TestKeysFromAURL(t *testing.T) {
	var answer func(http.ResponseWriter, *http.Request)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		testkit.Check(t, r.Header.Get("Authorization") == "" && r.Header.Get("Cookie") == "", "credentials are sent: %v", r.Header)
		answer(w, r)
	}))
	defer server.Close()
	source := must(FromURL(server.URL + "/jwks.json"))
	fetch := func(f func(http.ResponseWriter, *http.Request)) ([]byte, error) {
		answer = f
		return source(t.Context())
	}
	got, err := fetch(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(allKeys()) })
	testkit.Check(t, err == nil && bytes.Equal(got, allKeys()), "got %d bytes, %v", len(got), err)
	for name, f := range map[string]func(http.ResponseWriter, *http.Request){
		"an error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) },
		"a redirect without TLS": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://keys.example/", http.StatusFound)
		},
		"a redirect to itself": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
		"a redirect to a file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		},
		"megabytes of headers": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
		"an answer that breaks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte("{"))
		},
	} {
		got, err := fetch(f)
		testkit.Check(t, err != nil, "%s: %d bytes", name, len(got))
	}
	endless, _ := fetch(func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<20))
		}
	})
	testkit.Check(t, len(endless) == maxKeySet+1, "%d bytes of an endless answer were read", len(endless))
	for _, bad := range []string{"", "keys", "/keys", "http://keys.example/", "ftp://keys.example/", "file:///etc/passwd", "https://", "http://127.0.0.1.example/", "::"} {
		testkit.Check(t, testkit.Err(FromURL(bad)) != nil, "%q is taken", bad)
	}
}

func TestKeysFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	source := FromFile(path)
	testkit.Check(t, testkit.Err(source(t.Context())) != nil, "a file that is missing")
	testkit.Must(t, os.WriteFile(path, append(allKeys(), make([]byte, 5<<20)...), 0o600))
	got, err := source(t.Context())
	testkit.Check(t, err == nil && len(got) == maxKeySet+1, "%d bytes, %v", len(got), err)
	testkit.Must(t, os.WriteFile(path, allKeys(), 0o600))
	keys := OpenKeys(t.Context(), source, path, quiet())
	defer keys.Close()
	wantViewer(t, shop(func(c *Config) { c.Keys = keys }), sign(t, jwt.SigningMethodEdDSA, edKey, kid("ed"), nil), alice)
}

// The age of keys grows as long as they cannot be read, and begins again when they can.
func TestAgeOfKeys(t *testing.T) {
	testkit.Check(t, New(Config{}).KeysAge() == nil && (*Authenticator)(nil).KeysAge() == nil, "keys that are not there have an age")
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{err: errDown}
		k := OpenKeys(t.Context(), p.read, "test", quiet())
		defer k.Close()
		age := New(Config{Keys: k}).KeysAge()
		time.Sleep(time.Hour)
		testkit.Equal(t, age(), time.Hour, "never read")
		p.set(allKeys(), nil)
		time.Sleep(2 * retryMost)
		got := age()
		testkit.Check(t, got <= 2*retryMost, "after they were read: %s", got)
		time.Sleep(3 * renewEvery) // the same text again
		got = age()
		testkit.Check(t, got <= renewEvery, "read again and again: %s", got)
		p.set(nil, errDown)
		time.Sleep(2 * time.Hour)
		got = age()
		testkit.Check(t, got >= 2*time.Hour-renewEvery && got <= 2*time.Hour+renewEvery, "down for two hours: %s", got)
	})
}
