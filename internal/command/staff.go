package command

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"product-comments/access"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/signin"
	"product-comments/store/key/sealed"
)

const staffSecretEnv = "STAFF_OIDC_CLIENT_SECRET"

// staffFlags configure the desk of the staff.
type staffFlags struct {
	Staff            string `help:"on serves the desk of the staff at /staff; off does not. The default is on with --staff-oidc-issuer, and for the embedded engine on a loopback address, where the log has a link that signs in." enum:",on,off" default:"" env:"STAFF" placeholder:"on|off"`
	StaffIssuer      string `name:"staff-oidc-issuer" help:"The OpenID Connect provider that signs the staff in: its issuer, such as https://login.shop.example/. --auth-role-claim and --auth-roles say which claim of its ID tokens gives a role. Requires --staff-oidc-client-id and --reviews-address, whose path /staff/callback the provider must allow." env:"STAFF_OIDC_ISSUER" placeholder:"ISSUER"`
	StaffClientID    string `name:"staff-oidc-client-id" help:"The id of this service at the provider." env:"STAFF_OIDC_CLIENT_ID" placeholder:"ID"`
	StaffClientsFile string `name:"staff-oidc-client-secret-file" help:"File with the secret of this service at the provider. The environment variable ${staff_secret_env} may hold it instead. Without one, it is a public client." env:"STAFF_OIDC_CLIENT_SECRET_FILE" type:"path" placeholder:"FILE"`
}

// staff returns how the staff signs in; nil without a desk.
func (s *serveCmd) staff(roles auth.Roles) (*signin.Options, error) {
	here := s.onThisMachine() && onLoopback(s.Addr)
	switch {
	case s.StaffIssuer == "" && (s.StaffClientID != "" || s.StaffClientsFile != ""):
		return nil, errors.New("--staff-oidc-client-id and --staff-oidc-client-secret-file have no effect without --staff-oidc-issuer: name the provider")
	case s.Staff == "off", s.Staff == "" && s.StaffIssuer == "" && !here:
		return nil, nil
	case s.StaffIssuer == "" && !here:
		return nil, errors.New("--staff=on needs a sign-in, since others can reach this address or the engine is not the embedded one: configure --staff-oidc-issuer, --staff-oidc-client-id and --reviews-address")
	case s.StaffIssuer == "":
		return &signin.Options{}, nil
	case s.StaffClientID == "":
		return nil, errors.New("--staff-oidc-issuer requires --staff-oidc-client-id: the id of this service at the provider")
	}
	if _, err := auth.FromURL(s.StaffIssuer); err != nil {
		return nil, fmt.Errorf("--staff-oidc-issuer: %w", err)
	}
	if err := s.linkFlags.check(); err != nil {
		return nil, err
	}
	at, _ := url.Parse(s.ReviewsAddress) // it was checked
	if at.Scheme != "https" && !isLoopback(s.ReviewsAddress) && !(here && s.ReviewsAddress == "") {
		return nil, fmt.Errorf("--staff-oidc-issuer requires an https --reviews-address, to which the provider leads people back; it is %q", s.ReviewsAddress)
	}
	secret, err := passwordOf("--staff-oidc-client-secret-file", s.StaffClientsFile, staffSecretEnv)
	return &signin.Options{Address: s.ReviewsAddress,
		Provider: &signin.Provider{Issuer: s.StaffIssuer, ClientID: s.StaffClientID, Secret: secret, Roles: roles}}, err
}

// owner is the person whom a link signs in by default: the owner of the machine may do what moderators and
// the shop's programs may.
const owner = "staff"

// linkFor returns the address of a link that signs in to the server at an address.
func linkFor(addr string, keys *sealed.Set, subject, role string) string {
	return "http://" + addr + signin.Link(keys, signin.Person{Subject: subject, Name: subject, Role: role}, time.Now())
}

// staffAt completes the options of a server that listens; on Lambda, addr is nil. It returns a link that
// signs its owner in; empty if people sign in otherwise.
func staffAt(o *signin.Options, addr net.Addr, keys *sealed.Set) (link string) {
	if o == nil {
		return ""
	}
	o.Keys = keys
	if o.Address == "" {
		o.Address = "http://" + addr.String() // others need an address
	}
	if o.Provider == nil {
		link = linkFor(addr.String(), keys, owner, access.Service.String())
	}
	return link
}

type staffCmd struct {
	Link staffLink `cmd:"" help:"Print a link that signs in to the desk of the server with these --addr and --data-dir, once, within ten minutes."`
}

type staffLink struct {
	storeFlags
	keyFlags
	Addr    string `help:"Address of the server." default:"127.0.0.1:8080" env:"ADDR"`
	Subject string `help:"The person who signs in, as decisions name them." default:"${staff_owner}" placeholder:"NAME"`
	Role    string `help:"What the person may do: moderator, or service for what the shop's programs may do, too." enum:"moderator,service" default:"service"`
}

// Run prints the link. It does not open the store, which a server may be using.
func (l *staffLink) Run() error {
	if !l.onThisMachine() {
		return errors.New("links sign in to servers of the embedded engine alone: configure --staff-oidc-issuer, with which people sign in elsewhere")
	}
	if err := auth.CheckSubject(l.Subject); err != nil {
		return fmt.Errorf("--subject: %w", err)
	}
	made := l.made(&l.storeFlags)
	if _, err := os.Stat(made); err != nil {
		made = "" // a server makes it: it would not accept a link with other keys
	}
	secrets, err := cursorKey.find(l.CursorKeysFile, made)
	if err == nil && secrets == nil {
		err = fmt.Errorf("no server has data in %s: give the --data-dir of the server", l.DataDir)
	}
	if err != nil {
		return err
	}
	keys, err := sealed.NewSet(secrets...)
	if err == nil {
		fmt.Println(linkFor(l.Addr, keys, l.Subject, l.Role))
	}
	return err
}
