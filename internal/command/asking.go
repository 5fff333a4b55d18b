package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for --request-zone where the system has no zones, such as in images

	"product-comments/internal/delivery/links"
	"product-comments/internal/delivery/mail"
	"product-comments/internal/delivery/webhook"
	"product-comments/internal/site/reviews"
	"product-comments/store/errs"
	"product-comments/store/key/invitations"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
)

const smtpPasswordEnv = "SMTP_PASSWORD"

// linkFlags are where links of messages and sections lead, and what products are called.
type linkFlags struct {
	ReviewsAddress string `help:"Where clients reach this server, such as https://reviews.shop.example, for fragments in pages of other servers, and for links in mails. The default is links without a host, for a proxy that serves both." env:"REVIEWS_ADDRESS" placeholder:"URL"`
	Catalogue      string `help:"A file of products for search engines and mails, an object a line: productId, name, and optionally url, image, sku, gtin, mpn, brand and family, the id of a family that the server then defines. It is read again when it changes." type:"path" env:"CATALOGUE" placeholder:"FILE"`
}

// requestFlags configure how buyers are asked for reviews.
type requestFlags struct {
	RequestAfter     *period   `help:"Ask buyers for reviews this long after the delivery of an order that was recorded with a contact: 14d, 36h; 0 never asks. The default is 0, with --demo 14d." env:"REQUEST_AFTER" placeholder:"TIME"`
	RequestReminder  period    `help:"Ask once more, this long after the first mail, if no review came; 0 never does." default:"7d" env:"REQUEST_REMINDER" placeholder:"TIME"`
	RequestHours     hours     `help:"The hours of the day in which mails leave: from the first to before the second; 0-24 is always." default:"9-20" env:"REQUEST_HOURS" placeholder:"FROM-TO"`
	RequestZone      zone      `help:"The time zone of these hours, such as Europe/Berlin." default:"UTC" env:"REQUEST_ZONE" placeholder:"ZONE"`
	SMTPURL          string    `name:"smtp-url" help:"The mail server: smtps://user@mail.example:465, smtp://user@mail.example:587 with STARTTLS, or smtp://localhost:25 without encryption. Without it, the webhook request.due is the only message." env:"SMTP_URL" placeholder:"URL"`
	SMTPPasswordFile string    `name:"smtp-password-file" help:"File with the password of the mail server's user. The environment variable ${smtp_password_env} may hold it instead." env:"SMTP_PASSWORD_FILE" type:"path" placeholder:"FILE"`
	MailFrom         string    `help:"The sender of mails, with the shop's name: Shop <reviews@shop.example>." env:"MAIL_FROM" placeholder:"ADDRESS"`
	MailReplyTo      string    `help:"Where answers to mails go. The default is --mail-from." env:"MAIL_REPLY_TO" placeholder:"ADDRESS"`
	MailRate         mail.Rate `help:"How many mails leave at most: 5/s, 300/m, 1000/h." default:"5/s" env:"MAIL_RATE" placeholder:"RATE"`
	MailTemplates    string    `help:"A folder with files that replace templates and sentences of mails by their names; docs/orders.md describes them." env:"MAIL_TEMPLATES" type:"path" placeholder:"DIR"`
}

// period is a time.Duration that may be given in days.
type period time.Duration

// UnmarshalText reads a time such as 14d, 36h or 1s.
func (p *period) UnmarshalText(text []byte) error {
	days, inDays := strings.CutSuffix(string(text), "d")
	n, err := strconv.ParseUint(days, 10, 10)
	if inDays && err == nil {
		*p = period(n) * period(24*time.Hour)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return errors.New("it is no time: give one such as 14d, 36h or 0")
	}
	*p = period(d)
	return nil
}

// hours are hours of the day.
type hours requests.Hours

// UnmarshalText reads hours such as 9-20.
func (h *hours) UnmarshalText(text []byte) error {
	if n, err := fmt.Sscanf(string(text), "%d-%d", &h.From, &h.To); n != 2 || err != nil || h.From < 0 || h.From >= h.To || h.To > 24 || fmt.Sprintf("%d-%d", h.From, h.To) != string(text) {
		return errors.New("they are no hours: give two from 0 to 24 such as 9-20")
	}
	return nil
}

// zone is a time zone.
type zone struct{ *time.Location }

// UnmarshalText reads the name of a zone.
func (z *zone) UnmarshalText(text []byte) (err error) {
	if z.Location, err = time.LoadLocation(string(text)); err != nil {
		return errors.New("it is no time zone: give one such as Europe/Berlin")
	}
	return nil
}

// asking asks buyers for reviews.
type asking struct {
	*requests.Sender
	links  links.Links
	mails  *mail.Writer // nil if no mail is sent
	asks   bool         // whether buyers are asked at all
	sender *mail.Sender // nil without a mail server
	names  *reviews.Catalogue
}

// close closes the connection to the mail server.
func (a *asking) close() {
	if a.sender != nil {
		a.sender.Close()
	}
}

// demoFrom is the sender of the demo's mails, which go to a folder.
const demoFrom = "Fernweh <reviews@fernweh.example>"

// mailFolder is the folder of the demo's mails in the data directory.
const mailFolder = "outbox"

// asking returns what asks buyers; it must be closed. folder, unless empty, gets the mails that no
// server takes.
func (f *requestFlags) asking(opened *openStore, invited *invitations.Codec, at linkFlags, products *reviews.Catalogue, folder string, log *slog.Logger) (a *asking, err error) {
	a = &asking{links: links.Links{Invitations: invited, Address: at.ReviewsAddress}, names: products}
	policy := requests.Policy{Reminder: time.Duration(f.RequestReminder), Hours: requests.Hours(f.RequestHours), Zone: f.RequestZone.Location}
	if f.RequestAfter != nil {
		policy.After = time.Duration(*f.RequestAfter)
	}
	a.asks = policy.After > 0
	if a.asks && at.ReviewsAddress == "" {
		return nil, errors.New("--request-after needs --reviews-address: links in mails begin with it")
	}
	if f.SMTPURL != "" && f.MailFrom == "" {
		return nil, errors.New("--smtp-url needs --mail-from: the sender of the mails")
	}
	if f.MailFrom == "" && folder != "" {
		f.MailFrom = demoFrom
	}
	var post interface {
		Send(context.Context, *mail.Message) error
	}
	if f.MailFrom != "" {
		templates, err := mail.LoadTemplates(f.MailTemplates)
		if err != nil {
			return nil, fmt.Errorf("--mail-templates: %w", err)
		}
		if a.mails, err = mail.NewWriter(f.MailFrom, f.MailReplyTo, "", agent(), templates); err != nil {
			return nil, fmt.Errorf("--mail-from: %w", err)
		}
	}
	switch {
	case f.SMTPURL != "":
		password, err := f.password()
		if err != nil {
			return nil, err
		}
		if a.sender, err = mail.New(mail.Options{Writer: a.mails, URL: f.SMTPURL, Password: password, Rate: f.MailRate}); err != nil {
			return nil, fmt.Errorf("--smtp-url: %w", err)
		}
		post = a.sender
	case folder != "":
		post = &mail.Folder{Writer: a.mails, Dir: folder}
	}
	var send func(context.Context, *requests.Asking) error
	if post != nil {
		send = func(ctx context.Context, of *requests.Asking) error {
			m, err := a.message(of)
			if err != nil {
				return err
			}
			return post.Send(ctx, m)
		}
	}
	a.Sender = opened.RequestSender(policy, send, log)
	return a, nil
}

// askingBy is asking for a process without pages. Without secrets, no buyer is asked.
func (f *requestFlags) askingBy(opened *openStore, secrets [][]byte, at linkFlags, log *slog.Logger) (*asking, error) {
	if secrets == nil {
		return &asking{}, nil
	}
	invited, err := invitations.New(secrets...)
	if err != nil {
		return nil, err
	}
	if err := at.check(); err != nil {
		return nil, err
	}
	products, err := at.catalogue()
	if err != nil {
		return nil, err
	}
	return f.asking(opened, invited, at, products, "", log)
}

// password returns the password of the mail server, "" for none.
func (f *requestFlags) password() (string, error) {
	return passwordOf("--smtp-password-file", f.SMTPPasswordFile, smtpPasswordEnv)
}

// passwordOf returns the password in the file of a flag, else in an environment variable; "" for none.
func passwordOf(flag, file, env string) (string, error) {
	if file == "" {
		return os.Getenv(env), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if password == "" {
		return "", fmt.Errorf("%s: %s is empty: write the secret to it, or remove the flag if there is none", flag, file)
	}
	return password, nil
}

// message returns the mail of a message. Products that the catalogue lacks have their ids as names.
func (a *asking) message(of *requests.Asking) (*mail.Message, error) {
	pages, optOut, err := a.links.Of(of)
	if err != nil {
		return nil, err
	}
	m := &mail.Message{ID: of.ID, Reminder: of.Reminder, To: mail.Address{Email: of.To.Email, Name: of.To.Name},
		Language: of.To.Language, OptOut: optOut, Order: of.OrderID}
	for _, p := range pages {
		one := mail.Product{Name: p.ProductID, Write: p.URL}
		if a.names != nil {
			if e := a.names.Entry(p.ProductID); e != nil {
				one.Name, one.Image = e.Name, e.Image
			}
		}
		m.Products = append(m.Products, one)
	}
	return m, nil
}

// about returns what an event says about a request; see webhook.Sender.
func (a *asking) about(opened *openStore) func(context.Context, *outbox.Event) (*webhook.Request, error) {
	return func(ctx context.Context, e *outbox.Event) (*webhook.Request, error) {
		q, err := opened.Requests().Get(ctx, e.Order)
		if err != nil {
			return nil, err
		}
		var of *requests.Asking
		if q != nil && q.Live() && e.Type == outbox.RequestDue {
			if of, err = a.Message(ctx, e.Order, e.Reminder); errs.CodeOf(err) == errs.Conflict {
				of, err = nil, nil // it ended meanwhile
			}
			if err != nil {
				return nil, err
			}
		}
		return webhook.About(e, q, of, &a.links)
	}
}

// folderOf returns the folder of the demo's mails.
func (f *storeFlags) mailFolder() string { return filepath.Join(f.DataDir, mailFolder) }
