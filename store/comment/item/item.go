package item

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/compressed"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Encode returns the whole item of a comment. Author, title and text are one compressed attribute,
// if that is smaller.
func Encode(c *Stored) table.Item {
	it := Plain(c)
	packed(it, c)
	return it
}

// Plain is Encode with author, title and text as the comment has them.
func Plain(c *Stored) table.Item {
	k := key.OfComment(c.ProductID, c.Language, c.Rating, c.Position())
	it := table.Item{key.PK: table.S(k.PK), key.SK: table.S(k.SK)}
	if c.State == Published {
		it[key.GSIPK], it[key.GSI2PK], it[key.GSI3PK], it[key.GSI4PK] = table.S(k.GSIPK), table.S(k.GSI2PK),
			table.S(k.GSI3PK), table.S(k.GSI4PK)
		it[key.GSISK] = table.S(k.GSISK)
		if len(c.Photos) > 0 {
			it[key.PlacedID] = table.S(key.PartitionWithPhotos(c.ProductID).Value)
		}
	} else {
		it[attrOf], it[attrPlace] = table.S(k.GSI4PK), table.S(k.GSISK)
	}
	for i := range fields {
		if v := fields[i].write(c); v != nil {
			it[fields[i].name] = v
		}
	}
	return it
}

// packed replaces author, title and text by one compressed attribute, if that is smaller. A comment
// without a text stays plain, so that nothing must be decompressed to count the ones with a text.
func packed(it table.Item, c *Stored) {
	if c.Text == "" || len(c.Text) > InlineText {
		return
	}
	plain := 0
	for _, name := range []string{attrAuthor, attrTitle, attrText} {
		if v := it[name]; v != nil {
			plain += table.Size(name, v)
		}
	}
	frame := &types.AttributeValueMemberB{Value: compressed.Pack(c.Words())}
	if table.Size(AttrFrame, frame) >= plain {
		return
	}
	delete(it, attrAuthor)
	delete(it, attrTitle)
	delete(it, attrText)
	it[AttrFrame] = frame
}

// Unpack decompresses author, title and text, if they are compressed. It returns an
// Internal error if the compressed text is damaged.
func (c *Stored) Unpack() error {
	if c.Frame == "" {
		return nil
	}
	words, err := compressed.Unpack(c.Frame)
	if err != nil {
		return table.Damaged(table.Key(key.Comment(c.ID)), err)
	}
	c.SetWords(words)
	return nil
}

// SetWords replaces the compressed text by decompressed texts.
func (c *Stored) SetWords(w compressed.Words) {
	c.Author, c.Title, c.Text, c.Frame = w.Author, w.Title, w.Text, ""
}

// Read parses an item of the table or of an index; compressed text stays so. The items of an
// index lack the other indexes' keys, so productID must be the queried product; for an item of
// the table it is empty. Read returns an Internal error for an item that is not a comment.
func Read(it table.Item, productID string) (Stored, error) {
	r := newReader(productID)
	if err := table.EachAttribute(it, Names, r.Attribute); err != nil {
		return Stored{}, table.Damaged(it, err)
	}
	c, err := r.Comment()
	if err != nil {
		return Stored{}, table.Damaged(it, err)
	}
	return c, nil
}

// Reader builds a comment from the attributes of its item, in any order.
type Reader struct {
	c        Stored
	longText string
}

func newReader(productID string) Reader {
	return Reader{c: Stored{Comment: Comment{ProductID: productID, Version: 1}}}
}

// Attribute takes an attribute of type S, N, B, T (for BOOL) or M.
func (r *Reader) Attribute(name string, kind byte, value string) (err error) {
	if sized[name] {
		r.c.Size += len(name) + table.ValueSize(kind, value)
	}
	ok := true
	switch name {
	case key.PK:
	case key.GSISK, attrPlace:
		ok = r.setPosition(value)
	case key.SK: // the sort key of a copy is its position; a comment's repeats its PK
		_ = r.c.ID != "" || r.setPosition(value)
	case key.GSI4PK, attrOf:
		r.c.ProductID, ok = key.ProductID(value)
	default:
		if f := byName[name]; f != nil {
			err = f.read(r, value)
		}
	}
	if err != nil || !ok {
		return fmt.Errorf("its attribute %s is damaged", name)
	}
	return nil
}

// setPosition sets the fields in a sort key GSISK.
func (r *Reader) setPosition(sortKey string) bool {
	p, ok := key.ParseSortKey(sortKey)
	if ok {
		r.c.SortKey, r.c.ID, r.c.CreatedAt = sortKey, p.CommentID, p.CreatedAt
	}
	return ok
}

// Comment returns the comment after all attributes were read.
func (r *Reader) Comment() (Stored, error) {
	c := r.c
	if c.ID == "" || c.ProductID == "" || c.Rating == 0 || c.Language == "" || c.Version == 0 {
		return c, fmt.Errorf("it lacks an attribute that every comment has")
	}
	if r.longText != "" {
		c.Text, c.TextElsewhere = r.longText, false
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	return c, nil
}

// Rows collects the comments of a query's response; see table.Rows.
type Rows struct {
	ProductID string
	Comments  []*Stored
	room      []Stored // for the next; comments stay where they are, because copies of many take more than themselves
	reading   Reader
	begun     bool // an attribute of the current item was read
}

// Expect discards everything read and makes room.
func (r *Rows) Expect(items int) {
	r.Comments, r.room, r.begun = make([]*Stored, 0, items), make([]Stored, 0, items), false
}

// roomOfRows is the number of comments for which Rows makes room at once.
const roomOfRows = 32

// Attribute reads an attribute of the current item.
func (r *Rows) Attribute(name string, kind byte, value string) error {
	if !r.begun {
		r.reading, r.begun = newReader(r.ProductID), true
	}
	return r.reading.Attribute(name, kind, value)
}

// EndItem completes the current item.
func (r *Rows) EndItem() error {
	if !r.begun { // an item with none of the attributes
		r.reading = newReader(r.ProductID)
	}
	c, err := r.reading.Comment()
	r.begun = false
	if len(r.room) == cap(r.room) {
		r.room = make([]Stored, 0, roomOfRows)
	}
	r.room = append(r.room, c)
	r.Comments = append(r.Comments, &r.room[len(r.room)-1])
	return err
}

// IfUnchanged makes a write conditional on a comment's item being unchanged since it was read:
// version, index keys, state, reports, last writes and definitions, which backfills change without
// a new version.
func IfUnchanged(w table.Write, stored table.Item) table.Write {
	return w.Unchanged(stored, restsOn()...)
}

// IfSameGeneration is IfUnchanged with the additional condition that no rebuild has touched the
// item, so that the stream record has the generation that was read.
func IfSameGeneration(w table.Write, stored table.Item) table.Write {
	return w.Unchanged(stored, append(restsOn(), AttrGeneration)...)
}

// restsOn returns the attributes in the condition of IfUnchanged.
func restsOn() []string {
	return []string{AttrVersion, key.GSIPK, key.GSISK, AttrDefined, AttrState, AttrReports, AttrVerified,
		attrWrites}
}
