package item

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store/table"
)

// What lists show of a comment's attributes is a map in the table, so that filters
// can look into it, and the same JSON when it is read.
func TestShownAttributesComeBack(t *testing.T) {
	c := Stored{Defined: "3.1.shoes", Comment: Comment{
		ID: "c", ProductID: "42", Rating: 4, Language: "en", CreatedAt: time.Unix(1e9, 0).UTC(), UpdatedAt: time.Unix(1e9, 0).UTC(), Version: 1,
		Shown: json.RawMessage(`{"again":true,"fit":-4.5,"nü\"":"a\nb","size":"10"}`), Attributes: json.RawMessage(`{"other":1}`),
	}}
	it := Encode(&c, nil)
	m := it[AttrShown].(*types.AttributeValueMemberM).Value
	if !table.SameValue(m["fit"], &types.AttributeValueMemberN{Value: "-4.5"}) || !table.SameValue(m["size"], table.S("10")) || !table.SameValue(m["again"], table.Bool(true)) {
		t.Errorf("%v", m)
	}
	got, err := Read(it, "")
	testkit.Check(t, err == nil && string(got.Shown) == string(c.Shown) && got.Defined == c.Defined, "came back as %s of %q, %v", got.Shown, got.Defined, err)
	without := c
	without.Shown = nil
	plain, err := Read(Encode(&without, nil), "")
	// DynamoDB counts 3 bytes for a map, 1 for each member, names, and values.
	if more := got.Size - plain.Size; err != nil || plain.Shown != nil || more != len(AttrShown)+3+4+len("again"+"fit"+`nü"`+"size")+1+3+len("a\nb")+len("10") {
		t.Errorf("it takes %d bytes more than without, %v", more, err)
	}
	it[AttrShown] = &types.AttributeValueMemberM{Value: table.Item{"a": &types.AttributeValueMemberNULL{Value: true}}}
	_, err = Read(it, "")
	testkit.Check(t, err != nil, "an attribute of another form was read")
}
