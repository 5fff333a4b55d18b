package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/pack"
)

// Attributes of a comment item beside its keys. The names that indexes carry
// are short: every index repeats them with every comment.
const (
	attrRating    = "rating"    // N
	attrLanguage  = "lang"      // S
	attrTitle     = "title"     // S, absent if empty
	attrText      = "text"      // S, absent if empty or longer than InlineText
	attrAuthor    = "author"    // S, absent if empty
	attrVersion   = "ver"       // N, absent for 1
	attrUpdated   = "upd"       // S, RFC 3339; absent until the first edit
	attrTextBytes = "textBytes" // N, present if the text is in longText
	// The following stay in the item.
	attrLongText   = "longText"         // S
	attrVerified   = "verifiedPurchase" // BOOL
	attrHelpful    = "helpful"          // N
	attrAttributes = "attributes"       // S, JSON
	attrGeneration = "gen"              // N, of the statistics that count it first; absent for 0
	attrExpires    = "expires"          // N, seconds since 1970: the table's TTL attribute
	attrCommentID  = "commentId"        // S, in an idempotency item
)

// projected are the attributes that every index carries beside its keys.
var projected = []string{attrRating, attrLanguage, attrTitle, attrText, attrAuthor, attrVersion, attrUpdated, attrTextBytes, attrWords}

// InlineText is the size in bytes up to which the indexes carry a text, so that
// one query shows it. A longer one stays in the item, is loaded in a batch when
// a query asks for it, and spares each of its writes the text in four indexes:
// at 5,000 bytes 10 write units instead of 30. docs/storage.md has the figures.
const InlineText = 4096

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

// text returns an attribute of type S, "" if there is none.
func text(it item, name string) string {
	if v, ok := it[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

// primaryKey is the key of an item whose PK and SK are the same.
func primaryKey(pk string) item { return item{key.PK: str(pk), key.SK: str(pk)} }

// itemOf returns the whole item of a comment. The codec packs what it says;
// with nil it stays plain.
func itemOf(c *Comment, codec *pack.Codec) item {
	k := key.OfComment(c.ProductID, c.Language, c.Rating, c.Position())
	it := item{
		key.PK: str(k.PK), key.SK: str(k.SK),
		key.GSIPK: str(k.GSIPK), key.GSI2PK: str(k.GSI2PK), key.GSI3PK: str(k.GSI3PK), key.GSI4PK: str(k.GSI4PK),
		key.GSISK:    str(k.GSISK),
		attrRating:   num(c.Rating),
		attrLanguage: str(c.Language),
	}
	if c.Version != 1 {
		it[attrVersion] = num(c.Version)
	}
	if c.Title != "" {
		it[attrTitle] = str(c.Title)
	}
	if c.Author != "" {
		it[attrAuthor] = str(c.Author)
	}
	switch {
	case len(c.Text) > InlineText:
		it[attrLongText], it[attrTextBytes] = str(c.Text), num(len(c.Text))
	case c.Text != "":
		it[attrText] = str(c.Text)
	}
	if c.generation > 0 {
		it[attrGeneration] = num(c.generation)
	}
	if !c.UpdatedAt.IsZero() && !c.UpdatedAt.Equal(c.CreatedAt) {
		it[attrUpdated] = str(c.UpdatedAt.Format(time.RFC3339Nano))
	}
	if c.VerifiedPurchase != nil {
		it[attrVerified] = &types.AttributeValueMemberBOOL{Value: *c.VerifiedPurchase}
	}
	if c.Helpful != nil {
		it[attrHelpful] = num(*c.Helpful)
	}
	if c.Attributes != nil {
		it[attrAttributes] = str(string(c.Attributes))
	}
	packWords(it, c, codec)
	return it
}

// commentOf reads an item of the table or of an index; words that are packed
// stay so, see unpack. An index holds the
// partition key of no other index, so there the product is the one asked for.
func commentOf(it item, productID string) (Comment, error) {
	r, err := readItem(it, productID)
	if err != nil {
		return Comment{}, err
	}
	return r.comment()
}

func readItem(it item, productID string) (itemReader, error) {
	r := newItemReader(productID)
	for name, value := range it {
		var err error
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			err = r.attribute(name, 'S', v.Value)
		case *types.AttributeValueMemberN:
			err = r.attribute(name, 'N', v.Value)
		case *types.AttributeValueMemberBOOL:
			err = r.attribute(name, 'T', strconv.FormatBool(v.Value))
		case *types.AttributeValueMemberB:
			err = r.attribute(name, 'B', string(v.Value))
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// itemReader gathers a comment from the attributes of its item, in any order.
type itemReader struct {
	c        Comment
	pk       string
	sortKey  string
	longText string
}

func newItemReader(productID string) itemReader {
	return itemReader{c: Comment{ProductID: productID, Version: 1}}
}

// attribute takes an attribute of type S, N, B, or T (for BOOL).
func (r *itemReader) attribute(name string, kind byte, value string) (err error) {
	ok := true
	c := &r.c
	if sized[name] {
		c.size += len(name) + valueSize(kind, value)
	}
	switch kind {
	case 'S':
		switch name {
		case key.PK:
			r.pk = value
		case key.GSISK:
			ok = r.place(value)
		case key.SK: // a copy's is its place; a comment's repeats its PK
			_ = c.ID != "" || r.place(value)
		case key.GSI4PK:
			c.ProductID, ok = key.ProductID(value)
		case attrLanguage:
			c.Language = value
		case attrTitle:
			c.Title = value
		case attrText:
			c.Text = value
		case attrLongText:
			r.longText = value
		case attrAuthor:
			c.Author = value
		case attrUpdated:
			c.UpdatedAt, err = time.Parse(time.RFC3339Nano, value)
		case attrAttributes:
			c.Attributes = json.RawMessage(value)
		}
	case 'N':
		switch name {
		case attrRating:
			c.Rating, err = strconv.Atoi(value)
		case attrVersion:
			c.Version, err = strconv.Atoi(value)
		case attrTextBytes:
			c.TextElsewhere = true
		case attrGeneration:
			c.generation, err = strconv.Atoi(value)
		case attrHelpful:
			c.Helpful = new(int)
			*c.Helpful, err = strconv.Atoi(value)
		}
	case 'B':
		if name == attrWords {
			c.packed = value
		}
	case 'T':
		if name == attrVerified {
			verified := value == "true"
			c.VerifiedPurchase = &verified
		}
	}
	if err != nil || !ok {
		return fmt.Errorf("the item's attribute %s is damaged", name)
	}
	return nil
}

// place takes the comment's place in the order of GSISK.
func (r *itemReader) place(sortKey string) bool {
	p, ok := key.ParseSortKey(sortKey)
	if ok {
		r.sortKey, r.c.ID, r.c.CreatedAt = sortKey, p.CommentID, p.CreatedAt
	}
	return ok
}

// comment returns the comment when all attributes were taken.
func (r *itemReader) comment() (Comment, error) {
	c := r.c
	if c.ID == "" || c.ProductID == "" || c.Rating == 0 || c.Language == "" || c.Version == 0 {
		return c, fmt.Errorf("the item lacks an attribute that every comment has")
	}
	if r.longText != "" {
		c.Text, c.TextElsewhere = r.longText, false
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	return c, nil
}

// sameItem tells whether two items hold the same attributes and values.
func sameItem(a, b item) bool { return reflect.DeepEqual(a, b) }
