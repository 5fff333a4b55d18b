package outbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/oklog/ulid/v2"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Limits of endpoints.
const (
	MaxEndpoints = 20
	MaxURL       = 1000 // bytes
	MaxProducts  = 100  // of an endpoint
	secretSize   = 32   // bytes; Standard Webhooks asks for 24 to 64
	maxSecrets   = 3    // of an endpoint
	// MaxOverlap bounds how long two secrets of an endpoint sign.
	MaxOverlap = 30 * 24 * time.Hour
)

// Endpoint is an address of another system that gets events.
type Endpoint struct {
	ID       string    `json:"-"`
	URL      string    `json:"url"`
	Types    []Type    `json:"types"`             // never empty
	Products []string  `json:"products,omitzero"` // empty for all
	Created  time.Time `json:"created"`
	// Disabled says why the endpoint gets no events; empty if it does.
	Disabled string   `json:"disabled,omitzero"`
	Secrets  []Secret `json:"secrets"` // the newest first
	// Begun counts how often its progress was set to another place.
	Begun int `json:"begun,omitzero"`
}

// Secret is a secret that signs an endpoint's events.
type Secret struct {
	Sealed []byte    `json:"sealed"`
	Until  time.Time `json:"until,omitzero"` // when it stops signing; zero for never
}

// attrEndpoint is the attribute of an endpoint's item with its JSON, S.
const attrEndpoint = "endpoint"

// wants reports whether the endpoint gets events of a type about a product.
func (p *Endpoint) wants(t Type, product string) bool {
	return p.Disabled == "" && slices.Contains(p.Types, t) && (len(p.Products) == 0 || slices.Contains(p.Products, product))
}

// Wants reports whether the endpoint gets an event.
func (p *Endpoint) Wants(e *Event) bool {
	if e.To != "" {
		return e.To == p.ID
	}
	if e.Order != "" { // which has several products
		return len(p.Products) == 0 && p.wants(e.Type, "")
	}
	return e.Comment != nil && p.wants(e.Type, e.Comment.ProductID)
}

// Endpoints reads all endpoints, the oldest first.
func (o *Outbox) Endpoints(ctx context.Context) (all []Endpoint, err error) {
	err = o.t.Each(ctx, key.Partition{Index: key.Table, Value: key.Endpoints}, func(it table.Item) error {
		p := Endpoint{ID: table.Text(it, key.SK)}
		if err := json.Unmarshal([]byte(table.Text(it, attrEndpoint)), &p); err != nil {
			return table.Damaged(it, err)
		}
		all = append(all, p)
		return nil
	})
	return all, err
}

// at returns the endpoints as of a revision of the settings, or newer ones.
func (o *Outbox) at(ctx context.Context, revision int) ([]Endpoint, error) {
	o.mu.Lock()
	known, all := o.revision, o.endpoints
	o.mu.Unlock()
	if known == revision {
		return all, nil
	}
	all, err := o.Endpoints(ctx)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.revision, o.endpoints = revision, all
	return all, nil
}

// Current returns the endpoints, which may be as old as cached settings.
func (o *Outbox) Current(ctx context.Context) ([]Endpoint, error) {
	now, err := o.settings.Recent(ctx)
	if err != nil || now.Endpoints == 0 {
		return nil, err
	}
	return o.at(ctx, now.Endpoints)
}

// Endpoint returns an endpoint. The error is NotFound if there is none with the id.
func (o *Outbox) Endpoint(ctx context.Context, id string) (Endpoint, error) {
	all, err := o.Endpoints(ctx)
	if err != nil {
		return Endpoint{}, err
	}
	return pick(all, id)
}

func pick(all []Endpoint, id string) (Endpoint, error) {
	if i := slices.IndexFunc(all, func(p Endpoint) bool { return p.ID == id }); i >= 0 {
		return all[i], nil
	}
	return Endpoint{}, errs.Errorf(errs.NotFound, "There is no webhook endpoint %s", item.Printable(id))
}

// change changes the endpoints. decide gets all of them and returns the writes. The settings count
// the changes, so that every projector knows the endpoints before it projects a later change of a
// comment.
func (o *Outbox) change(ctx context.Context, decide func(all []Endpoint) ([]table.Write, error)) error {
	_, err := o.settings.ChangeWith(ctx, func(now *settings.Settings) ([]table.Write, bool, error) {
		all, err := o.Endpoints(ctx)
		if err != nil {
			return nil, false, err
		}
		now.Endpoints++
		writes, err := decide(all)
		return writes, err == nil, err
	})
	if err == nil {
		o.Appended()
	}
	return err
}

// edit changes one endpoint.
func (o *Outbox) edit(ctx context.Context, id string, edit func(*Endpoint) error) (p Endpoint, err error) {
	err = o.change(ctx, func(all []Endpoint) ([]table.Write, error) {
		if p, err = pick(all, id); err != nil {
			return nil, err
		}
		if err := edit(&p); err != nil {
			return nil, err
		}
		return []table.Write{p.put()}, nil
	})
	return p, err
}

// put returns the write of the endpoint's item, with each type and product once.
func (p *Endpoint) put() table.Write {
	p.Types = slices.DeleteFunc(slices.Clone(Types), func(t Type) bool { return !slices.Contains(p.Types, t) })
	p.Products = slices.Compact(slices.Sorted(slices.Values(p.Products)))
	text, err := json.Marshal(p)
	if err != nil { // texts and times of the store are valid
		panic(err)
	}
	it := table.KeyOf(key.Endpoints, p.ID)
	it[attrEndpoint] = table.S(string(text))
	return table.Write{Put: it}
}

// Create creates an endpoint, and returns it with its secret. Its URL, types and products are given.
// The error is BadUserInput for an invalid field, and Conflict if there are MaxEndpoints.
func (o *Outbox) Create(ctx context.Context, p Endpoint) (Endpoint, string, error) {
	if err := o.Problems(Change{URL: &p.URL, Types: append([]Type{}, p.Types...), Products: &p.Products}); err != nil {
		return p, "", err
	}
	p.ID, p.Created = ulid.MustNew(ulid.Timestamp(o.t.Now()), o.t.Random()).String(), o.t.Now().UTC()
	secret, sealed, err := o.newSecret(p.ID)
	if err != nil {
		return p, "", err
	}
	p.Secrets = []Secret{{Sealed: sealed}}
	// Events before now are not for the endpoint.
	heads, err := o.Heads(ctx)
	if err != nil {
		return p, "", err
	}
	err = o.change(ctx, func(all []Endpoint) ([]table.Write, error) {
		others := slices.DeleteFunc(all, func(a Endpoint) bool { return a.ID == p.ID }) // it exists after a lost answer
		if len(others) >= MaxEndpoints {
			return nil, errs.Errorf(errs.Conflict, "There are %d webhook endpoints already, the limit: delete one first", MaxEndpoints)
		}
		return []table.Write{p.put(), o.begin(p.ID, heads)}, nil
	})
	return p, secret, err
}

// Change is a change of an endpoint; nil members stay.
type Change struct {
	URL      *string
	Types    []Type
	Products *[]string
	Enabled  *bool
}

// Update changes an endpoint. If it enables the endpoint, that gets the events from then on. The
// error is NotFound, or BadUserInput for an invalid field.
func (o *Outbox) Update(ctx context.Context, id string, c Change) (p Endpoint, err error) {
	if err := o.Problems(c); err != nil {
		return p, err
	}
	heads, err := o.Heads(ctx)
	if err != nil {
		return p, err
	}
	err = o.change(ctx, func(all []Endpoint) ([]table.Write, error) {
		if p, err = pick(all, id); err != nil {
			return nil, err
		}
		enable := c.Enabled != nil && *c.Enabled && p.Disabled != ""
		moves := c.URL != nil && *c.URL != p.URL
		if c.URL != nil {
			p.URL = *c.URL
		}
		if c.Types != nil {
			p.Types = c.Types
		}
		if c.Products != nil {
			p.Products = *c.Products
		}
		if c.Enabled != nil && !*c.Enabled {
			p.Disabled = cmp.Or(p.Disabled, "an operator disabled it")
		}
		switch {
		case enable:
			p.Disabled, p.Begun = "", p.Begun+1
			return []table.Write{p.put(), o.begin(id, heads)}, nil
		case moves: // what the earlier address answered does not hold for this one
			return o.resume(ctx, &p, func(at *Progress) {
				at.recover()
				for i := range at.Retries {
					at.Retries[i].Due = o.t.Now().UTC()
				}
			})
		}
		return []table.Write{p.put()}, nil
	})
	return p, err
}

// disable disables an endpoint for a reason, unless its progress was set to another place
// in the meantime, as by another address.
func (o *Outbox) disable(ctx context.Context, of *Endpoint, why string) (disabled bool, err error) {
	_, err = o.edit(ctx, of.ID, func(p *Endpoint) error {
		if disabled = p.Begun == of.Begun; disabled {
			p.Disabled = cmp.Or(p.Disabled, why)
		}
		return nil
	})
	return disabled, err
}

// Rotate gives an endpoint a new secret. Its other secrets sign for the overlap as well.
func (o *Outbox) Rotate(ctx context.Context, id string, overlap time.Duration) (p Endpoint, secret string, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return p, "", errs.Invalid("overlap", "it is %s: give a time from 0 to %d days", overlap, MaxOverlap/(24*time.Hour)).For(errs.OutOfRange)
	}
	secret, sealed, err := o.newSecret(id)
	if err != nil {
		return p, "", err
	}
	p, err = o.edit(ctx, id, func(p *Endpoint) error {
		now, until := o.t.Now(), o.t.Now().Add(overlap).UTC()
		rotated := []Secret{{Sealed: sealed}}
		for _, s := range p.Secrets {
			if slices.Equal(s.Sealed, sealed) { // the answer of the first try was lost
				return nil
			}
			if s.Until.IsZero() || s.Until.After(until) {
				s.Until = until
			}
			if s.Until.After(now) && len(rotated) < maxSecrets {
				rotated = append(rotated, s)
			}
		}
		p.Secrets = rotated
		return nil
	})
	return p, secret, err
}

// Delete deletes an endpoint with its progress, and returns it. Its failures expire by themselves.
func (o *Outbox) Delete(ctx context.Context, id string) (p Endpoint, err error) {
	err = o.change(ctx, func(all []Endpoint) ([]table.Write, error) {
		p, err = pick(all, id)
		return []table.Write{{Key: table.KeyOf(key.Endpoints, id), Delete: true}, {Key: progressKey(id), Delete: true}}, err
	})
	return p, err
}

// secretPrefix begins a secret as Standard Webhooks writes it.
const secretPrefix = "whsec_"

// newSecret makes a secret, and seals it for an endpoint.
func (o *Outbox) newSecret(id string) (secret string, sealed []byte, err error) {
	if o.keys == nil {
		return "", nil, errs.Errorf(errs.Internal, "no key seals the secrets of webhook endpoints")
	}
	raw := make([]byte, secretSize)
	_, _ = rand.Read(raw) // never fails
	sealed, err = o.keys.Seal(raw, []byte(id))
	return secretPrefix + base64.StdEncoding.EncodeToString(raw), sealed, err
}

// Open returns the secrets that sign an endpoint's events at a time, the newest first.
func (o *Outbox) Open(p *Endpoint, now time.Time) (secrets [][]byte, err error) {
	if o.keys == nil {
		return nil, errs.Errorf(errs.Internal, "no key opens the secrets of webhook endpoints")
	}
	for _, s := range p.Secrets {
		if !s.Until.IsZero() && !s.Until.After(now) {
			continue
		}
		raw, err := o.keys.Open(s.Sealed, []byte(p.ID))
		if err != nil {
			return nil, errs.Wrap(errs.Internal, err, "a secret of webhook endpoint %s cannot be read: rotate it", p.ID)
		}
		secrets = append(secrets, raw)
	}
	return secrets, nil
}

// validPort reports whether an address may have a port; "" is none.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// Problems returns an error for each invalid field of a change.
func (o *Outbox) Problems(c Change) error {
	var problems []error
	if c.URL != nil {
		u, err := url.Parse(*c.URL)
		switch {
		case len(*c.URL) > MaxURL:
			problems = append(problems, errs.Invalid("url", "it has %d bytes, the limit is %d", len(*c.URL), MaxURL).For(errs.TooLong).Past(len(*c.URL), MaxURL))
		case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.Contains(*c.URL, "#") || item.Printable(*c.URL) != *c.URL || !validPort(u.Port()):
			problems = append(problems, errs.Invalid("url", "it is not an address such as https://shop.example/hooks, without a user and a fragment"))
		case u.Scheme == "http" && !o.private:
			problems = append(problems, errs.Invalid("url", "it is not encrypted: give an https address, or allow http addresses with --webhook-private-addresses"))
		}
	}
	if c.Types != nil && len(c.Types) == 0 {
		problems = append(problems, errs.Invalid("events", "it is empty: name at least one event").For(errs.Required))
	}
	for _, t := range c.Types {
		if !slices.Contains(Types, t) {
			problems = append(problems, errs.Invalid("events", "%s is not an event", item.Printable(string(t))))
		}
	}
	if c.Products != nil && len(*c.Products) > MaxProducts {
		problems = append(problems, errs.Invalid("productIds", "it has %d products, the limit is %d", len(*c.Products), MaxProducts).For(errs.TooMany).Past(len(*c.Products), MaxProducts))
	} else if c.Products != nil {
		for _, id := range *c.Products {
			problems = append(problems, item.ValidateProductID("productIds", id))
		}
	}
	return errs.Join(problems...)
}
