package outbox

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/scan"
	"product-comments/store/table"
)

// Progress is how far events are delivered to an endpoint.
type Progress struct {
	// Cursors: every event up to them is delivered, has failed, or is among the retries.
	Cursors Cursors `json:"cursors"`
	Retries []Retry `json:"retries,omitzero"` // at most maxRetries
	// Failing is since when all deliveries have failed; zero if the last one succeeded.
	Failing time.Time `json:"failing,omitzero"`
	Reason  string    `json:"reason,omitzero"` // of the last failure since then
	// Failures counts the deliveries that failed since the last one that succeeded.
	Failures int `json:"failures,omitzero"`
	// Until is when the endpoint accepts requests again, if it said so.
	Until time.Time `json:"until,omitzero"`

	revision int
}

// Retry is an event that will be sent again.
type Retry struct {
	Lane     int       `json:"lane"`
	At       int       `json:"at"`       // its position, microseconds since 1970
	Attempts int       `json:"attempts"` // made so far
	Due      time.Time `json:"due"`
}

// Attributes of an endpoint's progress.
const (
	attrProgress = "progress" // S, JSON
	attrRevision = "rev"      // N
)

func progressKey(id string) table.Item { return table.KeyOf(key.Endpoint(id), key.Progress) }

// Progress reads how far events are delivered to an endpoint.
func (o *Outbox) Progress(ctx context.Context, id string) (p Progress, err error) {
	it, err := o.t.Get(ctx, "the state of a webhook endpoint", progressKey(id))
	if err != nil || it == nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(table.Text(it, attrProgress)), &p); err != nil {
		return p, table.Damaged(it, err)
	}
	p.revision, err = table.Number(it, attrRevision)
	return p, err
}

// item returns the progress as an item, without a revision.
func (p *Progress) item(endpoint string) table.Item {
	text, err := json.Marshal(p)
	if err != nil { // numbers and times of the store are valid
		panic(err)
	}
	it := progressKey(endpoint)
	it[attrProgress] = table.S(string(text))
	return it
}

// begin returns the write that makes an endpoint get the events after cursors, and no others.
func (o *Outbox) begin(endpoint string, after Cursors) table.Write {
	it := (&Progress{Cursors: after}).item(endpoint)
	it[attrRevision] = table.N(o.t.Random().NextRevision(0))
	return table.Write{Put: it}
}

// save stores the progress of an endpoint. It returns a Refused error if another process has stored
// it since it was read.
func (o *Outbox) save(ctx context.Context, endpoint string, p Progress) (Progress, error) {
	revision, ok, err := o.t.Note(ctx, "store the state of a webhook endpoint", p.item(endpoint), attrRevision, p.revision)
	if err == nil && !ok {
		err = &table.Refused{}
	}
	p.revision = revision
	return p, err
}

// Replay makes an endpoint get again the events since a time that are still kept. The error is
// NotFound if there is no such endpoint, and Conflict if it is disabled.
func (o *Outbox) Replay(ctx context.Context, id string, since time.Time) (p Endpoint, err error) {
	err = o.change(ctx, func(all []Endpoint) ([]table.Write, error) {
		if p, err = pick(all, id); err == nil {
			err = p.enabled()
		}
		if err != nil {
			return nil, err
		}
		return o.resume(ctx, &p, func(at *Progress) {
			for lane := range at.Cursors {
				at.Cursors[lane] = min(at.Cursors[lane], int(since.UnixMicro())-1)
			}
		})
	})
	return p, err
}

// resume returns the writes of an endpoint and of its progress, which edit changes. The endpoint
// accepts requests again.
func (o *Outbox) resume(ctx context.Context, p *Endpoint, edit func(*Progress)) ([]table.Write, error) {
	at, err := o.Progress(ctx, p.ID)
	at.Until = time.Time{}
	edit(&at)
	it := at.item(p.ID)
	it[attrRevision] = table.N(o.t.Random().NextRevision(at.revision))
	p.Begun++
	return []table.Write{p.put(), table.Write{Put: it}.IfRevision(attrRevision, at.revision)}, err
}

// enabled returns a Conflict error for an endpoint that is disabled: it would lose its events when it
// is enabled.
func (p *Endpoint) enabled() error {
	if p.Disabled == "" {
		return nil
	}
	return errs.Errorf(errs.Conflict, "The webhook endpoint %s is disabled: enable it first", p.ID)
}

// Test appends an event of the type Test for one endpoint, and returns its id. The error is NotFound
// if there is no such endpoint, and Conflict if it is disabled.
func (o *Outbox) Test(ctx context.Context, endpoint string) (id string, err error) {
	p, err := o.Endpoint(ctx, endpoint)
	if err == nil {
		err = p.enabled()
	}
	if err != nil {
		return "", err
	}
	e := Event{Type: Test, To: endpoint}
	name := make([]byte, 15)
	_, _ = o.t.Random().Read(name) // never fails
	e.ID = spellID(name)
	err = o.t.Race(ctx, "append an event", func() error {
		head, err := o.head(ctx, 0)
		if err != nil {
			return err
		}
		return o.t.Transact(ctx, "append an event", o.append(0, head, []Event{e})...)
	})
	o.Appended()
	return e.ID, err
}

// Oldest returns the time of the oldest event that an endpoint has not acknowledged and that has
// not failed; zero for none.
func (o *Outbox) Oldest(ctx context.Context, p *Endpoint, at Progress) (oldest time.Time, err error) {
	see := func(micros int) {
		if t := time.UnixMicro(int64(micros)).UTC(); oldest.IsZero() || t.Before(oldest) {
			oldest = t
		}
	}
	for _, r := range at.Retries {
		see(r.At)
	}
	heads, err := o.Heads(ctx)
	if err != nil {
		return oldest, err
	}
	for lane, head := range heads {
		if head <= at.Cursors[lane] {
			continue
		}
		events, err := o.Events(ctx, lane, at.Cursors[lane], page)
		if err != nil {
			return oldest, err
		}
		for i := range events {
			if p.Wants(&events[i]) {
				see(int(events[i].Version()))
				break
			}
		}
	}
	return oldest, nil
}

// Failure is an event that could not be delivered to an endpoint.
type Failure struct {
	At       key.Position // of the event, with its id
	Type     Type
	Attempts int
	Reason   string // of the last attempt
}

// Attributes of a failure, in addition to attrType and item.AttrExpires.
const (
	attrAttempts = "attempts" // N
	attrReason   = "why"      // S
)

// fail records a failure. It expires with its event.
func (o *Outbox) fail(ctx context.Context, endpoint string, f Failure) error {
	span := key.Failed(endpoint)
	it := table.KeyOf(span.Partition.Value, span.SortKey(f.At))
	it[attrType], it[attrAttempts], it[attrReason] = table.S(string(f.Type)), table.N(f.Attempts), table.S(f.Reason)
	it[item.AttrExpires] = table.N(int(f.At.CreatedAt.Add(kept).Unix()))
	return o.t.Write(ctx, "record a failed delivery", table.Write{Put: it})
}

// failureSize is the assumed size of a failure in bytes.
const failureSize = 250

// Failures reads a window of an endpoint's failures, the newest event first.
func (o *Outbox) Failures(ctx context.Context, endpoint string, w list.Window[key.Position]) (page list.Page[Failure], err error) {
	span := key.Failed(endpoint)
	at, err := scan.Page(ctx, o.t, true, []key.Span{span}, failureSize, w)
	if err != nil {
		return page, err
	}
	found := map[string]Failure{}
	keys := make([]table.Item, len(at.Items))
	for i, p := range at.Items {
		keys[i] = table.KeyOf(span.Partition.Value, span.SortKey(p))
	}
	err = o.t.GetMany(ctx, keys, true, func(it table.Item) (err error) {
		f := Failure{Type: Type(table.Text(it, attrType)), Reason: table.Text(it, attrReason)}
		f.Attempts, err = table.Number(it, attrAttempts)
		found[table.Text(it, key.SK)] = f
		return err
	})
	return list.Map(at, func(p *key.Position) Failure {
		f := found[span.SortKey(*p)]
		f.At = *p
		return f
	}), err
}
