package command

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"time"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/visitor"
	"product-comments/store/read/cache"
)

// limitFlags limit the load that clients can cause.
type limitFlags struct {
	RateLimit      *int       `help:"Cost units that a client may spend in a minute: 20 to 500 for a page of 20 comments, 10 for a read unit, 200 or more for a mutation; 0 is no limit. The default is ${rate_limit}, except for programs on this machine that use no proxy. A limit given here applies to all clients except services." env:"RATE_LIMIT" placeholder:"UNITS"`
	ReadUnitBudget *int       `help:"Read capacity units that a client may spend in a minute; 0 is no limit. The default is ${read_unit_budget}, for the same clients as --rate-limit." env:"READ_UNIT_BUDGET" placeholder:"UNITS"`
	MaxCost        int        `help:"Maximum cost of a query: about one for each field of each object. Raise it for front ends of your own with larger pages, lower it if others write queries." default:"10000" env:"MAX_COST"`
	MaxReadUnits   int        `help:"Maximum read capacity units of one request, which you pay for." default:"2500" env:"MAX_READ_UNITS"`
	TrustedProxies []string   `help:"Networks of the proxies whose headers X-Forwarded-For and X-Forwarded-Proto are trusted, such as 10.0.0.0/8; comma-separated." env:"TRUSTED_PROXIES" placeholder:"NETWORK"`
	Hosts          []string   `help:"Host names that the server answers to; others are refused. The default is localhost for a server on a loopback address, else all. A server on a loopback address always answers to localhost." env:"HOSTS" placeholder:"NAME"`
	MaxConcurrent  int        `help:"Requests that are executed at once; as many may wait, and more are refused with 503. One client may have a quarter of them. 0 is ${slots_each} for each processor; raise it if the table is far away and the processors are idle." default:"0" env:"MAX_CONCURRENT"`
	Memory         cache.Size `help:"Memory limit of the process, such as 512MiB. The default is three quarters of its container's limit, or a quarter of the machine's memory." default:"0" env:"MEMORY" placeholder:"SIZE"`
	MaxConnections int        `help:"Maximum number of connections, of which one address may have a 32nd, except trusted proxies and this machine. Above three quarters of it, a new connection closes the one with the longest idle time. Keep it below the process's limit of open files." default:"8192" env:"MAX_CONNECTIONS"`
}

const (
	defaultRateLimit      = 60_000 // about 120 pages a minute with all fields, or 3,000 plain pages: enough for several tabs or a small office
	defaultReadUnitBudget = 6_000
	noticesPerMinute      = 5  // without a token: a person reads and writes for longer
	failuresPerMinute     = 30 // of authentication; a client that renews its token fails once
	// uploadsPerMinute are uploads of photos and tenths of seconds for them: twenty that a browser did
	// not scale, or sixty that it did.
	uploadsPerMinute = 120

	// slotsEach keeps every processor busy while requests wait for a store that answers in
	// milliseconds. More slots would only increase the latency of each request.
	slotsEach = 16

	// slotsShare is the part of the slots that one client may take: a quarter.
	slotsShare = 4

	// queueTime is how long a request may wait for a slot or for memory. Requests that wait longer
	// would be answered too late for a person who waits for a page.
	queueTime        = 100 * time.Millisecond
	waitingForMemory = 256 // requests

	// uploadMemory is for the bytes of photos under way, at most a 16th of the memory: a few telephones
	// take minutes for theirs.
	uploadMemory = 40 << 20
)

// check returns an error that names the first invalid flag.
func (f *limitFlags) check() error {
	for _, c := range []struct {
		flag  string
		value int
		least int
	}{
		{"--max-concurrent", f.MaxConcurrent, 0}, {"--max-connections", f.MaxConnections, 1},
		{"--rate-limit", valueOr(f.RateLimit, 0), 0}, {"--read-unit-budget", valueOr(f.ReadUnitBudget, 0), 0},
	} {
		if c.value < c.least {
			return fmt.Errorf("%s is %d: it must be %d or more", c.flag, c.value, c.least)
		}
	}
	if f.Memory != 0 && f.Memory < admission.LeastMemory {
		return fmt.Errorf("--memory is %d bytes: the service needs %d MiB", f.Memory, admission.LeastMemory>>20)
	}
	for _, name := range f.Hosts {
		if name == "" || strings.ContainsAny(name, "/ ") || (strings.Count(name, ":") == 1) {
			return fmt.Errorf("--hosts has %q: give names without scheme and port, such as shop.example", name)
		}
	}
	// A client with a smaller budget would soon be refused for minutes.
	if limit := valueOr(f.RateLimit, 0); limit > 0 && limit < f.MaxCost {
		return fmt.Errorf("--rate-limit is %d: it must be at least --max-cost, which is %d", limit, f.MaxCost)
	}
	return nil
}

// memory resolves the default of --memory and divides the memory.
func (f *limitFlags) memory(caches int64) (admission.Memory, error) {
	total := int64(f.Memory)
	if total == 0 {
		total = admission.DefaultMemory()
	}
	if caches > total/2 {
		return admission.Memory{}, errors.New("--page-cache-size exceeds half of --memory: reduce it, or increase --memory")
	}
	return admission.Divide(total, caches), nil
}

// limits returns the limits of a server.
func (f *limitFlags) limits(timeout time.Duration, memory admission.Memory) (admission.Limits, error) {
	l := admission.DefaultLimits
	l.Cost, l.ReadUnits, l.Timeout, l.Connections = f.MaxCost, f.MaxReadUnits, timeout, f.MaxConnections
	var err error
	if l.Proxies, err = admission.ParseProxies(f.TrustedProxies); err != nil {
		return l, fmt.Errorf("--trusted-proxies: %w", err)
	}
	l.CostBudget = admission.NewBudget(float64(valueOr(f.RateLimit, max(defaultRateLimit, f.MaxCost))), nil)
	l.ReadUnitBudget = admission.NewBudget(float64(valueOr(f.ReadUnitBudget, defaultReadUnitBudget)), nil)
	l.NoticeBudget = admission.NewBudget(noticesPerMinute, nil)
	l.FailureBudget = admission.NewBudget(failuresPerMinute, nil)
	l.UploadBudget = admission.NewBudget(uploadsPerMinute, nil)
	l.Local = f.RateLimit != nil
	slots := cmp.Or(f.MaxConcurrent, slotsEach*runtime.GOMAXPROCS(0))
	l.Slots = admission.NewPool(int64(slots), int64(slots)/slotsShare, slots, queueTime)
	l.Answers = admission.NewPool(memory.Answers, memory.Answers/2, waitingForMemory, queueTime) // half has room for any answer
	l.Bodies = admission.NewPool(memory.Bodies, memory.Bodies/2, waitingForMemory, queueTime)
	uploads := min(uploadMemory, memory.Total/16)
	l.Uploads = admission.NewPool(uploads, uploads/2, waitingForMemory, queueTime)
	return l, nil
}

// hostsAt returns the host names that a server at an address accepts; a nil address is Lambda.
func hostsAt(addr net.Addr, names []string) admission.Hosts {
	h := admission.Hosts{Loopback: loopback(addr)}
	for _, name := range names {
		h.Names = append(h.Names, strings.ToLower(name))
	}
	return h
}

// valueOr returns the value of a flag, or a default if the flag is not set.
func valueOr[T any](flag *T, otherwise T) T {
	if flag != nil {
		return *flag
	}
	return otherwise
}

// documentFlags choose which documents are allowed.
type documentFlags struct {
	Introspection    bool   `help:"Allow introspection of the schema, which the playground needs. Without it, errors do not suggest names either." default:"true" negatable:"" env:"INTROSPECTION"`
	PersistedQueries string `help:"Manifest of queries that clients can send by id or SHA-256, as Apollo's or Relay's compiler writes it. Clients can still register others." env:"PERSISTED_QUERIES" type:"path" placeholder:"FILE"`
	Operations       string `help:"Like --persisted-queries, but all other operations are refused." env:"OPERATIONS" type:"path" placeholder:"FILE"`
	Playground       bool   `help:"Serve the playground at /." default:"true" negatable:"" env:"PLAYGROUND"`
}

// manifest reads the manifest, if a flag names one, and reports whether only its operations may
// run.
func (f *documentFlags) manifest(limits admission.Limits) (m httpapi.Manifest, only bool, err error) {
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
	found, err := visitorSecret.need(f.VisitorSecretFile, made, "--anonymous-votes requires a secret")
	if err != nil {
		return nil, err
	}
	return visitor.New(found...), nil
}
