package command

import (
	"errors"
	"time"

	"product-comments/internal/cache"
	"product-comments/internal/httpapi"
)

// documentFlags say what one request may hold, and what may be asked at all.
type documentFlags struct {
	MaxBody          cache.Size `help:"Most bytes of a request's body." default:"512KiB" env:"MAX_BODY" placeholder:"SIZE"`
	MaxTokens        int        `help:"Most tokens of a query document." default:"5000" env:"MAX_TOKENS"`
	MaxDepth         int        `help:"Most levels of fields in a query." default:"16" env:"MAX_DEPTH"`
	MaxCost          int        `help:"Most that a query may cost: about one for each field of each object." default:"10000" env:"MAX_COST"`
	MaxMutations     int        `help:"Most mutations in one request." default:"10" env:"MAX_MUTATIONS"`
	MaxAnswer        cache.Size `help:"Most bytes of an answer's data, such as 10MiB." default:"10MiB" env:"MAX_ANSWER" placeholder:"SIZE"`
	MaxReadUnits     int        `help:"Most read capacity units that one request may consume." default:"2500" env:"MAX_READ_UNITS"`
	Introspection    bool       `help:"Let clients ask for the schema, as the playground does. Without it errors do not suggest names either." default:"true" negatable:"" env:"INTROSPECTION"`
	PersistedQueries string     `help:"Manifest of queries that clients can name by their id or SHA-256 from the start, as Apollo's or Relay's compiler writes it. Others they can register themselves." env:"PERSISTED_QUERIES" type:"path" placeholder:"FILE"`
	Operations       string     `help:"The same, and nothing else runs." env:"OPERATIONS" type:"path" placeholder:"FILE"`
}

func (f *documentFlags) limits(timeout time.Duration) httpapi.Limits {
	return httpapi.Limits{
		Body: int64(f.MaxBody), Tokens: f.MaxTokens, Depth: f.MaxDepth, Cost: f.MaxCost, Mutations: f.MaxMutations,
		Answer: int64(f.MaxAnswer), ReadUnits: f.MaxReadUnits, Timeout: timeout,
	}
}

// manifest reads the file, if one is named, and tells whether nothing else runs.
func (f *documentFlags) manifest(limits httpapi.Limits) (m httpapi.Manifest, only bool, err error) {
	switch {
	case f.PersistedQueries != "" && f.Operations != "":
		return nil, false, errors.New("--persisted-queries lets other queries run and --operations does not: give one of them")
	case f.Operations != "":
		m, err = httpapi.ReadManifest(f.Operations, limits)
		return m, true, err
	case f.PersistedQueries != "":
		m, err = httpapi.ReadManifest(f.PersistedQueries, limits)
	}
	return m, false, err
}
