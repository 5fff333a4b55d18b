package embedded_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// seen are rows as texts, with the attributes in order.
type seen struct{ items, current []string }

func (s *seen) Expect(int) { s.items, s.current = nil, nil }
func (s *seen) Attribute(name string, kind byte, value string) error {
	s.current = append(s.current, fmt.Sprintf("%s:%c=%q", name, kind, value))
	return nil
}
func (s *seen) EndItem() error {
	slices.Sort(s.current)
	s.items, s.current = append(s.items, fmt.Sprint(s.current)), nil
	return nil
}

// Rows that come as they are stored are the same as through the SDK's items: attributes of all types,
// filters, limits, pages and costs.
func TestRowsAreTheSDKsItems(t *testing.T) {
	e := open(t, embedded.Options{DataDir: t.TempDir()})
	in := table.ColumnsDefinition("things")
	in.TableName = aws.String(table.ColumnsName("things"))
	testkit.Value(e.CreateTable(t.Context(), in))(t)
	of := key.ColumnValues("42", "size")
	for i := range 20 {
		it := table.ColumnKey(of.Value, string([]byte{byte(i), 0, byte(255 - i)}))
		it["n"], it["yes"], it["no"], it["left"] = table.N(i), table.Bool(true), table.Bool(false), table.S("out")
		it["b"] = table.B([]byte{0, byte(i)})
		it["m"] = &types.AttributeValueMemberM{Value: item{"a": table.N(i), "s": table.S("<é>"), "t": table.Bool(i%2 == 0)}}
		testkit.Value(e.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: in.TableName, Item: it}))(t)
	}
	names := table.NewNames(key.PK, key.SK, "n", "yes", "no", "b", "m")
	direct, plain := table.New(e, "things", table.Options{}), table.New(&storetest.Calls{API: e}, "things", table.Options{})
	for _, q := range []table.Query{
		{}, {Descending: true}, {Limit: 7}, {Limit: 20}, {Limit: 7, Descending: true, After: map[string]string{key.PK: of.Value, key.SK: "\x09\x00\xf6"}},
		{Filter: "n > :n", Values: item{":n": table.N(14)}}, {Filter: "n > :n", Values: item{":n": table.N(14)}, Limit: 17},
		{From: "\x03", To: "\x05\xff"}, {Until: "\x03"},
	} {
		q.Partition = of
		var a, b seen
		got := testkit.Value(direct.QueryRows(t.Context(), q, names, &a))(t)
		want := testkit.Value(plain.QueryRows(t.Context(), q, names, &b))(t)
		testkit.Check(t, got == want && slices.Equal(a.items, b.items), "%+v:\n%+v %v\nwant\n%+v %v", q, got, a.items, want, b.items)
	}
	refusing := &refuses{}
	_, err := direct.QueryRows(t.Context(), table.Query{Partition: of}, names, refusing)
	testkit.Fails(t, err, of.Value)
}

// refuses takes no attribute.
type refuses struct{ seen }

func (*refuses) Attribute(string, byte, string) error { return fmt.Errorf("not this") }
