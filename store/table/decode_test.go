package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

// taken are the attributes of an answer's items in their order.
type taken struct {
	expected   int
	items      [][]string
	this       []string
	refuseItem error
}

func (r *taken) Expect(items int) { r.expected, r.items, r.this = items, nil, nil }

func (r *taken) Attribute(name string, kind byte, value string) error {
	r.this = append(r.this, fmt.Sprintf("%s %c %s", name, kind, value))
	return nil
}

func (r *taken) EndItem() error {
	r.items, r.this = append(r.items, r.this), nil
	return r.refuseItem
}

func newDecoded(rows Rows) *decodedAnswer {
	return &decodedAnswer{names: NewNames(key.PK, "n", "b", "yes"), rows: rows, sortKey: key.GSISK}
}

// Of an answer exactly the attributes that were asked for are given away, in
// whatever order its parts come.
func TestDecode(t *testing.T) {
	const items = `"Items":[{"PK":{"S":"a\"é"},"n":{"N":"1.5"},"other":{"M":{"n":{"N":"9"},"Items":{"L":[]}}}},{"b":{"B":"eA=="},"yes":{"BOOL":true}},{}]`
	const rest = `"Count":3,"ScannedCount":7,"New":[{}],"ConsumedCapacity":{"Table":{"CapacityUnits":9},"CapacityUnits":2.5},"LastEvaluatedKey":{"PK":{"S":"p"},"GSISK":{"S":"place"}}`
	want := [][]string{{`PK S a"é`, "n N 1.5"}, {"b B x", "yes T true"}, nil}
	for _, body := range []string{"{" + items + "," + rest + "}", "{" + rest + "," + items + "}"} {
		rows := &taken{}
		got := newDecoded(rows)
		testkit.Must(t, got.decode([]byte(body)))
		testkit.Check(t, got.Answer == (Answer{Evaluated: 7, Next: "place", Units: 2.5}) && slices.EqualFunc(rows.items, want, slices.Equal), "got %+v %q", got.Answer, rows.items)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, body := range []string{``, `[]`, `{"Items":{}}`, `{"Items":[`, `{"Count":"x`, `{"Items":[{"PK":"S"}]}`, `{"Items":[{"b":{"B":"?"}}]}`, `{"Items":[{"b":{"B":1}}]}`} {
		rows := &taken{}
		got := newDecoded(rows)
		testkit.Check(t, got.decode([]byte(body)) != nil, "%s was read as %+v %q", body, got.Answer, rows.items)
	}
	cause := errors.New("no comment")
	err := newDecoded(&taken{refuseItem: cause}).decode([]byte(`{"Items":[{}]}`))
	testkit.Check(t, errors.Is(err, cause), "got %v", err)
}

// FuzzAnswer reads what may come instead of an answer: it ends in an error or in an
// answer, never in a panic, and what is taken is JSON.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"Count":1,"ScannedCount":1,"Items":[{"PK":{"S":"a"},"n":{"N":"1"},"b":{"B":"eA=="},"yes":{"BOOL":true}}],"ConsumedCapacity":{"CapacityUnits":0.5},"LastEvaluatedKey":{"GSISK":{"S":"p"}}}`))
	f.Add([]byte(`{"Count":"1"}`))
	f.Add([]byte(`{"ConsumedCapacity":{"CapacityUnits":true}}`))
	f.Add([]byte(`{"Items":[{"PK":{"S":{}}}]}`))
	f.Add([]byte(`{"Items":[{"yes":{"BOOL":[]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows := &taken{}
		if newDecoded(rows).decode(body) != nil {
			return
		}
		var object map[string]json.RawMessage
		err := json.NewDecoder(bytes.NewReader(body)).Decode(&object)
		testkit.Need(t, err == nil, "took %q: %v", body, err)
	})
}
