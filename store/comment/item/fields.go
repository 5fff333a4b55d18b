package item

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Attributes of a comment's item, other than keys, that other packages use.
const (
	AttrRating     = "rating" // N
	AttrLanguage   = "lang"   // S
	AttrVersion    = "ver"    // N, absent for 1
	AttrGeneration = "gen"    // N, see Stored.Generation; absent for 0
	AttrFrame      = "z"      // B, in place of author, title and text
	AttrShown      = "sa"     // M of S, N and BOOL: attributes that lists show, see Comment.Shown
	AttrVerified   = "vp"     // BOOL, see Comment.VerifiedPurchase; absent if unknown
	AttrIncentive  = "in"     // S, see Comment.Incentive; absent for none
	AttrPhotos     = "ph"     // B, see PhotosValue; absent without photos
	AttrDefined    = "av"     // S, see Stored.Defined; absent for none
	AttrOwner      = "owner"  // S, see Comment.Owner; absent without an owner
	AttrFollows    = "fp"     // BOOL, see Stored.Follows; absent for false
	// AttrAttributes holds a comment's attributes in their original spelling, S, JSON.
	AttrAttributes = "attributes"
	// AttrState is the state of a comment that is not published, S: a name of State.
	AttrState = "st"
	// AttrBorn identifies the comment among all with its id, B, see Stored.Born. Items that
	// belong to a comment have it, too.
	AttrBorn = "born"
	// AttrReason and AttrCode are a Why, S both, each absent if it is empty.
	AttrReason = "why"
	AttrCode   = "code"
	// AttrReports is the number of reports since a moderator last decided, N; absent for 0.
	AttrReports = "reports"
	// AttrDeleted marks a tombstone, BOOL; see Deleted.
	AttrDeleted = "deleted"
	// AttrExpires is the table's time-to-live attribute, N, seconds since 1970.
	// No comment has it.
	AttrExpires = "expires"

	attrAuthor    = "author"
	attrTitle     = "title"
	attrText      = "text"
	attrLongText  = "longText"
	attrTextBytes = "textBytes"
	attrWrites    = "w"
	// Unpublished comments have these instead of index keys: S both, see key.Product and
	// Position.SortKey.
	attrOf    = "of"
	attrPlace = "place"
)

// The attributes that only votes change, absent until the first vote.
const (
	AttrUp     = "up"     // N
	AttrDown   = "down"   // N
	AttrBallot = "ballot" // S
	AttrVoted  = "vw"     // B, see Stored.Voted; absent where the product has no attribute index
)

// AttrsOfText are the attributes for texts: in an index every comment with a text has one of
// them, and no other comment.
var AttrsOfText = []string{attrText, attrTextBytes, AttrFrame}

// InlineText is the size in bytes up to which indexes carry a text, so that one query reads it.
// A longer text is only in the comment's item and is loaded in a batch when requested. That
// saves writing it to four indexes: at 5,000 bytes 10 write units instead of 25. docs/design.md
// has the figures.
const InlineText = 4096

// Comment is a product review. A new field needs a line here, and one in the table of fields
// below, which decides whether lists carry it or load it; see also Optional.
type Comment struct {
	ID        string
	ProductID string
	Rating    int    // 1 to 5
	Language  string // canonical BCP 47 tag
	Title     string // empty if there is none, as are the next two
	Text      string // empty also while TextElsewhere
	Author    string
	CreatedAt time.Time // UTC
	UpdatedAt time.Time // UTC; CreatedAt until the first edit
	Version   int       // 1, and one more with every edit

	// TextElsewhere is true if the comment was read from an index that does not carry its text,
	// since it is longer than InlineText. Get reads the text.
	TextElsewhere bool

	// EditElsewhere is true if the comment was read from the attribute index, which does not carry
	// UpdatedAt and Version, since every edit changes them: both are zero. Get reads them.
	EditElsewhere bool

	// Owner is the author's subject, empty if unknown. It is never shown, and indexes do not
	// carry it.
	Owner string

	// Shown are the attributes that indexes carry according to their definitions: a flat JSON
	// object, nil if there is none.
	Shown json.RawMessage

	// VerifiedPurchase is whether the author bought the product; nil if unknown.
	VerifiedPurchase *bool
	// Incentive is what the author got for the comment; empty for nothing.
	Incentive Incentive
	// ExperiencedAt is when the author used the product; nil if unknown.
	ExperiencedAt *time.Time

	// Photos are in the order in which they are shown; at most MaxPhotos.
	Photos []Photo

	// The rest is not carried by indexes.

	// Invited is whether the author wrote the comment with an invitation.
	Invited    bool
	Helpful    *int
	Attributes json.RawMessage // a flat JSON object, nil if there is none

	// Up and Down are the numbers of votes for helpful and not helpful, in addition to Helpful;
	// imports keep them. Ballot identifies the counted votes: it is empty before the first
	// vote, and different if the comment is created again after a deletion. Lists do not show
	// them.
	Up, Down int
	Ballot   string

	// State is the moderation state, and Why explains it. Indexes do not carry
	// them, since they contain published comments only.
	State State
	Why
	// Reports is the number of reports since a moderator last decided. Indexes do not carry it.
	Reports int
	// Notices is the number of these reports by people without a token, which hide no comment.
	Notices int
	// Reply is the shop's reply, nil if there is none.
	Reply *Reply
}

// fields are all attributes of a comment's item, other than keys.
var fields = []field{
	field{indexed: true}.number(AttrRating, func(c *Stored) *int { return &c.Rating }, 0),
	field{indexed: true}.text(AttrLanguage, func(c *Stored) *string { return &c.Language }),
	field{indexed: true}.text(attrTitle, func(c *Stored) *string { return &c.Title }),
	{name: attrText, indexed: true, // absent if it is longer than InlineText
		write: func(c *Stored) types.AttributeValue {
			if len(c.Text) > InlineText {
				return nil
			}
			return orAbsent(c.Text)
		},
		read: func(r *Reader, v string) error { r.c.Text = v; return nil }},
	field{indexed: true}.text(attrAuthor, func(c *Stored) *string { return &c.Author }),
	field{indexed: true, edit: true, shows: []string{"version"}}.number(AttrVersion, func(c *Stored) *int { return &c.Version }, 1),
	{name: "upd", indexed: true, edit: true, shows: []string{"updatedAt"}, // S, RFC 3339; absent until the first edit
		write: func(c *Stored) types.AttributeValue {
			if c.UpdatedAt.IsZero() || c.UpdatedAt.Equal(c.CreatedAt) {
				return nil
			}
			return table.S(c.UpdatedAt.Format(time.RFC3339Nano))
		},
		read: func(r *Reader, v string) (err error) {
			r.c.UpdatedAt, err = time.Parse(time.RFC3339Nano, v)
			return err
		}},
	{name: attrTextBytes, indexed: true, // N, of a text in longText
		write: func(c *Stored) types.AttributeValue { return unless(len(c.Text) <= InlineText, len(c.Text)) },
		read:  func(r *Reader, _ string) error { r.c.TextElsewhere = true; return nil }},
	ofBytes(field{indexed: true}, AttrFrame, func(c *Stored) *string { return &c.Frame }), // see packed

	{name: AttrShown, indexed: true,
		write: func(c *Stored) types.AttributeValue { return shownValue(c.Shown) },
		read: func(r *Reader, v string) (err error) {
			r.c.Shown, err = shownOf(v)
			return err
		}},
	optional(field{indexed: true}, AttrVerified, func(c *Stored) **bool { return &c.VerifiedPurchase }, table.Bool, strconv.ParseBool),
	field{indexed: true}.text(AttrIncentive, func(c *Stored) *string { return (*string)(&c.Incentive) }),
	optional(field{indexed: true}, "ex", func(c *Stored) **time.Time { return &c.ExperiencedAt }, // S, RFC 3339
		func(at time.Time) types.AttributeValue { return table.S(at.UTC().Format(time.RFC3339Nano)) },
		func(v string) (time.Time, error) { return time.Parse(time.RFC3339Nano, v) }),
	{name: AttrPhotos, indexed: true,
		write: func(c *Stored) types.AttributeValue { return PhotosValue(c.Photos) },
		read: func(r *Reader, v string) (err error) {
			r.c.Photos, err = PhotosOf([]byte(v))
			return err
		}},
	{name: "re", indexed: true,
		write: func(c *Stored) types.AttributeValue { return orAbsent(c.Reply.spell()) },
		read: func(r *Reader, v string) (err error) {
			r.c.Reply, err = parseReply(v)
			return err
		}},
	holds(field{name: AttrState,
		write: func(c *Stored) types.AttributeValue {
			if c.State == Published {
				return nil
			}
			return table.S(c.State.String())
		},
		read: func(r *Reader, v string) error {
			state, ok := ParseState(v)
			if r.c.State = state; !ok {
				return fmt.Errorf("%q is not a state", v)
			}
			return nil
		}}, func(c *Stored) *State { return &c.State }),
	field{}.text(AttrReason, func(c *Stored) *string { return &c.Reason }),
	field{}.text(AttrCode, func(c *Stored) *string { return (*string)(&c.Code) }),
	field{}.number("since", func(c *Stored) *int { return &c.WaitsSince }, 0),
	field{}.text("dec", func(c *Stored) *string { return (*string)(&c.Decided) }),
	field{}.number(AttrReports, func(c *Stored) *int { return &c.Reports }, 0),
	field{}.number("notices", func(c *Stored) *int { return &c.Notices }, 0),
	{name: attrLongText, shows: []string{"text"},
		write: func(c *Stored) types.AttributeValue {
			if len(c.Text) <= InlineText {
				return nil
			}
			return table.S(c.Text)
		},
		read: func(r *Reader, v string) error { r.longText = v; return nil }},
	field{}.text(AttrOwner, func(c *Stored) *string { return &c.Owner }),
	field{}.flag("inv", func(c *Stored) *bool { return &c.Invited }),
	field{}.flag("only", func(c *Stored) *bool { return &c.Only }),
	field{}.flag(AttrFollows, func(c *Stored) *bool { return &c.Follows }),
	optional(field{shows: []string{"helpfulCount"}}, "helpful", func(c *Stored) **int { return &c.Helpful }, table.N, strconv.Atoi),
	holds(field{name: AttrAttributes, shows: []string{"attributes"},
		write: func(c *Stored) types.AttributeValue { return orAbsent(string(c.Attributes)) },
		read:  func(r *Reader, v string) error { r.c.Attributes = json.RawMessage(v); return nil },
	}, func(c *Stored) *json.RawMessage { return &c.Attributes }),
	field{shows: []string{"helpfulCount"}}.number(AttrUp, func(c *Stored) *int { return &c.Up }, 0),
	field{shows: []string{"unhelpfulCount"}}.number(AttrDown, func(c *Stored) *int { return &c.Down }, 0),
	field{}.text(AttrBallot, func(c *Stored) *string { return &c.Ballot }),
	ofBytes(field{}, AttrVoted, func(c *Stored) *Writes { return &c.Voted }),
	field{}.text(AttrDefined, func(c *Stored) *string { return &c.Defined }),
	ofBytes(field{}, AttrBorn, func(c *Stored) *Writes { return &c.Born }),
	ofBytes(field{}, attrWrites, func(c *Stored) *Writes { return &c.Writes }),
	field{}.number(AttrGeneration, func(c *Stored) *int { return &c.Generation }, 0),
}

// Derived from the table of fields.
var (
	// Projected are the attributes that every index projects in addition to keys.
	Projected []string
	// Carried are the projected attributes that entries of the attribute index carry, too.
	Carried []string
	// Names are the attributes of a comment that are read, from an item or an index.
	Names *table.Names

	byName  = map[string]*field{}
	showing = map[string]*field{} // by field of the schema's Comment
	// sized are the attributes that count for a comment's size in an index: everything except
	// the index's own partition key.
	sized = map[string]bool{key.PK: true, key.SK: true, key.GSISK: true}
)

func init() {
	names := []string{key.PK, key.SK, key.GSISK, key.GSI4PK, attrOf, attrPlace}
	for i := range fields {
		f := &fields[i]
		byName[f.name] = f
		for _, name := range append(f.shows, optionalName(f)...) {
			showing[name] = f
		}
		names = append(names, f.name)
		if f.indexed {
			Projected = append(Projected, f.name)
			if !f.edit {
				Carried = append(Carried, f.name)
			}
			sized[f.name] = true
		}
	}
	Names = table.NewNames(names...)
}
