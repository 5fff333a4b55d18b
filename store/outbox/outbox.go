package outbox

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/key"
	"product-comments/store/key/sealed"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Lanes is the number of lists of events: one for each lane of the projector, so that lanes never
// wait for each other.
const Lanes = projector.Lanes

var errNoPosition = errors.New("it has no position")

// Outbox holds the events of a table, and its webhook endpoints. It is safe for concurrent use.
type Outbox struct {
	t        *table.Table
	settings *settings.Store
	keys     *sealed.Keys
	private  bool

	look chan struct{} // there may be something to send

	mu        sync.Mutex
	revision  int // of the settings' Endpoints, for the next
	endpoints []Endpoint
}

// New returns the outbox of a table. keys seal the secrets of endpoints; without them, endpoints
// can be neither created nor used. private allows http addresses.
func New(t *table.Table, s *settings.Store, keys *sealed.Keys, private bool) *Outbox {
	return &Outbox{t: t, settings: s, keys: keys, private: private, look: make(chan struct{}, 1)}
}

// Sends reports whether this process has the keys to send events to endpoints.
func (o *Outbox) Sends() bool { return o.keys != nil }

// Name implements index.Index.
func (o *Outbox) Name() string { return "events" }

// Appends implements index.Appender: an item for each event, and the head of its lane.
func (o *Outbox) Appends(ctx context.Context, now settings.Settings, c index.Change) (keys []index.Key, err error) {
	events, err := o.wanted(ctx, now, c)
	for _, e := range events {
		lane := key.OutboxLane(e.lane).Value
		keys = append(keys, index.Key{PK: lane, SK: key.Head}, index.Key{PK: lane, SK: e.ID + c.Sequence})
	}
	return keys, err
}

// wanted returns the events of a change that an endpoint wants.
func (o *Outbox) wanted(ctx context.Context, now settings.Settings, c index.Change) ([]Event, error) {
	if now.Endpoints == 0 { // there was never one
		return nil, nil
	}
	events := Of(c)
	if len(events) == 0 {
		return nil, nil
	}
	endpoints, err := o.at(ctx, now.Endpoints)
	if err != nil {
		return nil, err
	}
	product := c.Subject().Product
	events = slices.DeleteFunc(events, func(e Event) bool {
		return !slices.ContainsFunc(endpoints, func(p Endpoint) bool { return p.wants(e.Type, product) })
	})
	for i := range events {
		events[i].lane = laneOf(product)
	}
	return events, nil
}

// Announce returns the writes that append an event about an order's review request, for a transaction;
// none if no endpoint wants it. They are refused while the head of the lane moves: read and call
// Announce again. The same event about the same message of an order makes the same id.
func (o *Outbox) Announce(ctx context.Context, orderID, event string, reminder bool) ([]table.Write, error) {
	endpoints, err := o.Current(ctx)
	e := Event{ID: hashID("request", orderID, event, strconv.FormatBool(reminder)), Type: Type(event), Order: orderID, Reminder: reminder, lane: laneOf(orderID)}
	if err != nil || !slices.ContainsFunc(endpoints, func(p Endpoint) bool { return p.Wants(&e) }) {
		return nil, err
	}
	head, err := o.head(ctx, e.lane)
	if err != nil {
		return nil, err
	}
	return o.append(e.lane, head, []Event{e}), nil
}

// Want reports whether an endpoint gets events of a type about orders.
func (o *Outbox) Want(ctx context.Context, t Type) (bool, error) {
	endpoints, err := o.Current(ctx)
	return slices.ContainsFunc(endpoints, func(p Endpoint) bool { return p.Wants(&Event{Type: t, Order: "any"}) }), err
}

// laneOf returns the lane of the projector that projects a product.
func laneOf(product string) int { return projector.BucketOf(product) % Lanes }

// Append implements index.Appender.
func (o *Outbox) Append(ctx context.Context, now settings.Settings, changes []index.Change) ([]table.Write, error) {
	var lanes [Lanes][]Event
	for _, c := range changes {
		events, err := o.wanted(ctx, now, c)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			lanes[e.lane] = append(lanes[e.lane], e)
		}
	}
	var writes []table.Write
	for lane, events := range lanes {
		if len(events) == 0 {
			continue
		}
		head, err := o.head(ctx, lane)
		if err != nil {
			return nil, err
		}
		writes = append(writes, o.append(lane, head, events)...)
	}
	return writes, nil
}

// Appended implements index.Appender. It makes the sender of this process look for events.
func (o *Outbox) Appended() {
	select {
	case o.look <- struct{}{}:
	default:
	}
}

// attrLast is the attribute of a lane's head: the time of its last position, N, microseconds since
// 1970.
const attrLast = "last"

func headKey(lane int) table.Item { return table.KeyOf(key.OutboxLane(lane).Value, key.Head) }

// head returns the time of a lane's last position, 0 if the lane has had none.
func (o *Outbox) head(ctx context.Context, lane int) (micros int, err error) {
	it, err := o.t.Get(ctx, "the outbox", headKey(lane))
	if err != nil {
		return 0, err
	}
	return table.Number(it, attrLast)
}

// append returns the writes that append events to a lane, on the condition that its head has not
// moved. Positions are times, and grow although clocks differ.
func (o *Outbox) append(lane, head int, events []Event) []table.Write {
	writes := make([]table.Write, 0, 1+len(events))
	last := max(head, int(o.t.Now().UnixMicro())-1)
	for _, e := range events {
		last++
		e.lane, e.At = lane, key.Position{CreatedAt: time.UnixMicro(int64(last)).UTC(), CommentID: e.ID}
		writes = append(writes, table.Write{Put: e.item()})
	}
	it := headKey(lane)
	it[attrLast] = table.N(last)
	return append(writes, table.Write{Put: it}.IfRevision(attrLast, head))
}

// Heads returns the end of each lane: every event at or before it was appended.
func (o *Outbox) Heads(ctx context.Context) (heads Cursors, err error) {
	keys := make([]table.Item, Lanes)
	for lane := range keys {
		keys[lane] = headKey(lane)
	}
	err = o.t.GetMany(ctx, keys, true, func(it table.Item) error {
		for lane := range keys {
			if key.OutboxLane(lane).Value == table.Text(it, key.PK) {
				heads[lane], err = table.Number(it, attrLast)
			}
		}
		return err
	})
	return heads, err
}

// Cursors are positions in all lanes, in microseconds since 1970: a reader has read the events up to
// them.
type Cursors [Lanes]int

// Events reads the first events of a lane after a position, at most limit.
func (o *Outbox) Events(ctx context.Context, lane, after, limit int) (events []Event, err error) {
	in := key.OutboxLane(lane)
	from := key.Position{CreatedAt: time.UnixMicro(int64(after) + 1)}.SortKey()
	items, _, err := o.t.Query(ctx, table.Query{Partition: in, From: from, To: key.Head[:1], Limit: limit, Consistent: true})
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		e, err := read(lane, it)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}
