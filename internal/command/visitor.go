package command

import (
	"errors"
	"fmt"

	"product-comments/internal/secrets"
	"product-comments/internal/visitor"
)

const (
	visitorSecretEnv = "VISITOR_SECRET"
	visitorSecret    = "visitor secret" // what it is called in errors
)

// visitorFlags say whether visitors without a token may vote. docs/security.md explains
// what keeps them from voting twice, and what does not.
type visitorFlags struct {
	AnonymousVotes    bool   `help:"Let visitors without a token vote whether comments are helpful. A signed cookie tells them from each other." env:"ANONYMOUS_VOTES"`
	VisitorSecretFile string `help:"File with the secrets that sign this cookie: base64, at least 32 bytes each, the first signs, all verify. The environment variable ${visitor_secret_env} may hold them instead. The embedded engine makes one in the data directory." env:"VISITOR_SECRET_FILE" type:"path" placeholder:"FILE"`
}

// checkVisitors refuses visitors without number: what keeps one person from being many
// is that a client may have few in a minute.
func (f *visitorFlags) checkVisitors(rateLimit *int) error {
	if f.AnonymousVotes && rateLimit != nil && *rateLimit == 0 {
		return errors.New("--rate-limit is 0: with --anonymous-votes whoever throws the cookie away could vote without end")
	}
	return nil
}

// visitors returns what tells visitors from each other; nil if they may not vote. made
// is the path of a secret that is made if the flags name none; "" is none.
func (f *visitorFlags) visitors(made string) (*visitor.Codec, error) {
	if !f.AnonymousVotes {
		if f.VisitorSecretFile != "" {
			return nil, errors.New("--visitor-secret-file is for --anonymous-votes, which is not set")
		}
		return nil, nil
	}
	found, err := secrets.Find(visitorSecret, visitorSecretEnv, f.VisitorSecretFile)
	if err != nil {
		return nil, fmt.Errorf("--visitor-secret-file or %s: %w", visitorSecretEnv, err)
	}
	if found == nil && made != "" {
		if found, err = secrets.LoadOrCreate(visitorSecret, made); err != nil {
			return nil, err
		}
	}
	if found == nil {
		return nil, fmt.Errorf("--anonymous-votes needs %s or --visitor-secret-file: a secret that all servers share; 'openssl rand -base64 32' makes one", visitorSecretEnv)
	}
	return visitor.New(found...), nil
}
