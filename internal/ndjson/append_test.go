package ndjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/item"
)

func TestAppend(t *testing.T) {
	verified, helpful := true, 0
	c := store.Comment{
		ID: "c/1", ProductID: `4"2`, Rating: 4, Language: "de", Title: "<b> & \\", Text: "a\tb\r\n\u2028 ü",
		CreatedAt:        time.Date(2026, 6, 30, 14, 0, 0, 120_000_000, time.FixedZone("", 7200)),
		VerifiedPurchase: &verified, Helpful: &helpful, Up: 2, Down: 1, Attributes: json.RawMessage(`{"a":1.0}`),
	}
	got := string(Append([]byte("{"), &c))
	want := `{{"productId":"4\"2","commentId":"c/1","rating":4,"language":"de","createdAt":"2026-06-30T12:00:00.12Z",` +
		`"title":"<b> & \\","text":"a\tb\r\n` + "\u2028" + ` ü","verifiedPurchase":true,"helpful":0,"helpfulVotes":2,"unhelpfulVotes":1,"attributes":{"a":1.0}}` + "\n"
	testkit.Equal(t, got, want, "got")
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
			ID:        "c" + rapid.StringMatching(`[ -~]{0,60}`).Draw(t, "id"),
			ProductID: "p" + printable(30).Draw(t, "product"),
			Rating:    rapid.IntRange(1, 5).Draw(t, "rating"),
			Language:  rapid.SampledFrom([]string{"en", "pt-BR", "ja", "zh-Hant-TW"}).Draw(t, "language"),
			CreatedAt: time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			Author:    words(100).Draw(t, "author"),
			Title:     words(300).Draw(t, "title"),
			Text:      item.Said(strings.Join(rapid.SliceOfN(printable(300), 0, 5).Draw(t, "text"), rapid.SampledFrom([]string{"\n", "\r\n", "\t"}).Draw(t, "break"))),
		}
		if rapid.Bool().Draw(t, "has verified") {
			v := rapid.Bool().Draw(t, "verified")
			c.VerifiedPurchase = &v
		}
		if rapid.Bool().Draw(t, "has helpful") {
			n := rapid.IntRange(0, 1<<30).Draw(t, "helpful")
			c.Helpful = &n
		}
		if rapid.Bool().Draw(t, "has votes") {
			c.Up, c.Down = rapid.IntRange(0, 1<<30).Draw(t, "up"), rapid.IntRange(0, 1<<30).Draw(t, "down")
		}
		if c.State = item.State(rapid.IntRange(0, int(item.States)-1).Draw(t, "state")); c.State != item.Published {
			c.Reason = words(item.MaxReason).Draw(t, "reason")
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
	f.Add([]byte(`{` + least + `,"moderation":{"status":"REJECTED","reason":"rude","reports":2},"shopReply":{"text":"Sorry","createdAt":"2026-06-30T12:00:00+02:00"}}`))
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
