package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"product-comments/graph/globalid"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/orders"
)

func TestAppend(t *testing.T) {
	verified, helpful := true, 0
	c := store.Comment{
		ID: "c/1", ProductID: `4"2`, Rating: 4, Language: "de", Title: "<b> & \\", Text: "a\tb\r\n\u2028 ü",
		CreatedAt:        time.Date(2026, 6, 30, 14, 0, 0, 120_000_000, time.FixedZone("", 7200)),
		VerifiedPurchase: &verified, Helpful: &helpful, Up: 2, Down: 1, Attributes: json.RawMessage(`{"a":1.0}`),
		Photos: []store.Photo{{ID: "mfrggzdfmztwq2lknnwg23tpoa", Width: 1600, Height: 1200, Placeholder: "x", Description: "A <b>"}, {ID: "aaaaaaaaaaaaaaaaaaaaaaaaaa", Width: 1, Height: 2}},
	}
	got := string(Append([]byte("{"), &c))
	want := `{{"productId":"4\"2","commentId":"c/1","rating":4,"language":"de","createdAt":"2026-06-30T12:00:00.12Z",` +
		`"title":"<b> & \\","text":"a\tb\r\n` + "\u2028" + ` ü","verifiedPurchase":true,"helpful":0,"helpfulVotes":2,"unhelpfulVotes":1,"attributes":{"a":1.0},"photos":[{"id":"mfrggzdfmztwq2lknnwg23tpoa","description":"A <b>","width":1600,"height":1200,"placeholder":"x"},{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaa","width":1,"height":2}]}` + "\n"
	testkit.Equal(t, got, want, "got")
	c.Title = "<b>"
	back, unknown, err := (&Reader{Strict: true}).Read(Append(nil, &c))
	testkit.Check(t, err == nil && unknown == nil && back.Photos == nil, "%+v, %q, %v", back, unknown, err)
	for line, says := range map[string]string{`"x"`: "photos: it is a string", `[{"file":"a.jpg","url":"https://a.example"}]`: "photos.0: it has a file and a url", `[{"files":"a.jpg"}]`: "files", `[1]`: "photos"} {
		_, err := Parse([]byte(strings.Replace(string(Append(nil, &back)), "{", `{"photos":`+line+",", 1)))
		testkit.Fails(t, err, says)
	}
}

// ownID returns an id, or one that reads as a global id of it.
func ownID(t *rapid.T, id string, most int) string {
	kind := rapid.SampledFrom([]globalid.Kind{"", globalid.Product, globalid.Comment, globalid.User, globalid.Order}).Draw(t, "kind")
	if global := globalid.Of(kind, id); kind != "" && len(global) <= most {
		return global
	}
	return id
}

// comments draws valid ones, of characters that can be seen.
func comments() *rapid.Generator[store.Comment] {
	visible := func(r rune) bool {
		return unicode.IsPrint(r) && r != unicode.ReplacementChar && r != '\u2800' &&
			!unicode.IsOneOf([]*unicode.RangeTable{unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point}, r)
	}
	printable := func(most int) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.Rune().Filter(visible), 0, most, 4*most)
	}
	words := func(most int) *rapid.Generator[string] { return rapid.Map(printable(most), item.Said) }
	return rapid.Custom(func(t *rapid.T) store.Comment {
		c := store.Comment{
			ID:        ownID(t, "c"+rapid.StringMatching(`[ -~]{0,60}`).Draw(t, "id"), item.MaxCommentID),
			ProductID: ownID(t, "p"+printable(30).Draw(t, "product"), item.MaxProductID),
			Rating:    rapid.IntRange(1, 5).Draw(t, "rating"),
			Language:  rapid.SampledFrom([]string{"en", "pt-BR", "ja", "zh-Hant-TW"}).Draw(t, "language"),
			CreatedAt: time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			Author:    words(100).Draw(t, "author"),
			Title:     words(300).Draw(t, "title"),
			Text:      item.Said(strings.Join(rapid.SliceOfN(printable(300), 0, 5).Draw(t, "text"), rapid.SampledFrom([]string{"\n", "\r\n", "\t"}).Draw(t, "break"))),
		}
		for _, o := range item.Optionals {
			if !rapid.Bool().Draw(t, "has "+o.Name) {
				continue
			}
			switch to := o.In(&c).(type) {
			case **bool:
				*to = new(rapid.Bool().Draw(t, o.Name))
			case **int:
				*to = new(rapid.IntRange(0, 1<<30).Draw(t, o.Name))
			case **string:
				*to = new(words(100).Draw(t, o.Name))
			case **time.Time:
				*to = new(c.CreatedAt.Add(-time.Duration(rapid.Int64Range(0, c.CreatedAt.UnixNano()).Draw(t, o.Name))))
			}
		}
		if c.Invited = rapid.Bool().Draw(t, "invited"); c.Invited {
			c.Incentive = rapid.SampledFrom(item.Incentives[1:]).Draw(t, "incentive")
		}
		if rapid.Bool().Draw(t, "has votes") {
			c.Up, c.Down = rapid.IntRange(0, 1<<30).Draw(t, "up"), rapid.IntRange(0, 1<<30).Draw(t, "down")
		}
		if c.State = item.State(rapid.IntRange(0, int(item.States)-1).Draw(t, "state")); c.State != item.Published {
			c.Reason = words(item.MaxReason).Draw(t, "reason")
			if codes := item.Codes[c.State]; codes != nil {
				c.Code = rapid.SampledFrom(codes).Draw(t, "code")
			}
		}
		c.Reports = rapid.IntRange(0, 3).Draw(t, "reports")
		if text := words(item.MaxReply).Draw(t, "reply"); text != "" {
			c.Reply = &item.Reply{Text: text, CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "edited")))}
		}
		if values := rapid.MapOfN(printable(10), printable(40), 0, 5).Draw(t, "attributes"); len(values) > 0 {
			c.Attributes, _ = json.Marshal(values)
		}
		return c
	})
}

// A count beyond the largest number of the format is written as that, so that the line is readable.
func TestCountsSaturate(t *testing.T) {
	c, err := Parse([]byte(`{` + least + `}`))
	testkit.Need(t, err == nil, "%v", err)
	many := 1 << 31
	c.Up, c.Down, c.Helpful = many, many, &many
	back, err := Parse(Append(nil, &c))
	testkit.Need(t, err == nil, "%v", err)
	testkit.Check(t, back.Up == many-1 && back.Down == many-1 && *back.Helpful == many-1, "read %+v", back)
}

func TestRoundTrip(t *testing.T) {
	all := comments()
	rapid.Check(t, func(t *rapid.T) {
		c := all.Draw(t, "comment")
		line := Append(nil, &c)
		testkit.Need(t, bytes.IndexByte(line, '\n') == len(line)-1 && json.Valid(line), "not one line of JSON: %q", line)
		back, err := Parse(line)
		testkit.Need(t, err == nil, "%v: %s", err, line)
		testkit.Need(t, reflect.DeepEqual(back, c), "wrote %+v\nread  %+v", c, back)
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{` + least + `}`))
	f.Add([]byte(`{` + least + `,"text":"a\n\u00e9\ud800","helpful":3,"attributes":{"a":1.0,"b":[]}}`))
	f.Add([]byte(`{` + least + `,"moderation":{"status":"REJECTED","code":"SPAM","reason":"rude","reports":2},"shopReply":{"text":"Sorry","createdAt":"2026-06-30T12:00:00+02:00"}}`))
	f.Add([]byte(`{"rating":5,"Rating":1,"rating":null,}`))
	f.Add([]byte(`{` + least + `,"x":{"y":[{}]}} ` + "\r\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := Parse(line)
		if err != nil {
			return
		}
		testkit.Need(t, json.Valid(line), "took what is not JSON: %q", line)
		again, err := Parse(Append(nil, &c))
		testkit.Need(t, err == nil, "%v: refused what was written for %q", err, line)
		testkit.Need(t, reflect.DeepEqual(again, c), "read %+v\nthen %+v", c, again)
	})
}

// An order that was written is read without a change, whatever its ids.
func TestOrderRoundTrip(t *testing.T) {
	at := time.Date(2023, 1, 15, 9, 30, 0, 7, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		o := orders.Order{ID: ownID(t, `o"1`, 64), Username: ownID(t, "alice", 256), Status: orders.Returned, Times: orders.Times{at, time.Time{}, at.Add(1)},
			Lines: []orders.Line{{ProductID: ownID(t, "p/1", 128), Quantity: 2, Price: &orders.Money{Amount: "12.50", Currency: "EUR"}}, {ProductID: "p2", Quantity: 1}}}
		line, err := AppendOrder(nil, &o)
		testkit.Need(t, err == nil && strings.Count(string(line), "\n") == 1, "%s, %v", line, err)
		got, err := ParseOrder(line)
		testkit.Need(t, err == nil && reflect.DeepEqual(got, o), "%s came back as %+v, %v", line, got, err)
	})
}

// What is wrong with a line is reported with its field.
func TestWrongOrders(t *testing.T) {
	const rest = `"subject":"u","status":"PLACED","placedAt":"2023-01-01T00:00:00Z","lines":[{"productId":"p","quantity":1}]}`
	for line, want := range map[string]string{
		`{"orderId":7,` + rest:                 "orderId: ",
		`{"orderId":"1","OrderId":"2",` + rest: "OrderId: unknown field",
		`{"orderId":"1","orderId":"2",` + rest: "orderId: it is given twice: give it once",
		`{"orderId":"x\ud800",` + rest:         "orderId: it has an unpaired surrogate",
		"{\"orderId\":\"x\xff\"," + rest:       "orderId: it is not valid UTF-8",
		strings.Replace(`{"orderId":"1",`+rest, `"productId":"p"`, `"productId":"\ud800"`, 1): "lines.0.productId: it has an unpaired surrogate",
		`{` + rest:                          "orderId: it is empty",
		`{"orderId":"T3JkZXI6MTIz",` + rest: `orderId: "T3JkZXI6MTIz" reads as the global id of the Order "123": give the Order's own id, or T3JkZXI6VDNKa1pYSTZNVEl6 if`,
		strings.Replace(`{"orderId":"1",`+rest, `"u"`, `"VXNlcjphbGljZQ"`, 1):                "subject: ",
		strings.Replace(`{"orderId":"1",`+rest, `"p"`, `"UHJvZHVjdDo3MjAw"`, 1):              "lines.0.productId: ",
		strings.Replace(`{"orderId":"1",`+rest, "PLACED", "SENT", 1):                         "status: ",
		strings.Replace(`{"orderId":"1",`+rest, "2023-01-01T00:00:00Z", "yesterday", 1):      "placedAt: ",
		strings.Replace(`{"orderId":"1",`+rest, `"quantity":1`, `"quantity":1.5`, 1):         "lines.0.quantity: ",
		strings.Replace(`{"orderId":"1",`+rest, `[{"productId":"p","quantity":1}]`, `[]`, 1): "lines: it is empty: give at least one",
		`[]`:             "not a JSON object",
		`{"orderId":"1"`: "not a JSON object",
	} {
		o, err := ParseOrder([]byte(line))
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: %+v, %v, want %q", line, o, err, want)
	}
}

func TestSet(t *testing.T) {
	for _, test := range []struct {
		field, text, refused string
		got                  func(c *store.Comment) bool
	}{
		{"rating", "5.0", "", func(c *store.Comment) bool { return c.Rating == 5 }},
		{"rating", " 4 ", "", func(c *store.Comment) bool { return c.Rating == 4 }},
		{"rating", "4.5", "is not a whole rating", nil},
		{"rating", "", "is not a rating such as", nil},
		{"helpful", "99999999999", "is not an integer of 32 bits", nil},
		{"helpful", "3", "", func(c *store.Comment) bool { return *c.Helpful == 3 }},
		{"helpful", "1234", "", func(c *store.Comment) bool { return *c.Helpful == 1234 }},
		{"helpful", "+3,00", "", func(c *store.Comment) bool { return *c.Helpful == 3 }},
		{"helpful", "1,000", `"1,000" may be 1000 or 1.000: write 1000, or with one more decimal 1.0000`, nil},
		{"helpfulVotes", " -2.000 ", "may be -2000 or -2.000", nil},
		{"rating", "2.000", "may be 2000 or 2.000", nil},
		{"helpful", "12,345", "may be 12345 or 12.345", nil},
		{"helpful", "2.0000", "", func(c *store.Comment) bool { return *c.Helpful == 2 }},
		{"helpful", "1234.000", "", func(c *store.Comment) bool { return *c.Helpful == 1234 }},
		{"helpful", "0,000", "", func(c *store.Comment) bool { return *c.Helpful == 0 }},
		{"helpful", "1,000,000", "is not a whole number", nil},
		{"helpful", "1.000,00", "is not a whole number", nil},
		{"helpful", "1 000", "is not a whole number", nil},
		{"verifiedPurchase", " ON ", "", func(c *store.Comment) bool { return *c.VerifiedPurchase }},
		{"verifiedPurchase", "t", "", func(c *store.Comment) bool { return *c.VerifiedPurchase }},
		{"verifiedPurchase", "f", "", func(c *store.Comment) bool { return !*c.VerifiedPurchase }},
		{"verifiedPurchase", "FALSE", "", func(c *store.Comment) bool { return !*c.VerifiedPurchase }},
		{"verifiedPurchase", "perhaps", "not a boolean", nil},
		{"title", " Good ", "", func(c *store.Comment) bool { return c.Title == " Good " }},
		{"attributes", "{}", "written as plain text", nil},
		{"Rating", "5", `did you mean "rating"?`, nil},
	} {
		var c store.Comment
		err := Set(&c, test.field, test.text)
		var coded *errs.Error
		switch {
		case test.refused == "" && (err != nil || !test.got(&c)):
			t.Errorf("%s=%q: %+v, %v", test.field, test.text, c, err)
		case test.refused != "" && (!errors.As(err, &coded) || coded.Field != test.field || !strings.Contains(coded.Message, test.refused)):
			t.Errorf("%s=%q: %v, want %s", test.field, test.text, err, test.refused)
		}
	}
}

func TestMeant(t *testing.T) {
	for name, want := range map[string]string{
		"Text": "text", "TEXT ": "text", "txt": "text", "product_id": "productId", "Created At": "createdAt", "langauge": "language",
		"verified_purchase": "verifiedPurchase", "authors": "author", "body": "", "source": "", "test": "text", "next": "text",
		"": "", "x": "", strings.Repeat("text", 1000): "",
	} {
		testkit.Equal(t, nearest(name), want, "%.20q is like", name)
	}
	_, unknown, err := new(Reader).Read([]byte(`{` + least + `,"Text":"x","b":1,"b":2}`))
	testkit.Check(t, err == nil && strings.Join(unknown, " ") == "Text b", "unknown: %q, %v", unknown, err)
}
