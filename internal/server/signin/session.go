package signin

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/store/key/sealed"
	"product-comments/store/read/cache"
)

// Person is a person of the staff, until a time: in a link, or in the cookie of a session.
type Person struct {
	ID      string // of the link or the session, 128 random bits
	Subject string
	Name    string // for other people
	Role    string // moderator or service
	Ends    time.Time
}

// Viewer returns the person as the viewer of requests.
func (p *Person) Viewer() access.Viewer {
	role, _ := access.ParseRole(p.Role) // this package has sealed it
	return access.Viewer{Subject: p.Subject, Role: role}
}

const (
	// SessionTime is how long a session lasts, however it is used.
	SessionTime = 12 * time.Hour
	// LinkTime is how long a link can be used.
	LinkTime = 10 * time.Minute
)

// Link returns a path that signs a person in, once, within LinkTime from now.
func Link(keys *sealed.Set, p Person, now time.Time) string {
	p.ID, p.Ends = rand.Text(), now.Add(LinkTime)
	return Path + "?code=" + seal(keys.Derive("staff link"), p)
}

// longest is more than the length of any token here. Browsers take cookies of 4 KB.
const longest = 4 << 10

// seal returns a value as a token.
func seal(keys *sealed.Keys, value any) string {
	plain, err := json.Marshal(value)
	if err != nil {
		panic(err) // values are texts and times
	}
	token, err := keys.Token(plain)
	if err != nil {
		panic(err) // only gigabytes cannot be sealed
	}
	return token
}

// open returns the value of a token; ok is false for one that no key has sealed.
func open[T any](keys *sealed.Keys, token string) (value T, ok bool) {
	plain, err := keys.OpenToken(token, longest)
	return value, err == nil && json.Unmarshal(plain, &value) == nil
}

// secure reports whether a browser reaches this server by https.
func (s *SignIn) secure(r *http.Request) bool {
	return admission.Of(r.Context()).HTTPS || strings.HasPrefix(s.Address, "https:")
}

// cookie returns a cookie for the browser of a request; an age below 0 removes it. Only https has the
// prefix that keeps other hosts from setting the cookie, and Secure: on http://127.0.0.1 Chromium and
// Firefox take Secure cookies, Safari does not. There the name has the port, since browsers send cookies
// to all ports of a host, and two servers would overwrite each other's. SameSite is not Strict, because
// the provider's page leads back here.
func (s *SignIn) cookie(r *http.Request, name, value string, age time.Duration) *http.Cookie {
	c := &http.Cookie{Name: "__Host-" + name, Value: value, Path: "/", MaxAge: int(age / time.Second), Secure: true,
		HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if !s.secure(r) {
		_, port, _ := net.SplitHostPort(r.Host)
		c.Name, c.Secure = name+"-"+port, false
	}
	return c
}

// sent returns the value of a request's cookie. Servers at other ports of this machine can set others of
// the same name, which are left out.
func sent[T any](s *SignIn, keys *sealed.Keys, r *http.Request, name string) (v T, ok bool) {
	for _, c := range r.CookiesNamed(s.cookie(r, name, "", 0).Name) {
		if v, ok = open[T](keys, c.Value); ok {
			break
		}
	}
	return v, ok
}

const sessionCookie = "staff"

// Begin begins a session of a person in the browser of a request, and leads to a path.
func (s *SignIn) Begin(w http.ResponseWriter, r *http.Request, p Person, to string) {
	p.ID, p.Ends = rand.Text(), s.Now().Add(SessionTime)
	w.Header().Set("Cache-Control", "no-store")
	http.SetCookie(w, s.cookie(r, sessionCookie, seal(s.sessions, p), SessionTime))
	s.Log.InfoContext(r.Context(), "a person of the staff has signed in", "role", p.Role)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// endedAge is how long a server may take a session that has ended on another one. A session costs a read
// unit in this time while it is used.
const endedAge = 5 * time.Second

// newEnded returns the cache of what is known about sessions: whether they have ended.
func (s *SignIn) newEnded() *cache.Cache[string, bool] {
	return cache.New(cache.Options[string, bool]{MaxBytes: 1 << 20, Now: s.Now, Size: func(id string, _ bool) int { return len(id) }})
}

// session returns the person of a request, nil for none. An error means that the store does not answer:
// the session may have ended.
func (s *SignIn) session(ctx context.Context, r *http.Request) (*Person, error) {
	p, ok := sent[Person](s, s.sessions, r, sessionCookie)
	if !ok || !s.Now().Before(p.Ends) {
		return nil, nil
	}
	ended, known := s.ended.Get(p.ID)
	if !known {
		var err error
		if ended, err = s.Store.Happened(ctx, ending+p.ID); err != nil {
			return nil, err
		}
		s.ended.Set(p.ID, ended, s.Now().Add(endedAge))
	}
	if ended {
		return nil, nil
	}
	return &p, nil
}

// ending, using and answering begin the names of what happens once.
const (
	ending    = "end of session "
	using     = "use of link "
	answering = "answer of provider "
)

// signOut ends the session on all servers, also for a copy of its cookie.
func (s *SignIn) signOut(w http.ResponseWriter, r *http.Request) {
	p, err := s.session(r.Context(), r)
	if p != nil && err == nil {
		_, err = s.Store.Once(r.Context(), ending+p.ID, p.Ends)
		s.ended.Delete(p.ID)
	}
	if err != nil {
		s.storeFails(w, r, err)
		return
	}
	http.SetCookie(w, s.cookie(r, sessionCookie, "", -time.Second))
	http.Redirect(w, r, pathOut, http.StatusSeeOther)
}
