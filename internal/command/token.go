package command

import (
	"errors"
	"fmt"
	"time"

	"product-comments/access"
	"product-comments/internal/auth"
)

type token struct {
	storeFlags
	authFlags
	Subject string        `help:"Who it is for: what comments are kept under, such as the shop's own id of a customer." required:"" placeholder:"NAME"`
	Role    string        `help:"What they may do: author (write, and change and delete what is theirs), moderator (change and delete any comment, decide which are shown, see people and orders), service (a program of the shop: tell of orders, create as an import does)." enum:"author,moderator,service" default:"author"`
	TTL     time.Duration `name:"ttl" help:"How long it is valid." default:"24h"`
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
		return errors.New("there is no secret to sign a token with: --auth-secret-file or " + authSecretEnv + " gives one to servers and to this command; tokens of --auth-jwks-url come from its issuer")
	}
	made, err := c.Make(viewer, t.TTL)
	if err != nil {
		return err
	}
	fmt.Println(made)
	return nil
}
