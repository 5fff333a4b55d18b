package httpapi

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/internal/gate"
	"product-comments/store/table"
)

// Charges to a client's budget, in units. A unit of a plain page is about 60 microseconds of a
// slow processor, and no other unit is more than three times that; or it is a tenth of a read
// capacity unit.
const (
	requestCost   = 1  // of any request, also of one that a cache answers
	brokenCost    = 20 // of a document that cannot be executed
	readUnitCost  = 10
	tripCost      = 3  // of a round trip to the store
	resolverCost  = 1  // of a field that reads, whoever has read it before
	writeUnitCost = 10 // what a mutation writes, where that is more than its complexity costs
	writeWeight   = 10 // factor of the complexity of mutations, which are expensive and rare
	leastKept     = 1  // reserved for an operation that runs
	leastUnits    = 1  // read units that a client has when an operation begins

	fieldsOfUnit = 10 // fields of the document for one unit
	stepsOfUnit  = 20 // steps of execution for one unit
	bytesOfUnit  = 1000
	heldOfUnit   = 10_000 // bytes of an answer that wait for a second until the client reads them
)

// spending is the consumption of a client's budgets by one operation. The complexity is reserved
// before the operation runs; afterwards the actual cost is charged instead.
type spending struct {
	op        *graphql.OperationContext
	asker     account
	sent      float64       // charged for the request's bytes
	cost      *gate.Limiter // nil for no limit, as is readUnits
	readUnits *gate.Limiter
	reserved  *gate.Reservation // of the cost
	reading   *gate.Reservation // of the read units

	read *table.Meter // measures the operation; nil until it is about to run
	made *answer.Meter

	settled *operationCost
}

// operationCost is the cost of an operation, which every answer has in extensions.cost.
type operationCost struct {
	Complexity int `json:"complexity"` // see graph.Measured
	// ReadUnits are read capacity units. A read that several requests share counts for the request
	// that started it.
	ReadUnits float64 `json:"readUnits"`
	// RoundTrips to the store. The parallel queries of one page are one round trip.
	RoundTrips int     `json:"roundTrips"`
	Charge     float64 `json:"charge"` // units charged to the cost budget, including the request's own
	// The client's remaining budgets; nil without a limit.
	Budget         *budget `json:"budget,omitempty"`
	ReadUnitBudget *budget `json:"readUnitBudget,omitempty"`
}

// budget is the state of a client's budget: its size, its remainder, and the units restored per
// second.
type budget struct {
	Limit       float64 `json:"limit"`
	Remaining   float64 `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
}

func budgetOf(left gate.Balance) *budget {
	return &budget{left.Limit, math.Floor(left.Remaining), math.Floor(left.RestoreRate*10) / 10}
}

// admit reserves the maximum cost of an operation, or the rest of the client's budget if that is
// less, so that concurrent operations cannot spend the same budget. The caller must settle the
// reservation. The error is a *rejection for a client with an empty budget.
func (s *server) admit(ctx context.Context, op *graphql.OperationContext) (*spending, error) {
	a := accountOf(ctx)
	spent := &spending{op: op, asker: a, sent: slotOf(ctx).sent, cost: s.Gate.Cost.limiterFor(a), readUnits: s.Gate.ReadUnits.limiterFor(a)}
	measured := graph.MeasuredOf(op)
	bound := float64(measured.Cost + (writeWeight-1)*measured.WriteCost - requestCost)
	var ok bool
	if spent.reserved, ok = spent.cost.Reserve(a.key, min(bound, leastKept), bound); !ok {
		return nil, outOfBudget(spent.cost, a)
	}
	if spent.reading, ok = spent.readUnits.Reserve(a.key, leastUnits, 0); !ok {
		spent.reserved.Settle(0)
		return nil, rateLimited("read_units", "read units", spent.readUnits.Peek(a.key, leastUnits))
	}
	return spent, nil
}

// meter charges the reads of the operation while it runs, so that the client's other requests find
// its budget spent before the operation ends.
func (s *spending) meter(read *table.Meter, made *answer.Meter) {
	s.read, s.made = read, made
	read.OnRead = func(units float64) {
		s.reserved.Grow(readUnitCost * units)
		s.reading.Grow(units)
	}
}

// settle charges the actual cost of the operation, and returns it with the client's remaining
// budgets. Later calls return the same.
func (s *spending) settle() operationCost {
	if s.settled != nil {
		return *s.settled
	}
	measured := graph.MeasuredOf(s.op)
	cost := &operationCost{Complexity: measured.Cost}
	charge := 0.0
	if s.read != nil {
		cost.ReadUnits, cost.RoundTrips = s.read.Read()
		charge = max(float64(writeWeight*measured.WriteCost), writeUnitCost*s.read.Written()) +
			readUnitCost*cost.ReadUnits + tripCost*float64(cost.RoundTrips) + resolverCost*float64(s.made.Resolved()) +
			float64(measured.Size)/fieldsOfUnit + float64(s.made.Steps())/stepsOfUnit + float64(s.made.Bytes())/bytesOfUnit
	}
	cost.Charge = math.Ceil(requestCost + s.sent + charge)
	s.reserved.Settle(charge)
	s.reading.Settle(cost.ReadUnits)
	if s.cost != nil {
		cost.Budget = budgetOf(s.cost.Peek(s.asker.key, 0))
	}
	if s.readUnits != nil {
		cost.ReadUnitBudget = budgetOf(s.readUnits.Peek(s.asker.key, 0))
	}
	s.settled = cost
	return *cost
}

// Gate limits the load that all requests together may cause. The zero value sets no limit.
type Gate struct {
	Proxies gate.Proxies
	Hosts   gate.Hosts
	URL     int // most bytes of a URL; no bound if 0
	Headers int // most bytes of all headers; no bound if 0

	Cost      Budget       // units, see spending
	ReadUnits Budget       // read capacity units
	Failures  Budget       // failed attempts to authenticate
	Slots     *gate.Shares // concurrent requests
	Memory    *gate.Shares // bytes of answers under way
	Bodies    *gate.Shares // bytes of bodies under way
}

// Budget limits the consumption of each client per minute.
type Budget struct {
	*gate.Limiter      // nil for no limit
	Local         bool // also for programs on this machine that use no proxy
}

// limiterFor returns the limiter for an account; nil if it is not limited.
func (b Budget) limiterFor(a account) *gate.Limiter {
	if a.free || a.Local && !b.Local {
		return nil
	}
	return b.Limiter
}

// shareOf returns the client of an account in Slots and Memory; empty for one without a budget.
func (g Gate) shareOf(a account) string {
	if g.Cost.limiterFor(a) == nil {
		return ""
	}
	return a.key
}

// chargeHeld charges for bytes of an answer that waited since a time until the client read them.
func (s *server) chargeHeld(ctx context.Context, bytes int, since time.Time) {
	a := accountOf(ctx)
	s.Gate.Cost.limiterFor(a).Charge(a.key, float64(bytes)*time.Since(since).Seconds()/heldOfUnit)
}

type clientKey struct{}

// identifyClient is the step that determines the client of a request.
func (s *server) identifyClient(w http.ResponseWriter, r *http.Request, next http.Handler) {
	c := s.Gate.Proxies.Client(r)
	if c.Addr.IsLoopback() && !c.Local && len(s.Gate.Proxies.Trusted) == 0 && s.warned.CompareAndSwap(false, true) {
		s.Log.WarnContext(r.Context(), "a proxy on this machine forwards requests and is not trusted, so its clients share one budget: configure --trusted-proxies")
	}
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
}

// clientOf returns the client of a request.
func clientOf(ctx context.Context) gate.Client {
	c, ok := ctx.Value(clientKey{}).(gate.Client)
	c.Local = c.Local || !ok // a handler that is called directly, without a network
	return c
}

// account identifies the budgets of a request.
type account struct {
	gate.Client
	key  string // in limiters
	free bool   // has no budgets, from any address
}

// accountOf returns the account of a request: the token's subject, from any address, or else the
// client's address, also before the token is verified. The shop's services act for all its
// visitors and are not limited.
func accountOf(ctx context.Context) account {
	c := clientOf(ctx)
	if v := access.From(ctx); v.Role == access.Service || v.Subject != "" {
		return account{c, "subject " + v.Subject, v.Role == access.Service}
	}
	return account{c, c.Key(), false}
}

// checkBudgets is the step that charges for a request, and refuses clients with an empty budget.
func (s *server) checkBudgets(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := accountOf(r.Context())
	limit := s.Gate.Cost.limiterFor(a)
	if _, ok := limit.Take(a.key, requestCost); !ok {
		s.reject(w, r, outOfBudget(limit, a))
		return
	}
	if left := s.Gate.ReadUnits.limiterFor(a).Peek(a.key, leastUnits); left.Wait > 0 {
		s.reject(w, r, rateLimited("read_units", "read units", left))
		return
	}
	next.ServeHTTP(w, r)
}
