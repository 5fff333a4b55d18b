package command

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"time"

	"product-comments/internal/gate"
	"product-comments/internal/httpapi"
	"product-comments/internal/visitor"
	"product-comments/store/cache"
)

// gateFlags limit the load that clients can cause together.
type gateFlags struct {
	RateLimit               *int          `help:"Cost units that a client may spend in a minute: 20 to 500 for a page of 20 comments, 10 for a read unit, 200 or more for a mutation; 0 is no limit. The default is ${rate_limit}, except for programs on this machine that use no proxy. A limit given here applies to all clients except services." env:"RATE_LIMIT" placeholder:"UNITS"`
	ReadUnitBudget          *int          `help:"Read capacity units that a client may spend in a minute; 0 is no limit. The default is ${read_unit_budget}, for the same clients as --rate-limit." env:"READ_UNIT_BUDGET" placeholder:"UNITS"`
	TrustedProxies          []string      `help:"Networks of the proxies whose forwarding headers are trusted, such as 10.0.0.0/8; comma-separated." env:"TRUSTED_PROXIES" placeholder:"NETWORK"`
	ForwardedHeader         string        `help:"The forwarding header of those proxies: X-Forwarded-For or Forwarded." enum:"X-Forwarded-For,Forwarded" default:"X-Forwarded-For" env:"FORWARDED_HEADER"`
	Hosts                   []string      `help:"Host names that the server answers to; others are refused. The default is localhost for a server on a loopback address, else all. A server on a loopback address always answers to localhost." env:"HOSTS" placeholder:"NAME"`
	MaxConcurrent           int           `help:"Requests that are executed at once; as many may wait, and more are refused with 503. One client may have a quarter of them. 0 is ${slots_each} for each processor." default:"0" env:"MAX_CONCURRENT"`
	QueueTime               time.Duration `help:"How long a request may wait to be executed." default:"100ms" env:"QUEUE_TIME" placeholder:"TIME"`
	Memory                  cache.Size    `help:"Memory limit of the process, such as 512MiB. The default is three quarters of its container's limit, or a quarter of the machine's memory." default:"0" env:"MEMORY" placeholder:"SIZE"`
	MaxConnections          int           `help:"Maximum number of connections. Above three quarters of it, a new connection closes the one with the longest idle time." default:"8192" env:"MAX_CONNECTIONS"`
	MaxConnectionsPerClient int           `help:"Maximum connections of one address, except trusted proxies and this machine." default:"256" env:"MAX_CONNECTIONS_PER_CLIENT"`
	MaxURL                  cache.Size    `help:"Maximum bytes of a URL." default:"8KiB" env:"MAX_URL" placeholder:"SIZE"`
	MaxHeaders              cache.Size    `help:"Maximum bytes of a request's headers." default:"32KiB" env:"MAX_HEADERS" placeholder:"SIZE"`
	Playground              bool          `help:"Serve the playground at /." default:"true" negatable:"" env:"PLAYGROUND"`
}

const (
	defaultRateLimit      = 60_000 // about 120 pages a minute with all fields, or 3,000 plain pages: enough for several tabs or a small office
	defaultReadUnitBudget = 6_000
	failuresPerMinute     = 30 // of authentication; a client that renews its token fails once

	// slotsEach keeps every processor busy while requests wait for a store that answers in
	// milliseconds. More slots would only increase the latency of each request.
	slotsEach = 16

	// slotsShare is the part of the slots that one client may take: a quarter.
	slotsShare = 4
)

// check returns an error that names the first invalid flag.
func (f *gateFlags) check() error {
	for _, c := range []struct {
		flag  string
		value int
		least int
	}{
		{"--max-concurrent", f.MaxConcurrent, 0}, {"--max-connections", f.MaxConnections, 1},
		{"--max-connections-per-client", f.MaxConnectionsPerClient, 1},
		{"--max-url", int(f.MaxURL), 256}, {"--max-headers", int(f.MaxHeaders), 1024},
		{"--rate-limit", valueOr(f.RateLimit, 0), 0}, {"--read-unit-budget", valueOr(f.ReadUnitBudget, 0), 0},
	} {
		if c.value < c.least {
			return fmt.Errorf("%s is %d: it must be %d or more", c.flag, c.value, c.least)
		}
	}
	if f.QueueTime <= 0 {
		return fmt.Errorf("--queue-time is %s: give a time such as 100ms", f.QueueTime)
	}
	if f.Memory != 0 && f.Memory < gate.LeastMemory {
		return fmt.Errorf("--memory is %d bytes: the service needs %d MiB", f.Memory, gate.LeastMemory>>20)
	}
	for _, name := range f.Hosts {
		if name == "" || strings.ContainsAny(name, "/ ") || (strings.Count(name, ":") == 1) {
			return fmt.Errorf("--hosts has %q: give names without scheme and port, such as shop.example", name)
		}
	}
	_, err := gate.ParseProxies(f.TrustedProxies, f.ForwardedHeader)
	if err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	return nil
}

// memory resolves the default of --memory and divides the memory.
func (f *gateFlags) memory(caches int64) (gate.Memory, error) {
	total := int64(f.Memory)
	if total == 0 {
		total = gate.DefaultMemory()
	}
	if caches > total/2 {
		return gate.Memory{}, errors.New("--page-cache-size exceeds half of --memory: reduce it, or increase --memory")
	}
	return gate.Divide(total, caches), nil
}

// gate returns the limits of a server at an address; a nil address is Lambda. maxCost is the
// maximum cost of one request: a client with a smaller budget would soon be refused for minutes.
func (f *gateFlags) gate(addr net.Addr, memory gate.Memory, maxCost int) (g httpapi.Gate, err error) {
	if limit := valueOr(f.RateLimit, 0); limit > 0 && limit < maxCost {
		return g, fmt.Errorf("--rate-limit is %d: it must be at least --max-cost, which is %d", limit, maxCost)
	}
	proxies, err := gate.ParseProxies(f.TrustedProxies, f.ForwardedHeader)
	if err != nil {
		return g, fmt.Errorf("--trusted-proxies: %w", err)
	}
	rate := float64(valueOr(f.RateLimit, max(defaultRateLimit, maxCost)))
	units := float64(valueOr(f.ReadUnitBudget, defaultReadUnitBudget))
	slots := f.MaxConcurrent
	if slots == 0 {
		slots = slotsEach * runtime.GOMAXPROCS(0)
	}
	const waitingForMemory = 256
	answers := gate.NewRoom(memory.Answers, waitingForMemory, f.QueueTime).KeepForSmall()
	return httpapi.Gate{
		Proxies: proxies, Hosts: hostsAt(addr, f.Hosts), URL: int(f.MaxURL), Headers: int(f.MaxHeaders),
		Cost:      httpapi.Budget{Limiter: gate.NewLimiter(rate, nil), Local: f.RateLimit != nil},
		ReadUnits: httpapi.Budget{Limiter: gate.NewLimiter(units, nil), Local: f.RateLimit != nil},
		Failures:  httpapi.Budget{Limiter: gate.NewLimiter(failuresPerMinute, nil), Local: f.RateLimit != nil},
		Slots:     gate.NewShares(gate.NewRoom(int64(slots), slots, f.QueueTime), int64(slots)/slotsShare),
		Memory:    gate.NewShares(answers, memory.Answers/2), // half has room for any answer
		Bodies:    gate.NewShares(gate.NewRoom(memory.Bodies, waitingForMemory, f.QueueTime), memory.Bodies/2),
	}, nil
}

// hostsAt returns the host names that a server at an address accepts.
func hostsAt(addr net.Addr, names []string) gate.Hosts {
	h := gate.Hosts{Loopback: loopback(addr)}
	for _, name := range names {
		h.Names = append(h.Names, strings.ToLower(name))
	}
	return h
}

// connections returns a listener that limits the number of connections.
func (f *gateFlags) connections(l net.Listener, proxies gate.Proxies, refused func(reason string)) *gate.Listener {
	return gate.Connections{
		Most: f.MaxConnections, MostEach: f.MaxConnectionsPerClient, Proxies: proxies, WhenRefused: refused,
	}.Listen(l)
}

// valueOr returns the value of a flag, or a default if the flag is not set.
func valueOr(flag *int, otherwise int) int {
	if flag != nil {
		return *flag
	}
	return otherwise
}

// documentFlags limit requests and choose which documents are allowed.
type documentFlags struct {
	MaxBody          cache.Size `help:"Maximum bytes of a request's body." default:"512KiB" env:"MAX_BODY" placeholder:"SIZE"`
	MaxTokens        int        `help:"Maximum tokens of a query document." default:"5000" env:"MAX_TOKENS"`
	MaxDepth         int        `help:"Maximum depth of a query." default:"16" env:"MAX_DEPTH"`
	MaxCost          int        `help:"Maximum cost of a query: about one for each field of each object." default:"10000" env:"MAX_COST"`
	MaxMutations     int        `help:"Maximum mutations in one request." default:"10" env:"MAX_MUTATIONS"`
	MaxAnswer        cache.Size `help:"Maximum bytes of an answer's data, such as 10MiB." default:"10MiB" env:"MAX_ANSWER" placeholder:"SIZE"`
	MaxReadUnits     int        `help:"Maximum read capacity units of one request." default:"2500" env:"MAX_READ_UNITS"`
	Introspection    bool       `help:"Allow introspection of the schema, which the playground needs. Without it, errors do not suggest names either." default:"true" negatable:"" env:"INTROSPECTION"`
	PersistedQueries string     `help:"Manifest of queries that clients can send by id or SHA-256, as Apollo's or Relay's compiler writes it. Clients can still register others." env:"PERSISTED_QUERIES" type:"path" placeholder:"FILE"`
	Operations       string     `help:"Like --persisted-queries, but all other operations are refused." env:"OPERATIONS" type:"path" placeholder:"FILE"`
}

func (f *documentFlags) limits(timeout time.Duration) httpapi.Limits {
	return httpapi.Limits{
		Body: int64(f.MaxBody), Tokens: f.MaxTokens, Depth: f.MaxDepth, Cost: f.MaxCost, Mutations: f.MaxMutations,
		Answer: int64(f.MaxAnswer), ReadUnits: f.MaxReadUnits, Timeout: timeout,
	}
}

// manifest reads the manifest, if a flag names one, and reports whether only its operations may
// run.
func (f *documentFlags) manifest(limits httpapi.Limits) (m httpapi.Manifest, only bool, err error) {
	switch {
	case f.PersistedQueries != "" && f.Operations != "":
		return nil, false, errors.New("--persisted-queries and --operations exclude each other: give --operations to refuse all other queries, else --persisted-queries")
	case f.Operations != "":
		m, err = httpapi.ReadManifest(f.Operations, limits)
		return m, true, err
	case f.PersistedQueries != "":
		m, err = httpapi.ReadManifest(f.PersistedQueries, limits)
	}
	return m, false, err
}

const visitorSecretEnv = "VISITOR_SECRET"

var visitorSecret = secret{"visitor secret", visitorSecretEnv, "--visitor-secret-file"}

// visitorFlags configure votes of visitors without a token. docs/security.md explains the
// protection against double votes.
type visitorFlags struct {
	AnonymousVotes    bool   `help:"Allow visitors without a token to vote whether comments are helpful. A signed cookie identifies them." env:"ANONYMOUS_VOTES"`
	VisitorSecretFile string `help:"File with the secrets that sign this cookie: base64, at least 32 bytes each, the first signs, all verify. The environment variable ${visitor_secret_env} may hold them instead. The embedded engine makes one in the data directory." env:"VISITOR_SECRET_FILE" type:"path" placeholder:"FILE"`
}

// checkVisitors refuses anonymous votes without a rate limit, because the rate limit is what keeps
// one person from posing as many visitors.
func (f *visitorFlags) checkVisitors(rateLimit *int) error {
	if f.AnonymousVotes && rateLimit != nil && *rateLimit == 0 {
		return errors.New("--rate-limit is 0, which --anonymous-votes does not allow: visitors could vote without limit by deleting their cookie")
	}
	return nil
}

// visitors returns the codec of visitors' cookies; nil if visitors may not vote. If the flags name
// no secret, it creates one at the path made, unless made is empty.
func (f *visitorFlags) visitors(made string) (*visitor.Codec, error) {
	if !f.AnonymousVotes {
		if f.VisitorSecretFile != "" {
			return nil, errors.New("--visitor-secret-file has no effect without --anonymous-votes")
		}
		return nil, nil
	}
	found, err := visitorSecret.find(f.VisitorSecretFile, made)
	if err == nil && found == nil {
		err = visitorSecret.missing("--anonymous-votes requires a secret")
	}
	if err != nil {
		return nil, err
	}
	return visitor.New(found...), nil
}
