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
	"product-comments/internal/server/auth"
	"product-comments/internal/server/secrets"
	"product-comments/internal/site/demo"
	"product-comments/store"
)

const authSecretEnv = "AUTH_SECRET"

// tokenSecret is the file of the secret that servers of the embedded engine create for tokens.
const tokenSecret = "auth.key"

var authSecret = secret{"auth secret", authSecretEnv, "--auth-secret-file"}

// secret describes a secret that a file or an environment variable provides, for messages.
type secret struct{ what, env, flag string }

// find returns the secrets of the environment variable or of the file, else the secret of the file
// made, which it creates if necessary. It returns nil if made is empty as well.
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

// need is find for a server that cannot do without the secret; without says so if there is none.
func (s secret) need(file, made, without string) ([][]byte, error) {
	found, err := s.find(file, made)
	if err == nil && found == nil {
		err = fmt.Errorf("%s: set %s or %s to a secret that all servers share; 'openssl rand -base64 32' makes one",
			without, s.env, s.flag)
	}
	return found, err
}

// authFlags configure which tokens are accepted. docs/security.md explains them.
type authFlags struct {
	JWKSURL    string            `name:"auth-jwks-url" help:"URL (https) of the JSON Web Key Set that verifies tokens. Requires --auth-issuer and --auth-audience." env:"AUTH_JWKS_URL" placeholder:"URL"`
	JWKSFile   string            `name:"auth-jwks-file" help:"File with the keys that verify tokens, a JSON Web Key Set, which is read again every ten minutes." env:"AUTH_JWKS_FILE" type:"path" placeholder:"FILE"`
	SecretFile string            `name:"auth-secret-file" help:"File with the secrets that sign tokens (HS256): base64, at least 32 bytes each, the first signs, all verify. The environment variable ${auth_secret_env} may hold them instead. The embedded engine makes one in the data directory if no keys are given." env:"AUTH_SECRET_FILE" type:"path" placeholder:"FILE"`
	Issuer     string            `name:"auth-issuer" help:"The issuer that tokens must name (iss)." env:"AUTH_ISSUER" placeholder:"ISSUER"`
	Audience   []string          `name:"auth-audience" help:"Accepted audiences of tokens (aud, or client_id in tokens without aud), comma-separated." env:"AUTH_AUDIENCE" placeholder:"AUDIENCE"`
	RoleClaim  string            `name:"auth-role-claim" help:"The claim that gives a role: its name, or a path such as realm_access.roles." default:"role" env:"AUTH_ROLE_CLAIM" placeholder:"CLAIM"`
	Roles      map[string]string `name:"auth-roles" help:"Roles by values of that claim, such as comments-mod=moderator;shop=service. The default is the roles' names: author, moderator, service. All other tokens are an author's." env:"AUTH_ROLES" placeholder:"VALUE=ROLE;…"`
}

// authentication is the configured authentication.
type authentication struct {
	auth.Config
	verifier *auth.Authenticator // nil if no flag configures any
	from     string              // the location of the key set, for operators
}

// Close stops reading the keys.
func (a *authentication) Close() {
	if a.Keys != nil {
		a.Keys.Close()
	}
}

// authentication opens the secrets and keys that the flags name. If the flags name none, it
// creates a secret at the path made, unless made is empty.
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
		return &authentication{Config: c}, nil
	}
	if f.JWKSFile != "" { // a URL may become reachable later; an invalid file stays invalid
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

// config returns the configuration without the published keys.
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
	if !f.unconfigured() {
		made = ""
	}
	c.Secrets, err = authSecret.find(f.SecretFile, made)
	return c, err
}

// unconfigured reports whether flags and environment name no secrets and no keys.
func (f *authFlags) unconfigured() bool {
	return f.SecretFile == "" && os.Getenv(authSecretEnv) == "" && f.JWKSURL == "" && f.JWKSFile == ""
}

// source returns the source of the published keys; nil if none is configured.
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

// ownFile returns the path of a file that servers of the embedded engine create; empty for other
// engines, because their servers may run on several machines.
func (f *storeFlags) ownFile(name string) string {
	if !f.onThisMachine() {
		return ""
	}
	return filepath.Join(f.DataDir, name)
}

// rules returns who may write at an address, and logs restrictions that may surprise an operator. With
// signsIn a provider signs the staff in.
func (a *authentication) rules(addr string, signsIn bool, log *slog.Logger) access.Rules {
	switch {
	case a.verifier != nil:
		log.Info("writes require a token", "from", a.from)
		return access.Rules{Writes: access.ByToken}
	case onLoopback(addr):
		log.Warn("no authentication is configured: everyone who reaches this address can write, also through a proxy; configure --auth-jwks-url, --auth-jwks-file or --auth-secret-file", "addr", addr)
		return access.Rules{Writes: access.ByEveryone}
	case signsIn:
		log.Warn("only the staff can write, at /staff: no authentication of visitors is configured; configure --auth-jwks-url, --auth-jwks-file or --auth-secret-file", "addr", addr)
		return access.Rules{Writes: access.ByToken}
	default:
		log.Warn("writes are disabled: no authentication is configured and other hosts can reach this address; configure --auth-jwks-url, --auth-jwks-file or --auth-secret-file, or listen on 127.0.0.1", "addr", addr)
		return access.Rules{Writes: access.ByNone}
	}
}

// onLoopback reports whether an address can be reached from this machine only. On Lambda it is
// always false, because requests come from elsewhere.
func onLoopback(addr string) bool {
	a, err := net.ResolveTCPAddr("tcp", addr)
	return err == nil && loopback(a) && !onLambda()
}

// demoTokenTime is the lifetime of the demo's tokens.
const demoTokenTime = 30 * 24 * time.Hour

// demoSubjects are the subjects of the demo's tokens.
var demoSubjects = map[access.Role]string{access.Author: demo.Visitor, access.Moderator: demo.Moderator,
	access.Service: "shop"}

// demoTokens makes tokens for the demo's playground, by role, and logs the visitor's token. That
// puts a secret into the log, so tokens are made for a demo on this machine only. Tokens for staff
// have further conditions, which the caller checks.
func (a *authentication) demoTokens(addr string, staff bool, log *slog.Logger) map[access.Role]string {
	if len(a.Secrets) == 0 || !onLoopback(addr) {
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
		log.Info("writes require a token: this one is for the demo only, and the playground sends it",
			"header", "Authorization: Bearer "+token)
	}
	return tokens
}

// demoStaff reports whether the playground may show tokens for staff: the table was empty when the
// demo began, and the signing secret was created for this table, so the tokens are valid for
// nothing else.
func (s *serveCmd) demoStaff(ctx context.Context, st *store.Store, log *slog.Logger) bool {
	if !s.demoAlone() {
		return false
	}
	holds, err := demo.Holds(ctx, st)
	if err != nil {
		log.Warn("the demo's tokens for staff could not be made", "error", err)
	}
	return holds
}

// demoAlone reports whether the server is a demo that only this machine reaches, with a signing secret
// that was created for its table.
func (s *serveCmd) demoAlone() bool {
	return s.Demo && s.ownFile(tokenSecret) != "" && s.unconfigured() && onLoopback(s.Addr)
}

type tokenCmd struct {
	storeFlags
	authFlags
	Subject string        `help:"Subject of the token: the author that comments are stored with, such as the shop's customer id." required:"" placeholder:"NAME"`
	Role    string        `help:"Role of the token: author (write comments, and change and delete their own), moderator (change and delete any comment, decide which are published, view people and orders), service (a program of the shop: record orders, create comments without an author)." enum:"author,moderator,service" default:"author"`
	TTL     time.Duration `name:"ttl" help:"How long the token is valid." default:"24h"`
}

// Run prints a token that servers with the same flags or the same data directory accept.
func (t *tokenCmd) Run() error {
	if t.TTL <= 0 {
		return fmt.Errorf("--ttl is %s: give a time such as 24h", t.TTL)
	}
	role, _ := access.ParseRole(t.Role) // the flag allows no other value
	viewer := access.Viewer{Subject: t.Subject, Role: role}
	if err := auth.CheckSubject(t.Subject); err != nil {
		return fmt.Errorf("--subject: %w", err)
	}
	c, err := t.config(t.ownFile(tokenSecret))
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
