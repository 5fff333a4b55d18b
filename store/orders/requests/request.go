package requests

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// State is the state of a request.
type State string

// The states. Requests in the first three may still change; see Request.Live.
const (
	Scheduled State = "SCHEDULED" // nothing was sent; due once the order is delivered
	Sent      State = "SENT"
	Reminded  State = "REMINDED"
	Answered  State = "ANSWERED" // the buyer wrote a comment
	Cancelled State = "CANCELLED"
	OptedOut  State = "OPTED_OUT"
	Failed    State = "FAILED" // Request.Failure says why
	Expired   State = "EXPIRED"
)

// States are all states.
var States = []State{Scheduled, Sent, Reminded, Answered, Cancelled, OptedOut, Failed, Expired}

var live = States[:3]

// stage names one of the messages of a request.
type stage string

const (
	first    stage = "first"
	reminder stage = "reminder" // the second one
)

// stage returns the message that is next, or under way.
func (q *Request) stage() stage {
	if q.State == Scheduled {
		return first
	}
	return reminder
}

const (
	// Kept bounds how long a contact exists after it was recorded.
	Kept = 115 * 24 * time.Hour
	// Valid is how long the links of a message are valid.
	Valid = 90 * 24 * time.Hour
	// MaxProducts is the maximum number of products in a message.
	MaxProducts = 10
)

// Request is the review request of an order.
type Request struct {
	OrderID  string    `json:"-"`
	State    State     `json:"state"`
	Recorded time.Time `json:"recorded"` // when the contact was recorded
	// Due is when the first message is due; zero until the order is delivered and a sender has seen
	// that.
	Due time.Time `json:"due,omitzero"`
	// Chosen is true if staff chose Due, so that hours of the day do not matter.
	Chosen   bool      `json:"chosen,omitzero"`
	Sent     time.Time `json:"sent,omitzero"`
	Reminded time.Time `json:"reminded,omitzero"`
	// Failing is since when sending has failed, with the number of attempts.
	Failing  time.Time `json:"failing,omitzero"`
	Attempts int       `json:"attempts,omitzero"`
	Failure  string    `json:"failure,omitzero"` // of the last attempt
	Opened   bool      `json:"opened,omitzero"`  // a click opened one of its links
	// Announced is the stage whose event "request.due" was written.
	Announced stage `json:"announced,omitzero"`
	// Taken is until when a sender has the message that it sends, or sent.
	Taken time.Time `json:"taken,omitzero"`
	// Next is when a sender looks at the request; for one that has ended, when it ended.
	Next    time.Time `json:"next"`
	Contact []byte    `json:"contact,omitzero"` // sealed; nil when it has ended

	revision int
}

// Live reports whether the request may still lead to a message or an answer.
func (q *Request) Live() bool { return slices.Contains(live, q.State) }

// Reminds reports whether the message that is next is the reminder.
func (q *Request) Reminds() bool { return q.stage() == reminder }

// end ends the request.
func (q *Request) end(s State, now time.Time) {
	q.State, q.Next, q.Contact = s, now, nil
}

// expires returns when the request ends without an answer.
func (q *Request) expires() time.Time {
	at := q.Recorded.Add(Kept)
	if valid := q.Sent.Add(Valid); !q.Sent.IsZero() && valid.Before(at) {
		return valid
	}
	return at
}

// position returns the place of the request among those in its state.
func (q *Request) position() key.Position {
	return key.Position{CreatedAt: q.Next, CommentID: q.OrderID}
}

// Attributes of a request's item, in addition to keys and item.AttrExpires.
const (
	attrRequest  = "request" // S, JSON
	attrRevision = "rev"     // N
)

// put returns the write of a request that was read, on the condition that it has not changed.
func (q *Request) put(random *table.Random) table.Write {
	if last := q.expires(); q.Live() && q.Next.After(last) {
		q.Next = last
	}
	for _, at := range []*time.Time{&q.Recorded, &q.Due, &q.Sent, &q.Reminded, &q.Failing, &q.Taken, &q.Next} {
		*at = at.Round(0).UTC()
	}
	text, err := json.Marshal(q)
	if err != nil { // texts and times of the store are valid
		panic(err)
	}
	before := q.revision
	q.revision = random.NextRevision(before)
	it := table.Key(key.Request(q.OrderID))
	it[attrRequest], it[attrRevision] = table.S(string(text)), table.N(q.revision)
	it[key.PlacedID] = table.S(key.RequestsIn(string(q.State), q.OrderID).Value)
	it[key.GSISK] = table.S(q.position().SortKey())
	if q.Contact != nil {
		it[item.AttrExpires] = table.N(int(q.Recorded.Add(Kept).Unix()))
	}
	return table.Write{Put: it}.IfRevision(attrRevision, before)
}

// read parses a request's item, nil for no item.
func read(it table.Item) (*Request, error) {
	if it == nil {
		return nil, nil
	}
	q := &Request{}
	err := json.Unmarshal([]byte(table.Text(it, attrRequest)), q)
	if err == nil {
		q.revision, err = table.Number(it, attrRevision)
	}
	if err != nil {
		return nil, table.Damaged(it, err)
	}
	q.OrderID, _ = key.RequestOf(table.Text(it, key.PK))
	return q, nil
}
