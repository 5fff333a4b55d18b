package httpapi

import (
	"context"
	"net/http"

	"product-comments/access"
	"product-comments/internal/gate"
)

// Gate bounds what many requests together may cost. The zero value bounds nothing,
// which is what most tests want.
type Gate struct {
	Proxies gate.Proxies
	Hosts   gate.Hosts
	URL     int // most bytes of a URL; no bound if 0
	Headers int // most bytes of all headers; no bound if 0

	Cost      Budget      // units: see spending
	ReadUnits Budget      // read capacity units
	Failures  Budget      // attempts to authenticate that failed
	Slots     *gate.Room  // requests that are worked at
	Memory    *gate.Room  // bytes of answers under way
	Bodies    *gate.Parts // bytes of bodies under way
}

// Budget is what a client may spend in a minute.
type Budget struct {
	*gate.Limiter      // nil for no limit
	Local         bool // also for programs on this machine that ask for themselves
}

// of returns the limiter for a client, nil if it is not limited.
func (b Budget) of(a asker) *gate.Limiter {
	if a.free || a.Local && !b.Local {
		return nil
	}
	return b.Limiter
}

type clientKey struct{}

// client finds out where a request comes from, once for all that need it.
func (s *server) client(w http.ResponseWriter, r *http.Request, next http.Handler) {
	c := s.Gate.Proxies.Client(r)
	if c.Addr.IsLoopback() && !c.Local && len(s.Gate.Proxies.Trusted) == 0 && s.warned.CompareAndSwap(false, true) {
		s.Log.WarnContext(r.Context(), "a proxy on this machine forwards requests, and all its clients are counted as one: --trusted-proxies makes them known")
	}
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
}

// clientOf returns where a request comes from.
func clientOf(ctx context.Context) gate.Client {
	c, ok := ctx.Value(clientKey{}).(gate.Client)
	c.Local = c.Local || !ok // a handler that is called directly, without a network
	return c
}

// asker is who a request is counted for.
type asker struct {
	gate.Client
	key  string // in limiters
	free bool   // has no budgets, wherever it is
}

// askerOf returns who a request is counted for: the subject of its token, from whatever
// address, or else the address, as before the token is verified. The shop's own services
// ask for all its visitors, and are free.
func askerOf(ctx context.Context) asker {
	c := clientOf(ctx)
	if v := access.From(ctx); v.Role == access.Service || v.Subject != "" {
		return asker{c, "subject " + v.Subject, v.Role == access.Service}
	}
	return asker{c, c.Key(), false}
}

// budgets sends away clients that have nothing left.
func (s *server) budgets(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := askerOf(r.Context())
	limit := s.Gate.Cost.of(a)
	if _, ok := limit.Take(a.key, requestCost); !ok {
		s.reject(w, r, overspent(limit, a))
		return
	}
	if left := s.Gate.ReadUnits.of(a).Peek(a.key, 1); left.Wait > 0 {
		s.reject(w, r, rateLimited("read_units", "read units", left))
		return
	}
	next.ServeHTTP(w, r)
}
