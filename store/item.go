package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Attributes of a comment item beside its keys. The names that indexes carry
// are short: every index repeats them with every comment.
const (
	attrRating    = "rating"    // N
	attrLanguage  = "lang"      // S
	attrTitle     = "title"     // S, absent if empty
	attrText      = "text"      // S, absent if empty or longer than InlineText
	attrAuthor    = "author"    // S, absent if empty
	attrVersion   = "ver"       // N
	attrUpdated   = "upd"       // S, RFC 3339; absent until the first edit
	attrTextBytes = "textBytes" // N, present if the text is in longText
	// The following stay in the item.
	attrLongText   = "longText"         // S
	attrVerified   = "verifiedPurchase" // BOOL
	attrHelpful    = "helpful"          // N
	attrAttributes = "attributes"       // S, JSON
	attrExpires    = "expires"          // N, seconds since 1970: the table's TTL attribute
	attrCommentID  = "commentId"        // S, in an idempotency item
)

// projected are the attributes that every index carries beside its keys.
var projected = []string{attrRating, attrLanguage, attrTitle, attrText, attrAuthor, attrVersion, attrUpdated, attrTextBytes}

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

// primaryKey is the key of an item whose PK and SK are the same.
func primaryKey(pk string) item { return item{key.PK: str(pk), key.SK: str(pk)} }

// itemOf returns the whole item of a comment.
func itemOf(c *Comment) item {
	k := key.OfComment(c.ProductID, c.Language, c.Rating, c.Position())
	it := item{
		key.PK: str(k.PK), key.SK: str(k.SK),
		key.GSIPK: str(k.GSIPK), key.GSI2PK: str(k.GSI2PK), key.GSI3PK: str(k.GSI3PK), key.GSI4PK: str(k.GSI4PK),
		key.GSISK:    str(k.GSISK),
		attrRating:   num(c.Rating),
		attrLanguage: str(c.Language),
		attrVersion:  num(c.Version),
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
	return it
}

// commentOf reads an item of the table or of an index. An index holds the
// partition key of no other index, so there the product is the one asked for.
func commentOf(it item, productID string) (Comment, error) {
	c := Comment{ProductID: productID}
	var position key.Position
	var longText string
	var err error
	ok := true
	for name, value := range it {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			switch name {
			case key.GSISK:
				position, ok = key.ParseSortKey(v.Value)
			case key.GSI4PK:
				c.ProductID, ok = key.ProductID(v.Value)
			case attrLanguage:
				c.Language = v.Value
			case attrTitle:
				c.Title = v.Value
			case attrText:
				c.Text = v.Value
			case attrLongText:
				longText = v.Value
			case attrAuthor:
				c.Author = v.Value
			case attrUpdated:
				c.UpdatedAt, err = time.Parse(time.RFC3339Nano, v.Value)
			case attrAttributes:
				c.Attributes = json.RawMessage(v.Value)
			}
		case *types.AttributeValueMemberN:
			switch name {
			case attrRating:
				c.Rating, err = strconv.Atoi(v.Value)
			case attrVersion:
				c.Version, err = strconv.Atoi(v.Value)
			case attrTextBytes:
				c.TextElsewhere = true
			case attrHelpful:
				c.Helpful = new(int)
				*c.Helpful, err = strconv.Atoi(v.Value)
			}
		case *types.AttributeValueMemberBOOL:
			if name == attrVerified {
				c.VerifiedPurchase = &v.Value
			}
		}
		if err != nil || !ok {
			return c, fmt.Errorf("the item's attribute %s is damaged", name)
		}
	}
	if position.CommentID == "" || c.ProductID == "" || c.Rating == 0 || c.Language == "" || c.Version == 0 {
		return c, fmt.Errorf("the item lacks an attribute that every comment has")
	}
	if longText != "" {
		c.Text, c.TextElsewhere = longText, false
	}
	c.ID, c.CreatedAt = position.CommentID, position.CreatedAt
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	return c, nil
}

// sameItem tells whether two items hold the same attributes and values.
func sameItem(a, b item) bool { return reflect.DeepEqual(a, b) }
