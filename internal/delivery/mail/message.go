// Package mail asks people for reviews by mail: it writes the mails by templates, and sends them by
// SMTP or puts them into a folder.
package mail

import (
	"bytes"
	"cmp"
	"errors"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"product-comments/store/orders/contact"
)

// Message is what a mail says.
type Message struct {
	// ID names the mail, in at most 64 ASCII letters and digits. The same message has the same ID, and
	// then the same Message-ID and the same bytes, but for the date.
	ID       string
	Reminder bool // the second mail about an order
	To       Address
	Language string // BCP 47
	Products []Product
	OptOut   string // the address of the page that ends such mails; it also takes the POST of RFC 8058
	Order    string // as the shop calls it
}

// Address is a person's address, and their name if it is known.
type Address struct{ Email, Name string }

// Product is a product to write about.
type Product struct {
	Name, Image string
	Write       string // the address of the page to write on
}

// Rate returns the address of the page to write on, with a rating chosen.
func (p Product) Rate(rating int) string { return p.Write + "?rating=" + strconv.Itoa(rating) }

// Shown returns the address of the picture, "" if a reader of mail must not fetch it.
func (p Product) Shown() string {
	if fetchable(p.Image) {
		return p.Image
	}
	return ""
}

const (
	maxAddress = 900 // bytes of an address in a header: its line must not be longer than 998 (RFC 5322)
	maxName    = 200 // characters
)

// fetchable reports whether an address is one that others on the way cannot read or change: https, or
// on this machine.
func fetchable(address string) bool {
	u, err := url.Parse(address)
	ascii := !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= unicode.MaxASCII || r == '<' || r == '>' })
	return err == nil && ascii && len(address) <= maxAddress && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

var (
	ids = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)
	// linked is what readers of mail make links of. People name themselves in shops, so a name with
	// one would let strangers advertise by the shop's mails.
	linked = regexp.MustCompile(`(?i)://|@|[\pL\pN]\.\pL{2}`)
)

// plain returns a text of others as a short line without characters that cannot be seen.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	words := []rune(strings.Join(strings.Fields(text), " "))
	return strings.TrimSpace(string(words[:min(len(words), maxName)]))
}

// checked returns a message with its texts plain and its address in the one spelling.
func (m Message) checked() (*Message, error) {
	var err error
	if m.To.Email, err = contact.Address("to", m.To.Email); err != nil {
		return nil, err
	}
	if m.To.Name = plain(m.To.Name); linked.MatchString(m.To.Name) {
		m.To.Name = ""
	}
	m.Order = plain(m.Order)
	usable := fetchable(m.OptOut)
	products := make([]Product, len(m.Products))
	for i, p := range m.Products {
		p.Name = plain(p.Name)
		products[i], usable = p, usable && fetchable(p.Write)
	}
	m.Products = products
	switch {
	case !ids.MatchString(m.ID):
		return nil, errors.New("the id of a mail has letters and digits alone, at most 64")
	case len(products) == 0:
		return nil, errors.New("the mail is about no product")
	case !usable:
		return nil, errors.New("links in mails begin with https, or are on this machine: give --reviews-address so")
	}
	return &m, nil
}

// Writer writes mails of a shop. It is safe for concurrent use.
type Writer struct {
	from, replyTo *mail.Address
	domain        string // of from
	shop, agent   string
	templates     *Templates
}

// NewWriter returns a writer of mails from an address such as "Shop <reviews@shop.example>". Answers
// go to replyTo, or to from if it is empty. The shop's name is that of from unless given, and agent is
// the header User-Agent.
func NewWriter(from, replyTo, shop, agent string, templates *Templates) (w *Writer, err error) {
	w = &Writer{agent: agent, templates: templates}
	if w.from, err = sender("from", from); err != nil {
		return nil, err
	}
	if w.replyTo, err = sender("reply-to", cmp.Or(replyTo, from)); err != nil {
		return nil, err
	}
	_, w.domain, _ = strings.Cut(w.from.Address, "@")
	w.shop = cmp.Or(plain(shop), w.from.Name, w.domain)
	return w, nil
}

// sender returns the address of a shop, with or without a name.
func sender(field, text string) (*mail.Address, error) {
	a, err := mail.ParseAddress(text)
	if err != nil {
		a = &mail.Address{Address: text} // whose fault is found
	}
	a.Name = plain(a.Name)
	a.Address, err = contact.Address(field, a.Address)
	return a, err
}

// Write returns a message as RFC 5322 has it.
func (w *Writer) Write(m *Message, at time.Time) ([]byte, error) {
	_, text, err := w.write(m, at)
	return text, err
}

// write also returns the address in its one spelling.
func (w *Writer) write(m *Message, at time.Time) (to string, written []byte, err error) {
	m, err = m.checked()
	if err != nil {
		return "", nil, err
	}
	subject, text, html, err := w.templates.render(w.shop, m)
	if err != nil {
		return "", nil, err
	}
	msg := gomail.NewMsg(gomail.WithBoundary("part" + m.ID))
	msg.FromMailAddress(w.from)
	msg.ReplyToMailAddress(w.replyTo)
	msg.ToMailAddress(&mail.Address{Name: m.To.Name, Address: m.To.Email})
	msg.Subject(subject)
	msg.SetDateWithValue(at.UTC())
	msg.SetMessageIDWithValue(m.ID + "@" + w.domain)
	msg.SetGenHeader(gomail.HeaderUserAgent, w.agent)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no answers of absent people
	msg.SetGenHeader("List-Unsubscribe", "<"+m.OptOut+">")
	msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	msg.SetBodyString(gomail.TypeTextPlain, text)
	msg.AddAlternativeString(gomail.TypeTextHTML, html)
	var b bytes.Buffer
	_, err = msg.WriteTo(&b)
	return m.To.Email, b.Bytes(), err
}
