package ndjson

import (
	"errors"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

const least = `"productId":"42","commentId":"c-1","rating":5,"language":"en","createdAt":"2026-06-30T12:00:00Z"`

func TestParse(t *testing.T) {
	line := `{` + least + `,"author":"Ann","title":"<Fine> & dandy","text":"a\nb \ud83d\ude00","verifiedPurchase":false,"helpful":3,` +
		`"attributes":{ "seat": "12\u0041", "score":3.0, "big": 12345678901234567890, "none": null },"source":{"any":[1]}}` + "\r\n"
	c := testkit.Value(Parse([]byte(line)))(t)
	if c.ProductID != "42" || c.ID != "c-1" || c.Rating != 5 || c.Language != "en" || c.Author != "Ann" ||
		c.Title != "<Fine> & dandy" || c.Text != "a\nb 😀" || *c.VerifiedPurchase || *c.Helpful != 3 ||
		!c.CreatedAt.Equal(time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v", c)
	}
	testkit.Equal(t, string(c.Attributes), `{"seat":"12\u0041","score":3.0,"big":12345678901234567890,"none":null}`, "attributes")
}

func TestParseAbsent(t *testing.T) {
	for _, more := range []string{
		``,
		`,"author":null,"title":null,"text":null,"verifiedPurchase":null,"helpful":null,"attributes":null`,
		`,"author":"","title":"","text":"","attributes":{}`,
		`,"author":" \t","title":"\u00a0\u2003","text":"\r\n \u3000\u2028\u0085","attributes":{}`,
		`,"Title":"of another system","TEXT":"x","rating ":1`,
	} {
		c, err := Parse([]byte(`{` + least + more + `}`))
		testkit.Check(t, err == nil, "%s: %v", more, err)
		testkit.Check(t, c.Author == "" && c.Title == "" && c.Text == "" && c.VerifiedPurchase == nil && c.Helpful == nil && c.Attributes == nil && c.Rating == 5, "%s: got %+v", more, c)
	}
}

func TestParseCanonical(t *testing.T) {
	c := testkit.Value(Parse([]byte(`{"productId":"42","commentId":"c","rating":1,"language":"pt_br","createdAt":"2026-06-30T23:00:00.000000001-03:00"}`)))(t)
	testkit.Check(t, c.Language == "pt-BR" && c.CreatedAt.Format(time.RFC3339Nano) == "2026-07-01T02:00:00.000000001Z", "got %+v", c)
}

func TestParseRefuses(t *testing.T) {
	with := func(field, value string) string {
		var out []string
		for _, member := range strings.Split(least, `,`) {
			if !strings.HasPrefix(member, `"`+field+`":`) {
				out = append(out, member)
			}
		}
		if value != "" {
			out = append(out, `"`+field+`":`+value)
		}
		return `{` + strings.Join(out, ",") + `}`
	}
	tests := []struct{ name, line, field, message string }{
		{"empty", ``, "", "the JSON ends too early"},
		{"cut", `{` + least, "", "the JSON ends too early"},
		{"cut in a name", `{"produ`, "", "the JSON ends too early"},
		{"list", `[` + least + `]`, "", "it does not start with {"},
		{"text", `productId,commentId`, "", "invalid character"},
		{"two objects", `{` + least + `}{}`, "", "the object is followed by other text"},
		{"dangling comma", `{` + least + `,}`, "", "not a JSON object"},
		{"no colon", `{"productId" "42"}`, "", "not a JSON object"},
		{"no comma", `{"productId":"42" "commentId":"1"}`, "", "not a JSON object"},
		{"Latin-1", "{" + least + ",\"text\":\"caf\xe9\"}", "text", "it is not valid UTF-8"},
		{"Latin-1 in an attribute", "{" + least + ",\"attributes\":{\"size\":\"caf\xe9\"}}", "attributes.size", "it is not valid UTF-8"},
		{"Latin-1 alone", "caf\xe9", "", "it is not valid UTF-8"},
		{"half an emoji", `{` + least + `,"text":"nice \ud83d"}`, "text", "an unpaired surrogate"},
		{"its other half", `{` + least + `,"author":"\ude00 nice"}`, "author", "an unpaired surrogate"},
		{"half an emoji in an id", with("commentId", `"x\ud800"`), "commentId", "an unpaired surrogate"},
		{"half an emoji in an attribute", `{` + least + `,"attributes":{"note":"nice \ud83d","fit":4,"size":"M"}}`, "attributes.note", "an unpaired surrogate"},
		{"half an emoji in an attribute's name", `{` + least + `,"attributes":{"fit":4,"\ud83d":"M"}}`, "attributes", "an unpaired surrogate"},
		{"half an emoji in a reply", `{` + least + `,"shopReply":{"text":"\ud83d","createdAt":"2026-06-30T12:00:00Z"}}`, "shopReply.text", "an unpaired surrogate"},
		{"half an emoji in a reason", `{` + least + `,"moderation":{"status":"REJECTED","reason":"\ud83d"}}`, "moderation.reason", "an unpaired surrogate"},
		{"half an emoji in what no field has", `{` + least + `,"source":["\ud83d"]}`, "source.0", "an unpaired surrogate"},
		{"an attribute twice", `{` + least + `,"attributes":{"fit":4,"size":"M","fit":5}}`, "attributes.fit", "it is given twice: give it once"},
		{"an attribute twice, escaped", `{` + least + `,"attributes":{"fit":4,"f\u0069t":5}}`, "attributes.fit", "it is given twice: give it once"},
		{"a member of an object twice", `{` + least + `,"moderation":{"status":"REJECTED","status":"PENDING"}}`, "moderation.status", "it is given twice: give it once"},
		{"a text without width", `{` + least + `,"text":"\u200b\ufeff"}`, "text", "no visible character"},
		{"a title without width, and white space", `{` + least + `,"title":" \u200b\u00a0"}`, "title", "no visible character"},
		{"an empty reply", `{` + least + `,"shopReply":{"text":" \u00a0","createdAt":"2026-06-30T12:00:00Z"}}`, "shopReply.text", "it is missing"},
		{"no product", with("productId", ""), "productId", "it is missing"},
		{"no comment id", with("commentId", ""), "commentId", "it is missing"},
		{"no rating", with("rating", ""), "rating", "it is missing"},
		{"no language", with("language", ""), "language", "it is missing"},
		{"no time", with("createdAt", ""), "createdAt", "it is missing"},
		{"name with another case", strings.Replace(`{`+least+`}`, "createdAt", "createdat", 1), "createdAt", "it is missing"},
		{"null id", with("commentId", "null"), "commentId", "it is missing"},
		{"empty id", with("commentId", `""`), "commentId", "it is empty"},
		{"a comment's global id", with("commentId", `"Q29tbWVudDox"`), "commentId", `"Q29tbWVudDox" reads as the global id of the Comment "1": give the Comment's own id, or Q29tbWVudDpRMjl0YldWdWREb3g if this text is its own id`},
		{"a product's global id as a comment's", with("commentId", `"UHJvZHVjdDo3MjAw"`), "commentId", `reads as the global id of the Product "7200": give the Comment's own id, or `},
		{"a product's global id", with("productId", `"UHJvZHVjdDo3MjAw"`), "productId", `reads as the global id of the Product "7200"`},
		{"number as id", with("productId", "42"), "productId", "it is a number, expected a string"},
		{"string as rating", with("rating", `"5"`), "rating", "it is a string, expected a number"},
		{"fraction", with("rating", "4.5"), "rating", "4.5 is not an integer"},
		{"point", with("rating", "5.0"), "rating", "5.0 is not an integer"},
		{"exponent", with("rating", "5e0"), "rating", "5e0 is not an integer"},
		{"huge", with("rating", strings.Repeat("9", 400)), "rating", "is not an integer"},
		{"six", with("rating", "6"), "rating", "6 is not a rating from 1 to 5"},
		{"minus nothing", with("rating", "-0"), "rating", "0 is not a rating"},
		{"language", with("language", `"English"`), "language", "is not a BCP 47 language tag"},
		{"day only", with("createdAt", `"2026-06-30"`), "createdAt", "is not a time of RFC 3339"},
		{"no offset", with("createdAt", `"2026-06-30T12:00:00"`), "createdAt", "is not a time of RFC 3339"},
		{"one digit", with("createdAt", `"2026-06-30T2:00:00Z"`), "createdAt", "is not a time of RFC 3339"},
		{"comma", with("createdAt", `"2026-06-30T12:00:00,5Z"`), "createdAt", "is not a time of RFC 3339"},
		{"seconds", with("createdAt", `1782820800`), "createdAt", "it is a number, expected a string"},
		{"long ago", with("createdAt", `"1969-12-31T23:59:59Z"`), "createdAt", "is not in the years"},
		{"no truth", with("verifiedPurchase", `"yes"`), "verifiedPurchase", "it is a string, expected true or false"},
		{"negative", with("helpful", `-1`), "helpful", "-1 is negative"},
		{"negative votes", with("helpfulVotes", `-1`), "helpfulVotes", "-1 is negative"},
		{"negative votes against", with("unhelpfulVotes", `-1`), "unhelpfulVotes", "-1 is negative"},
		{"list of attributes", with("attributes", `[1]`), "attributes", "it is a list, expected an object"},
		{"deep attributes", with("attributes", `{"a":{}}`), "attributes", "an object or a list as its value"},
		{"long title", with("title", `"`+strings.Repeat("x", 301)+`"`), "title", "the limit is 300"},
		{"twice", `{` + least + `,"rating":1}`, "rating", "it is given twice: give it once"},
		{"twice with null", `{` + least + `,"rating":null}`, "rating", "it is given twice: give it once"},
		{"control character", with("commentId", `"a\u0000"`), "commentId", "control character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.line))
			var coded *errs.Error
			if !errors.As(err, &coded) || coded.Code != errs.BadUserInput || coded.Field != test.field || !strings.Contains(coded.Message, test.message) {
				t.Errorf("got %v, want field %q and %q", err, test.field, test.message)
			}
		})
	}
}

func TestParseDoesNotKeepTheLine(t *testing.T) {
	line := []byte(`{` + least + `,"attributes":{"a":"b"}}`)
	c := testkit.Value(Parse(line))(t)
	clear(line)
	testkit.Check(t, c.ID == "c-1" && string(c.Attributes) == `{"a":"b"}`, "got %+v", c)
}
