package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"product-comments/access"
	"product-comments/internal/auth"
	"product-comments/internal/demo"
	"product-comments/internal/secrets"
	"product-comments/store"
)

const authSecretEnv = "AUTH_SECRET"

var authSecret = secret{"auth secret", authSecretEnv, "--auth-secret-file"}

// secret is what signs something, for which a file or the environment has one or several.
type secret struct{ what, env, flag string }

// find returns the secrets of the environment or of the file, or else that of made, which
// is made if it is not there; nil if made is empty, too.
func (s secret) find(file, made string) ([][]byte, error) {
	found, err := secrets.Find(s.what, s.env, file)
	if err != nil {
		return nil, fmt.Errorf("%s or %s: %w", s.flag, s.env, err)
	}
	if found == nil && made != "" {
		return secrets.LoadOrCreate(s.what, made)
	}
	return found, nil
}

// missing returns why a server cannot be without: what needs it, and how one is made.
func (s secret) missing(needs string) error {
	return fmt.Errorf("%s: set %s or %s to a secret that all servers share; 'openssl rand -base64 32' makes one", needs, s.env, s.flag)
}

// authFlags say whose tokens are accepted. docs/security.md explains them.
type authFlags struct {
	JWKSURL    string            `name:"auth-jwks-url" help:"URL (https) of the JSON Web Key Set that verifies tokens. Requires --auth-issuer and --auth-audience." env:"AUTH_JWKS_URL" placeholder:"URL"`
	JWKSFile   string            `name:"auth-jwks-file" help:"File with the keys that verify tokens, a JSON Web Key Set, which is read again every ten minutes." env:"AUTH_JWKS_FILE" type:"path" placeholder:"FILE"`
	SecretFile string            `name:"auth-secret-file" help:"File with the secrets that sign tokens (HS256): base64, at least 32 bytes each, the first signs, all verify. The environment variable ${auth_secret_env} may hold them instead. The embedded engine makes one in the data directory if no keys are given." env:"AUTH_SECRET_FILE" type:"path" placeholder:"FILE"`
	Issuer     string            `name:"auth-issuer" help:"The issuer that tokens must name (iss)." env:"AUTH_ISSUER" placeholder:"ISSUER"`
	Audience   []string          `name:"auth-audience" help:"Accepted audiences of tokens (aud, or client_id in tokens without aud), comma-separated." env:"AUTH_AUDIENCE" placeholder:"AUDIENCE"`
	RoleClaim  string            `name:"auth-role-claim" help:"The claim that gives a role: its name, or a path such as realm_access.roles." default:"role" env:"AUTH_ROLE_CLAIM" placeholder:"CLAIM"`
	Roles      map[string]string `name:"auth-roles" help:"Roles by values of that claim, such as comments-mod=moderator;shop=service. The default is the roles' names: author, moderator, service. All other tokens are an author's." env:"AUTH_ROLES" placeholder:"VALUE=ROLE;…"`
}

// authentication is what the flags make: nil where nothing is configured.
type authentication struct {
	auth.Config
	verifier *auth.Authenticator
	from     string // where tokens come from, for operators
}

// Close ends the reading of keys.
func (a *authentication) Close() {
	if a != nil && a.Keys != nil {
		a.Keys.Close()
	}
}

// Verifier returns what verifies tokens; nil if nothing is configured.
func (a *authentication) Verifier() *auth.Authenticator {
	if a == nil {
		return nil
	}
	return a.verifier
}

// authentication opens what the flags name. made is the path of a secret that is
// made if they name nothing; "" is none.
func (f *authFlags) authentication(ctx context.Context, made string, log *slog.Logger) (*authentication, error) {
	c, err := f.config(made)
	if err != nil {
		return nil, err
	}
	source, from, err := f.source()
	if err != nil {
		return nil, err
	}
	if source == nil && len(c.Secrets) == 0 {
		return nil, nil
	}
	if f.JWKSFile != "" { // a URL may come up later; what is wrong with a file stays so
		if err := source.Check(ctx); err != nil {
			return nil, fmt.Errorf("--auth-jwks-file: %w", err)
		}
	}
	a := &authentication{Config: c, from: "product-comments token --subject NAME"}
	if source != nil {
		a.Keys = auth.OpenKeys(ctx, source, from, log)
		a.from = f.Issuer
	}
	a.verifier = auth.New(a.Config)
	return a, nil
}

// config returns what the flags say but for the keys that are published.
func (f *authFlags) config(made string) (c auth.Config, err error) {
	c = auth.Config{Issuer: f.Issuer, Audiences: f.Audience, Roles: auth.DefaultRoles()}
	if f.RoleClaim == "" {
		return c, errors.New("--auth-role-claim is empty: name the claim that has the role")
	}
	c.Roles.Claim = f.RoleClaim
	if len(f.Roles) > 0 {
		c.Roles.Values = map[string]access.Role{}
		for _, value := range slices.Sorted(maps.Keys(f.Roles)) {
			role, ok := access.ParseRole(f.Roles[value])
			if !ok {
				return c, fmt.Errorf("--auth-roles: %q is not a role: use author, moderator or service", f.Roles[value])
			}
			c.Roles.Values[value] = role
		}
	}
	if !f.namesNothing() {
		made = ""
	}
	c.Secrets, err = authSecret.find(f.SecretFile, made)
	return c, err
}

// namesNothing reports whether neither flags nor environment say whose tokens are accepted.
func (f *authFlags) namesNothing() bool {
	return f.SecretFile == "" && os.Getenv(authSecretEnv) == "" && f.JWKSURL == "" && f.JWKSFile == ""
}

// source returns where keys are published, nil if nowhere.
func (f *authFlags) source() (read auth.Source, from string, err error) {
	flag, from := "--auth-jwks-url", f.JWKSURL
	switch {
	case f.JWKSURL != "" && f.JWKSFile != "":
		return nil, "", errors.New("--auth-jwks-url and --auth-jwks-file exclude each other: give one of them")
	case f.JWKSFile != "":
		flag, from, read = "--auth-jwks-file", f.JWKSFile, auth.FromFile(f.JWKSFile)
	case f.JWKSURL == "":
		return nil, "", nil
	default:
		if read, err = auth.FromURL(f.JWKSURL); err != nil {
			return nil, "", fmt.Errorf("%s: %w", flag, err)
		}
	}
	// The same keys often sign the tokens of other services and shops.
	if f.Issuer == "" {
		return nil, "", fmt.Errorf("%s requires --auth-issuer: the issuer whose tokens are accepted", flag)
	}
	if len(f.Audience) == 0 {
		return nil, "", fmt.Errorf("%s requires --auth-audience: other services' tokens may be signed with the same keys", flag)
	}
	return read, from, nil
}

// ownSecret is the path of the secret of tokens that the embedded engine's servers
// make; "" for other engines.
func (f *storeFlags) ownSecret() string { return f.ownFile("auth.key") }

// ownFile is the path of a file that the embedded engine's servers make; "" for other
// engines, whose servers may be many.
func (f *storeFlags) ownFile(name string) string {
	if !f.onThisMachine() {
		return ""
	}
	return filepath.Join(f.DataDir, name)
}

// rules says who may write at an address, and logs it if that may surprise.
func (a *authentication) rules(addr string, log *slog.Logger) access.Rules {
	switch {
	case a != nil:
		log.Info("writes require a token", "from", a.from)
		return access.Rules{Writes: access.ByToken}
	case onLoopback(addr):
		log.Warn("no authentication is configured: everyone who reaches this address can write, also through a proxy; configure --auth-jwks-url, --auth-jwks-file or --auth-secret-file", "addr", addr)
		return access.Rules{Writes: access.ByAnybody}
	default:
		log.Warn("writes are disabled: no authentication is configured and other hosts can reach this address; configure --auth-jwks-url, --auth-jwks-file or --auth-secret-file, or listen on 127.0.0.1", "addr", addr)
		return access.Rules{Writes: access.ByNobody}
	}
}

// onLoopback reports whether an address to listen on is only this machine's. On
// Lambda requests come from elsewhere, whatever the address is.
func onLoopback(addr string) bool {
	a, err := net.ResolveTCPAddr("tcp", addr)
	return err == nil && loopback(a) && !onLambda()
}

// demoTokenTime is how long tokens of the demo last.
const demoTokenTime = 30 * 24 * time.Hour

// demoSubjects are who they are for.
var demoSubjects = map[access.Role]string{access.Author: demo.Visitor, access.Moderator: demo.Moderator, access.Service: "shop"}

// demoTokens makes tokens for the playground of the demo, by role, and shows that of the
// visitor: a secret in the log, which is why they are made for a demo on this machine
// alone. Those of staff are made on further terms, which the caller knows.
func (a *authentication) demoTokens(addr string, staff bool, log *slog.Logger) map[access.Role]string {
	if a == nil || len(a.Secrets) == 0 || !onLoopback(addr) {
		return nil
	}
	tokens := map[access.Role]string{}
	for role, subject := range demoSubjects {
		if role != access.Author && !staff {
			continue
		}
		token, err := a.Make(access.Viewer{Subject: subject, Role: role}, demoTokenTime)
		if err != nil {
			log.Warn("the demo's token could not be made", "role", role.String(), "error", err)
			continue
		}
		tokens[role] = token
	}
	if token, made := tokens[access.Author]; made {
		log.Info("writes require a token: this one is for the demo only, and the playground sends it", "header", "Authorization: Bearer "+token)
	}
	return tokens
}

// demoStaff reports whether tokens of staff may be shown: where the table began with the
// demo, and where the secret that signs them was made for this table, so that they are
// good for nothing else.
func (s *serve) demoStaff(ctx context.Context, st *store.Store, log *slog.Logger) bool {
	if s.ownSecret() == "" || !s.namesNothing() {
		return false
	}
	holds, err := demo.Holds(ctx, st)
	if err != nil {
		log.Warn("the demo's tokens for staff could not be made", "error", err)
	}
	return holds
}

type token struct {
	storeFlags
	authFlags
	Subject string        `help:"Subject of the token: the author that comments are stored with, such as the shop's customer id." required:"" placeholder:"NAME"`
	Role    string        `help:"Role of the token: author (write comments, and change and delete their own), moderator (change and delete any comment, decide which are published, view people and orders), service (a program of the shop: record orders, create comments without an author)." enum:"author,moderator,service" default:"author"`
	TTL     time.Duration `name:"ttl" help:"How long the token is valid." default:"24h"`
}

// Run prints a token that servers accept which have the same flags, or the same
// data directory.
func (t *token) Run() error {
	if t.TTL <= 0 {
		return fmt.Errorf("--ttl is %s: give a time such as 24h", t.TTL)
	}
	role, _ := access.ParseRole(t.Role) // the flag takes no other
	viewer := access.Viewer{Subject: t.Subject, Role: role}
	if err := auth.CheckSubject(t.Subject); err != nil {
		return fmt.Errorf("--subject: %w", err)
	}
	c, err := t.config(t.ownSecret())
	if err != nil {
		return err
	}
	if len(c.Secrets) == 0 {
		return errors.New("no secret to sign a token with: --auth-secret-file or " + authSecretEnv + " gives one to servers and to this command; tokens of --auth-jwks-url come from its issuer")
	}
	made, err := c.Make(viewer, t.TTL)
	if err != nil {
		return err
	}
	fmt.Println(made)
	return nil
}
