package httpapi

import (
	"context"
	"math"
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/internal/gate"
	"product-comments/store/table"
)

// What takes from a client's budget, in units. A unit is some 20 microseconds of a
// processor, or a tenth of a read capacity unit.
const (
	requestCost  = 1  // whatever it asks, also what a cache answers
	brokenCost   = 20 // a document that cannot be executed
	readUnitCost = 10
	writeWeight  = 10 // times the complexity: writes are dear, and no one makes many
	leastKept    = 1  // for an operation that runs

	fieldsOfUnit = 10 // that an operation spells
	stepsOfUnit  = 20 // of making the answer
	bytesOfUnit  = 1000
)

// spending is what an operation takes of its client's budgets: the complexity is kept
// before it runs, and what it has read and made is charged in its place.
type spending struct {
	op        *graphql.OperationContext
	asker     asker
	cost      *gate.Limiter // nil for no limit, as readUnits
	readUnits *gate.Limiter
	kept      *gate.Reservation

	read *table.Meter // what measures the operation; nil until it is about to run
	made *answer.Meter

	settled *operationCost
}

// operationCost is what an operation cost. It is in extensions.cost of every
// answer to an operation that ran.
type operationCost struct {
	Complexity int `json:"complexity"` // see graph.Measured
	// ReadUnits are read capacity units. A read that several requests shared is in
	// the answer to the one that began it.
	ReadUnits float64 `json:"readUnits"`
	// RoundTrips to the store, also those at the same time. The parallel queries of
	// one page are one round trip.
	RoundTrips int     `json:"roundTrips"`
	Charge     float64 `json:"charge"` // units that the budget of cost is charged, the request's own included
	// What the client has left for a minute; nil where it has no limit.
	Budget         *budget `json:"budget,omitempty"`
	ReadUnitBudget *budget `json:"readUnitBudget,omitempty"`
}

// budget is the rest of one: how much it holds when it is full, how much it has, and
// how much comes back a second.
type budget struct {
	Limit       float64 `json:"limit"`
	Remaining   float64 `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
}

func budgetOf(left gate.Left) *budget {
	return &budget{left.Limit, math.Floor(left.Remaining), math.Floor(left.RestoreRate*10) / 10}
}

// admit keeps what an operation may come to, or what its client has left if that is
// less: so operations that run at the same time cannot spend one budget each. The
// caller settles it whatever happens. The error is a *rejection of a client that has
// nothing left.
func (s *server) admit(ctx context.Context, op *graphql.OperationContext) (*spending, error) {
	a := askerOf(ctx)
	spent := &spending{op: op, asker: a, cost: s.Gate.Cost.of(a), readUnits: s.Gate.ReadUnits.of(a)}
	measured := graph.MeasuredOf(op)
	bound := float64(measured.Cost + (writeWeight-1)*measured.WriteCost - requestCost)
	var ok bool
	if spent.kept, ok = spent.cost.Reserve(a.key, min(bound, leastKept), bound); !ok {
		return nil, overspent(spent.cost, a)
	}
	return spent, nil
}

// settle charges what the operation has read and made until now, and returns its cost
// with what the client has left. Later calls return the same.
func (s *spending) settle() operationCost {
	if s.settled != nil {
		return *s.settled
	}
	measured := graph.MeasuredOf(s.op)
	cost := &operationCost{Complexity: measured.Cost}
	charge := 0.0
	if s.read != nil {
		cost.ReadUnits, cost.RoundTrips = s.read.Read()
		charge = float64(writeWeight*measured.WriteCost) + readUnitCost*cost.ReadUnits +
			float64(measured.Size)/fieldsOfUnit + float64(s.made.Taken())/stepsOfUnit + float64(s.made.Written())/bytesOfUnit
	}
	cost.Charge = math.Ceil(requestCost + charge)
	s.kept.Settle(charge)
	if s.cost != nil {
		cost.Budget = budgetOf(s.cost.Peek(s.asker.key, 0))
	}
	if s.readUnits != nil {
		cost.ReadUnitBudget = budgetOf(s.readUnits.Charge(s.asker.key, cost.ReadUnits))
	}
	s.settled = cost
	return *cost
}

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
		s.Log.WarnContext(r.Context(), "a proxy on this machine forwards requests and is not trusted, so its clients share one budget: configure --trusted-proxies")
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
