package ndjson

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/orders"
)

// An order comes back as it was written.
func TestOrderRoundTrip(t *testing.T) {
	at := time.Date(2023, 1, 15, 9, 30, 0, 7, time.UTC)
	o := orders.Order{ID: `o"1`, Username: "alice", Status: orders.Returned, Times: orders.Times{at, time.Time{}, at.Add(1)},
		Lines: []orders.Line{{ProductID: "p/1", Quantity: 2, Price: &orders.Money{Amount: "12.50", Currency: "EUR"}}, {ProductID: "p2", Quantity: 1}}}
	line, err := AppendOrder(nil, &o)
	testkit.Need(t, err == nil && strings.Count(string(line), "\n") == 1, "%s, %v", line, err)
	got, err := ParseOrder(line)
	testkit.Check(t, err == nil && reflect.DeepEqual(got, o), "%s came back as %+v, %v", line, got, err)
}

// What is wrong with a line is told with its field.
func TestWrongOrders(t *testing.T) {
	const rest = `"username":"u","status":"PLACED","placedAt":"2023-01-01T00:00:00Z","lines":[{"productId":"p","quantity":1}]}`
	for line, want := range map[string]string{
		`{"orderId":7,` + rest:                 "orderId: ",
		`{"orderId":"1","OrderId":"2",` + rest: "OrderId: no field has this name",
		`{"orderId":"1","orderId":"2",` + rest: "orderId: it is given twice",
		`{"orderId":"x\ud800",` + rest:         "orderId: it holds half of a character",
		"{\"orderId\":\"x\xff\"," + rest:       "orderId: it is not valid UTF-8",
		strings.Replace(`{"orderId":"1",`+rest, `"productId":"p"`, `"productId":"\ud800"`, 1): "lines.0.productId: it holds half of a character",
		`{` + rest: "orderId: it is empty",
		strings.Replace(`{"orderId":"1",`+rest, "PLACED", "SENT", 1):                         "status: ",
		strings.Replace(`{"orderId":"1",`+rest, "2023-01-01T00:00:00Z", "yesterday", 1):      "placedAt: ",
		strings.Replace(`{"orderId":"1",`+rest, `"quantity":1`, `"quantity":1.5`, 1):         "lines.0.quantity: ",
		strings.Replace(`{"orderId":"1",`+rest, `[{"productId":"p","quantity":1}]`, `[]`, 1): "lines: an order has at least one",
		`[]`:             "not a JSON object",
		`{"orderId":"1"`: "not a JSON object",
	} {
		o, err := ParseOrder([]byte(line))
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %+v, %v, want %q", line, o, err, want)
	}
}
