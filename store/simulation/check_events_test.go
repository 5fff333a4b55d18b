package simulation

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	items "product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/outbox"
	"product-comments/store/simulation/double"
)

// leaves is what the model knows of what leaves the table.
type leaves struct {
	endpoints map[string][]endpointMoment // by id, in order
	created   []string                    // their ids, in order
	appended  map[string]*appended        // by id of the event
	failed    map[[2]string]bool          // by endpoint and event
	attempts  map[[2]string]int
	receipts  map[[2]string][]time.Time // when the requests began
	replays   []replaying
}

func newLeaves() leaves {
	return leaves{endpoints: map[string][]endpointMoment{}, appended: map[string]*appended{}, failed: map[[2]string]bool{}, attempts: map[[2]string]int{}, receipts: map[[2]string][]time.Time{}}
}

// endpointMoment is a state of an endpoint, nil for none, with the time at which it began.
type endpointMoment struct {
	at time.Time
	is *outbox.Endpoint
}

// appended is an event in the outbox.
type appended struct {
	id       string
	kind     outbox.Type
	at       time.Time // of the first
	versions []int64   // more than one only if it was appended again
	to       string    // the only endpoint that gets it
	about    string    // id of its comment
	shows    *state    // what it says of it
	product  string
	is, was  item
}

// isFor reports whether an endpoint as it is gets the event.
func (e *appended) isFor(p *outbox.Endpoint) bool {
	switch {
	case p == nil || p.Disabled != "":
		return false
	case e.to != "":
		return e.to == p.ID
	}
	return slices.Contains(p.Types, e.kind) && (len(p.Products) == 0 || slices.Contains(p.Products, e.product))
}

// isEvent reports whether a key is that of an event.
func isEvent(pk, sk string) bool {
	return strings.HasPrefix(pk, "OUTBOX#") && pk != sk && sk != key.Head
}

// left notes a change of an endpoint, an event or a failure; ok is false for other items.
func (m *model) left(by *call, c double.Change, pk, sk string) (ok bool) {
	switch {
	case pk == key.Endpoints:
		now := endpointMoment{at: time.Now()}
		if c.After != nil {
			now.is = &outbox.Endpoint{ID: sk}
			_ = json.Unmarshal([]byte(text(c.After, "endpoint")), now.is)
		}
		if m.endpoints[sk] == nil {
			m.created = append(m.created, sk)
		}
		m.endpoints[sk] = append(m.endpoints[sk], now)
		m.h.journal.add(by.processName(), "  effect", "endpoint %s is %+v", sk, now.is)
	case isEvent(pk, sk):
		if c.After != nil {
			m.appends(by, c, sk)
		}
	case strings.HasPrefix(sk, "FAILED#"):
		at, _ := key.ParseSortKey(strings.TrimPrefix(sk, "FAILED#"))
		m.failed[[2]string{strings.TrimPrefix(pk, "ENDPOINT#"), at.CommentID}] = true
	default:
		return false
	}
	return true
}

// appends notes an event.
func (m *model) appends(by *call, c double.Change, sk string) {
	at, ok := key.ParseSortKey(sk)
	e := &appended{id: at.CommentID, kind: outbox.Type(text(c.After, "type")), at: time.Now(), versions: []int64{at.CreatedAt.UnixMicro()}, to: text(c.After, "to")}
	e.is, e.was = imageIn(c.After, "is"), imageIn(c.After, "was")
	m.h.journal.add(by.processName(), "  effect", "event %s %s, version %d", e.kind, e.id, e.versions[0])
	if was := m.appended[e.id]; was != nil {
		was.versions = append(was.versions, e.versions...)
		if text(c.After, "order") != "" {
			m.announces(by, e, c.After)
		}
		return
	}
	if m.appended[e.id] = e; !ok || len(c.Before) > 0 {
		m.h.fail("events", "", "%s wrote over an event: %s", by, sk)
	}
	if text(c.After, "order") != "" {
		m.announces(by, e, c.After)
		return
	}
	of, ok := m.caused[e.id]
	switch {
	case ok:
		e.about, e.shows = of.mo.id, cmp.Or(of.mo.after, of.mo.before)
		e.product = e.shows.product
	case e.to == "" || by == nil || by.verb != "webhooks":
		m.h.fail("events", "", "%s made %s %s, which no change makes: %s", by, e.kind, e.id, spell(c.After))
	}
}

func imageIn(it item, name string) item {
	image, _ := it[name].(*types.AttributeValueMemberM)
	if image == nil {
		return nil
	}
	return image.Value
}

// cause is an event that a change makes, if an endpoint wants it.
type cause struct {
	mo   *moment
	kind outbox.Type
	n    int // of the moment, among all
}

// causes notes the events that a change makes.
func (m *model) causes(mo *moment, c double.Change) {
	if mo.by != nil && mo.by.verb == "import" && !m.h.config.Loud {
		return
	}
	name := string(items.WritesOf(c.After).Last())
	if name == string(items.WritesOf(c.Before).Last()) {
		name = c.Sequence
	}
	for _, kind := range mo.makes() {
		sum := sha256.Sum256([]byte(mo.id + "\x00" + name + "\x00" + string(kind)))
		id := "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
		if _, again := m.caused[id]; again {
			m.h.marks.add("a write took effect twice and has one event")
			continue
		}
		mo.is, mo.was = c.After, c.Before
		m.caused[id] = cause{mo, kind, len(m.moments)}
	}
}

// makes returns the types of the events that a change makes.
func (mo *moment) makes() (kinds []outbox.Type) {
	was, is := mo.before, mo.after
	switch {
	case is == nil:
		return []outbox.Type{outbox.Deleted}
	case was == nil && is.hidden():
		return []outbox.Type{outbox.Created}
	case was == nil:
		return []outbox.Type{outbox.Created, outbox.Published}
	case was.product != is.product:
		return []outbox.Type{outbox.Changed}
	}
	held := !was.hidden() || is.standing != "PENDING" // or it waits once more
	switch {
	case was.standing == is.standing:
	case !is.hidden():
		kinds = append(kinds, outbox.Published)
	case held:
		kinds = append(kinds, outbox.Hidden)
	}
	shown := func(s *state) state {
		return state{rating: s.rating, language: s.language, created: s.created, author: s.author, title: s.title, text: s.text, attributes: s.attributes, photos: s.photos, incentive: s.incentive, used: s.used, version: one(s.verified())}
	}
	if shown(was) != shown(is) || was.standing != is.standing && !held {
		kinds = append(kinds, outbox.Changed)
	}
	if is.reports > was.reports && (was.reports == 0 || was.standing != is.standing) {
		kinds = append(kinds, outbox.Reported)
	}
	switch {
	case was.replied == "" && is.replied != "":
		kinds = append(kinds, outbox.ReplyPublished)
	case was.replied != "" && is.replied == "":
		kinds = append(kinds, outbox.ReplyDeleted)
	case was.reply != is.reply:
		kinds = append(kinds, outbox.ReplyChanged)
	}
	return kinds
}

// endpointIDs returns the ids of all endpoints, in the order in which they were created.
func (m *model) endpointIDs() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.created)
}

// endpointDuring returns what an endpoint was at some time in an interval. The caller holds the lock.
func (m *model) endpointDuring(id string, from, to time.Time) []*outbox.Endpoint {
	return during(m.endpoints[id], from, to, func(e endpointMoment) (time.Time, *outbox.Endpoint) { return e.at, e.is })
}

// always reports whether an endpoint wanted an event at all times in an interval. The caller holds
// the lock.
func (m *model) always(id string, e *appended, from, to time.Time) bool {
	return !slices.ContainsFunc(m.endpointDuring(id, from, to), func(p *outbox.Endpoint) bool { return !e.isFor(p) })
}

// eventsAre compares the events in the outbox with the changes when all is quiet: each change has
// the events that an endpoint wants, once, with its images and in its order.
func (h *history) eventsAre() {
	m := h.model
	m.mu.Lock()
	defer m.mu.Unlock()
	byProduct := map[[2]string][]*appended{}
	for id, of := range m.caused {
		mo, e := of.mo, m.appended[id]
		if e == nil {
			e = &appended{kind: of.kind, product: cmp.Or(mo.after, mo.before).product}
			for p := range m.endpoints {
				if !mo.seen.IsZero() && m.always(p, e, mo.at, mo.seen) {
					h.fail("events", mo.id, "everything is quiet, but there is no %s of the change at %s, which endpoint %s wants", of.kind, mo.at.Sub(h.began), p)
				}
			}
			continue
		}
		wanted := false
		for p := range m.endpoints {
			wanted = wanted || slices.ContainsFunc(m.endpointDuring(p, mo.at, e.at), e.isFor)
		}
		switch is, was := cmpOr(mo.is, items.IsDeleted(mo.is), mo.was), mo.was; {
		case len(e.versions) > 1:
			h.fail("events", mo.id, "%s %s is there %d times", e.kind, id, len(e.versions))
		case !wanted:
			h.fail("events", mo.id, "no endpoint wanted %s %s", e.kind, id)
		case !within(e.is, is) || e.was != nil && !within(e.was, was):
			h.fail("events", mo.id, "%s %s has other images than the change at %s: %s", e.kind, id, mo.at.Sub(h.began), spell(e.is))
		}
		of := [2]string{e.product, mo.id}
		byProduct[of] = append(byProduct[of], e)
	}
	for of, all := range byProduct {
		slices.SortFunc(all, func(a, b *appended) int { return cmp.Compare(a.versions[0], b.versions[0]) })
		for i := range all[1:] {
			a, b := all[i], all[i+1]
			if m.caused[a.id].n > m.caused[b.id].n || a.versions[0] == b.versions[0] {
				h.fail("events", of[1], "%s %s has the version %d, and %s %s %d", a.kind, a.id, a.versions[0], b.kind, b.id, b.versions[0])
			}
		}
	}
	if len(byProduct) > 0 {
		h.marks.add("events were compared at the end")
	}
}

// cmpOr returns a, or b if otherwise holds.
func cmpOr(a item, otherwise bool, b item) item {
	if otherwise {
		return b
	}
	return a
}

// within reports whether a comment's public image has only what the comment has.
func within(image, it item) bool {
	for name, v := range image {
		if name == "owner" || !reflect.DeepEqual(v, it[name]) {
			return false
		}
	}
	return len(image) > 0
}

// undelivered says which event was not delivered that was to be, empty for none: to endpoints that
// wanted it from the time on when it was appended, and again after a replay.
func (h *history) undelivered() string {
	m := h.model
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for id, e := range m.appended {
		version := time.UnixMicro(e.versions[0])
		if now.Sub(version) > 7*24*time.Hour { // it has expired
			continue
		}
		for p := range m.endpoints {
			who := [2]string{p, id}
			if !m.failed[who] && len(m.receipts[who]) == 0 && m.always(p, e, e.at, now) {
				return fmt.Sprintf("%s did not get %s %s, appended at %s", p, e.kind, id, e.at.Sub(h.began))
			}
		}
		for _, r := range m.replays {
			again := func(at time.Time) bool { return at.After(r.began) }
			who := [2]string{r.endpoint, id}
			if !version.Before(r.since) && e.at.Before(r.began) && !m.failed[who] && m.always(r.endpoint, e, r.began, now) && !slices.ContainsFunc(m.receipts[who], again) {
				return fmt.Sprintf("%s did not get %s %s again, which was replayed at %s", r.endpoint, e.kind, id, r.began.Sub(h.began))
			}
		}
	}
	return ""
}
