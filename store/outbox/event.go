package outbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Type is the type of an event, as receivers see it.
type Type string

// The types of events.
const (
	Created        Type = "comment.created" // in any state
	Published      Type = "comment.published"
	Changed        Type = "comment.changed" // Event.Changed names the fields
	Hidden         Type = "comment.hidden"  // rejected, withdrawn or hidden by reports
	Deleted        Type = "comment.deleted"
	Reported       Type = "comment.reported" // the first report, and the one that hides the comment
	ReplyPublished Type = "reply.published"
	ReplyChanged   Type = "reply.changed"
	ReplyDeleted   Type = "reply.deleted"
	// The types of events about the review request of an order: its message is due, was sent, could not
	// be sent, or made the buyer opt out.
	RequestDue      Type = "request.due"
	RequestSent     Type = "request.sent"
	RequestFailed   Type = "request.failed"
	RequestOptedOut Type = "request.opted_out"
	// Test is the type of events that an operator sends to one endpoint. They concern no comment.
	Test Type = "webhook.test"
)

// Types are the types that an endpoint may choose.
var Types = []Type{Created, Published, Changed, Hidden, Deleted, Reported, ReplyPublished, ReplyChanged, ReplyDeleted,
	RequestDue, RequestSent, RequestFailed, RequestOptedOut}

// OfComments are the types of events about comments, which name no buyer's address.
var OfComments = Types[:9]

// Event is something that happened to a comment, or to an order's review request.
type Event struct {
	ID   string // of letters and digits; the same for every repeat
	Type Type
	// At is the position of the event in its lane. Its time is the event's, see Version.
	At key.Position
	// To is the only endpoint that gets the event; empty for all that want it.
	To string
	// Comment is the comment after the event; of a deletion, before it. Previous is the comment
	// before a change, nil for other events. Author, title and text are decompressed.
	Comment, Previous *item.Stored
	// Order is the order whose review request the event is about; empty for an event about a comment.
	Order string
	// Reminder says that the event is about the second message of the request.
	Reminder bool
	// Changed are the names of the fields that differ, as the interchange format has them.
	Changed []string

	lane int
	size int        // of its item, in bytes
	is   table.Item // images, in place of Comment and Previous
	was  table.Item
}

// Version orders the events of a comment: later ones have greater versions, until an import moves it
// to another product. It is a whole number that a double represents exactly.
func (e *Event) Version() int64 { return e.At.CreatedAt.UnixMicro() }

// Of returns the events of a change, without positions. A vote makes no event, and a comment that
// an import wrote makes none unless the import asks for events.
func Of(c index.Change) (events []Event) {
	if c.Name.IsSilent() || c.Other != nil || c.Is == nil && c.Was == nil || c.Moved && c.Is == nil {
		return nil
	}
	of := c.Is
	if of == nil {
		of = c.Was
	}
	add := func(t Type, changed ...string) {
		e := Event{ID: eventID(c, t), Type: t, Changed: changed, is: item.Public(of.Item)}
		if c.Is != nil && c.Was != nil {
			e.was = item.Public(c.Was.Item)
		}
		events = append(events, e)
	}
	switch was, is := c.Was, c.Is; {
	case is == nil:
		add(Deleted)
	case was == nil && c.Moved:
		add(Changed, "productId")
	case was == nil:
		if add(Created); is.State == item.Published {
			add(Published)
		}
	default:
		differ := changed(was, is)
		switch {
		case was.State == is.State:
		case is.State == item.Published:
			add(Published)
		case is.State != item.Pending || was.State == item.Published:
			add(Hidden)
		default: // its author has edited it, and a moderator decides again
			differ = append(differ, "moderation")
		}
		if len(differ) > 0 {
			add(Changed, differ...)
		}
		if is.Reports > was.Reports && (was.Reports == 0 || is.State != was.State) {
			add(Reported)
		}
		switch was, is := was.Reply, is.Reply; {
		case was == nil && is != nil:
			add(ReplyPublished)
		case was != nil && is == nil:
			add(ReplyDeleted)
		case was != nil && was.Text != is.Text:
			add(ReplyChanged)
		}
	}
	return events
}

// changed returns the names of the fields that differ between two images and that visitors see.
// Compressed text is compared as it is: equal texts have equal bytes, unless the dictionary changed.
func changed(was, is *index.Image) (names []string) {
	a, b := was.Stored, is.Stored
	if a.Frame != b.Frame && a.Unpack() == nil && b.Unpack() == nil {
		a.Frame, b.Frame = "", ""
	}
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"rating", a.Rating != b.Rating}, {"language", a.Language != b.Language}, {"createdAt", !a.CreatedAt.Equal(b.CreatedAt)},
		{"author", a.Author != b.Author}, {"title", a.Title != b.Title}, {"text", a.Text != b.Text},
		{"verifiedPurchase", a.IsVerified() != b.IsVerified()}, {"incentive", a.Incentive != b.Incentive}, {"experiencedAt", !sameTime(a.ExperiencedAt, b.ExperiencedAt)},
		{"attributes", !bytes.Equal(a.Attributes, b.Attributes)}, {"photos", !slices.Equal(a.Photos, b.Photos)},
	} {
		if f.differs {
			names = append(names, f.name)
		}
	}
	return names
}

// sameTime reports whether two times are the same instant, or both unknown.
func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// eventID makes the id of an event from the write that caused it and from the type, so that every
// server would make the same one. Standard Webhooks forbids full stops in it.
func eventID(c index.Change, t Type) string {
	write := string(c.Name)
	if write == "" { // such as a purchase that was recorded later
		write = c.Sequence
	}
	return hashID(c.ID, write, string(t))
}

func hashID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return spellID(sum[:15])
}

func spellID(b []byte) string { return "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(b)) }

// Attributes of an event's item, in addition to item.AttrExpires. Its sort key is its position,
// with the event's id as the comment's.
const (
	attrType    = "type"    // S
	attrTo      = "to"      // S, absent for all endpoints
	attrIs      = "is"      // M, the comment's item; absent for tests
	attrWas     = "was"     // M, absent unless it existed before
	attrChanged = "changed" // S, names separated by spaces
	attrOrder   = "order"   // S, absent for events about comments
	attrAgain   = "again"   // BOOL: about the reminder of a request; absent for false
)

// kept is how long an event, or the record of a failed delivery, exists.
const kept = 7 * 24 * time.Hour

// item returns the event's item.
func (e *Event) item() table.Item {
	it := table.KeyOf(key.OutboxLane(e.lane).Value, e.At.SortKey())
	it[attrType] = table.S(string(e.Type))
	it[item.AttrExpires] = table.N(int(e.At.CreatedAt.Add(kept).Unix()))
	for name, text := range map[string]string{attrTo: e.To, attrOrder: e.Order, attrChanged: strings.Join(e.Changed, " ")} {
		if text != "" {
			it[name] = table.S(text)
		}
	}
	if e.Reminder {
		it[attrAgain] = table.Bool(true)
	}
	for name, image := range map[string]table.Item{attrIs: e.is, attrWas: e.was} {
		if image != nil {
			it[name] = &types.AttributeValueMemberM{Value: image}
		}
	}
	return it
}

// read parses an event's item.
func read(lane int, it table.Item) (e Event, err error) {
	at, ok := key.ParseSortKey(table.Text(it, key.SK))
	if !ok {
		return e, table.Damaged(it, errNoPosition)
	}
	e = Event{ID: at.CommentID, Type: Type(table.Text(it, attrType)), At: at, To: table.Text(it, attrTo), lane: lane, size: table.SizeOf(it),
		Order: table.Text(it, attrOrder), Reminder: table.IsTrue(it, attrAgain), Changed: strings.Fields(table.Text(it, attrChanged))}
	for name, to := range map[string]**item.Stored{attrIs: &e.Comment, attrWas: &e.Previous} {
		image, ok := it[name].(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		c, err := item.Read(image.Value, "")
		if err == nil {
			err = c.Unpack()
		}
		if err != nil {
			return e, err
		}
		*to = &c
	}
	return e, nil
}
