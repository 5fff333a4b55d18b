package item

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
	"product-comments/store/table"
)

// answers is a client's connection to a DynamoDB that answers everything with
// the same body.
type answers []byte

func (a answers) Do(*http.Request) (*http.Response, error) {
	header := http.Header{"X-Amz-Crc32": {fmt.Sprint(crc32.ChecksumIEEE(a))}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(bytes.NewReader(a))}, nil
}

// queried is what a query of a product's comments makes of an answer.
func queried(ctx context.Context, body []byte, productID string) ([]Stored, table.Answer, error) {
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://127.0.0.1:1"), HTTPClient: answers(body), Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	in, q := table.New(client, "comments", table.Options{}), table.Query{Partition: key.PartitionAll(productID)}
	read := func() ([]Stored, table.Answer, error) {
		rows := &Rows{ProductID: productID}
		answer, err := in.QueryRows(ctx, q, Names, rows)
		var all []Stored
		for _, c := range rows.Comments {
			all = append(all, *c)
		}
		return all, answer, err
	}
	if all, answer, err := read(); err != nil { // the SDK reads the first answer, the table later ones
		return all, answer, err
	}
	return read()
}

// spelledItem writes an item as DynamoDB's JSON.
func spelledItem(it table.Item) map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, value := range it {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			out[name] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			out[name] = map[string]any{"N": v.Value}
		case *types.AttributeValueMemberB:
			out[name] = map[string]any{"B": v.Value}
		case *types.AttributeValueMemberBOOL:
			out[name] = map[string]any{"BOOL": v.Value}
		}
	}
	return out
}

// What is read straight from the answer is what would be read from the SDK's
// unmarshalled answer.
func TestDecodedEqualsUnmarshalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		encode := encoding(t)
		want := table.Answer{Evaluated: 3000, Units: rapid.Float64Range(0, 100).Draw(t, "units")}
		answer := map[string]any{"ScannedCount": 3000, "ConsumedCapacity": map[string]any{"TableName": "comments", "CapacityUnits": want.Units, "Table": map[string]any{"CapacityUnits": 99}}}
		items := []any{}
		var comments []Stored
		for range rapid.IntRange(0, 5).Draw(t, "items") {
			it := encode(anyComment(t))
			if rapid.Bool().Draw(t, "from an index") {
				delete(it, attrLongText)
			}
			c := testkit.Value(Read(it, "4/2"))(t)
			comments = append(comments, c)
			spelled := spelledItem(it)
			spelled["unknown"] = map[string]any{"M": map[string]any{"rating": map[string]any{"N": "9"}, "Items": map[string]any{"L": []any{}}}}
			items = append(items, spelled)
			want.Next = c.SortKey
			answer["LastEvaluatedKey"] = spelledItem(it)
		}
		answer["Items"], answer["Count"] = items, len(items)
		if rapid.Bool().Draw(t, "at the end") {
			delete(answer, "LastEvaluatedKey")
			want.Next = ""
		}
		body, err := json.Marshal(answer)
		testkit.Need(t, err == nil, "%v", err)
		got, gotAnswer, err := queried(t.Context(), body, "4/2")
		testkit.Need(t, err == nil, "%v in %s", err, body)
		if len(got) == 0 && len(comments) == 0 {
			got, comments = nil, nil
		}
		testkit.Need(t, gotAnswer == want && reflect.DeepEqual(got, comments), "got  %+v %+v\nwant %+v %+v", gotAnswer, got, want, comments)
	})
}

func encoding(t *rapid.T) func(*Stored) table.Item {
	return rapid.SampledFrom([]func(*Stored) table.Item{Plain, Encode}).Draw(t, "encoding")
}

func anyComment(t *rapid.T) *Stored {
	c := Stored{Comment: Comment{
		ID: rapid.StringMatching(`[a-z#/é"\\]{1,20}`).Draw(t, "id"), ProductID: "4/2", Rating: rapid.IntRange(1, 5).Draw(t, "rating"), Language: "pt-BR",
		Title: rapid.String().Draw(t, "title"), Text: rapid.String().Draw(t, "text"), Author: "Ana",
		CreatedAt: time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "second"), 7).UTC(), Version: rapid.IntRange(1, 1000).Draw(t, "version"),
	}, Generation: rapid.IntRange(0, 3).Draw(t, "generation")}
	if rapid.Bool().Draw(t, "edited") {
		c.UpdatedAt = c.CreatedAt.Add(time.Hour)
	}
	if rapid.Bool().Draw(t, "long") {
		c.Text = strings.Repeat("long", InlineText)
	}
	return &c
}

// A comment's item, packed or not, says what the comment says.
func TestReadIsTheInverseOfOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyComment(t)
		got := testkit.Value(Read(encoding(t)(want), ""))(t)
		testkit.Must(t, got.Unpack())
		if want.UpdatedAt.IsZero() {
			want.UpdatedAt = want.CreatedAt
		}
		got.Size, got.SortKey = 0, ""
		testkit.Need(t, reflect.DeepEqual(got, *want), "got  %+v\nwant %+v", got, *want)
	})
}

func TestDecodeRefuses(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `{"Items":{}}`, `{"Items":[{"PK":{"S":"COMMENT#1"}}]}`, `{"Items":[{"GSISK":{"S":"nonsense"}}]}`,
		`{"Items":[`, `{"Count":"x`,
	} {
		got, answer, err := queried(t.Context(), []byte(body), "42")
		testkit.Check(t, err != nil, "%s was read as %+v %+v", body, answer, got)
	}
}

// What lists show of a comment's attributes is a map in the table, so that filters
// can look into it, and the same JSON when it is read.
func TestShownAttributesComeBack(t *testing.T) {
	c := Stored{Defined: "3.1.shoes", Comment: Comment{
		ID: "c", ProductID: "42", Rating: 4, Language: "en", CreatedAt: time.Unix(1e9, 0).UTC(), UpdatedAt: time.Unix(1e9, 0).UTC(), Version: 1,
		Shown: json.RawMessage(`{"again":true,"fit":-4.5,"nü\"":"a\nb","size":"10"}`), Attributes: json.RawMessage(`{"other":1}`),
	}}
	it := Plain(&c)
	m := it[AttrShown].(*types.AttributeValueMemberM).Value
	if !table.SameValue(m["fit"], &types.AttributeValueMemberN{Value: "-4.5"}) || !table.SameValue(m["size"], table.S("10")) || !table.SameValue(m["again"], table.Bool(true)) {
		t.Errorf("%v", m)
	}
	got, err := Read(it, "")
	testkit.Check(t, err == nil && string(got.Shown) == string(c.Shown) && got.Defined == c.Defined, "came back as %s of %q, %v", got.Shown, got.Defined, err)
	without := c
	without.Shown = nil
	plain, err := Read(Plain(&without), "")
	// DynamoDB counts 3 bytes for a map, 1 for each member, names, and values.
	if more := got.Size - plain.Size; err != nil || plain.Shown != nil || more != len(AttrShown)+3+4+len("again"+"fit"+`nü"`+"size")+1+3+len("a\nb")+len("10") {
		t.Errorf("it takes %d bytes more than without, %v", more, err)
	}
	it[AttrShown] = &types.AttributeValueMemberM{Value: table.Item{"a": &types.AttributeValueMemberNULL{Value: true}}}
	testkit.Check(t, testkit.Err(Read(it, "")) != nil, "an attribute of another form was read")
}

func TestCanonicalLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "en", "pt_br": "pt-BR", "iw": "he", "zh-hant-TW": "zh-Hant-TW", "es-419": "es-419", "und": "und",
		"sl-rozaj": "sl-rozaj", "de-1996": "de-1996", "sr-Latn": "sr-Latn", "EN-gb": "en-GB", "sq-XK": "sq-XK", "EN-us": "en-US", "zh-hant-tw": "zh-Hant-TW",
		"en-x-aaaaaaaa": "", "x-shop": "", "en-u-co-phonebk": "", "qaa": "", "qtz-DE": "", "en-AA": "", "en-QM": "", "en-XA": "", "en-ZZ": "",
		"en-Qaaa": "", "xyzzy": "", "en-XX-": "", "": "", "i-klingon": "tlh", "art-x-foo": "",
		"sgn-us": "ase", "sgn_GB": "bfi", "sgn-BE-FR": "sfb", "sgn-PL": "sgn-PL", "sgn": "sgn", "cmn": "zh", "cmn-Hans": "zh-Hans", "zh-cmn-Hant-TW": "zh-Hant-TW",
		"yue": "yue", "arb": "ar", "ekk": "et", "zsm-MY": "ms-MY", "nb": "nb", "nb-NO": "nb-NO", "no": "no", "nn": "nn", "sh": "sr-Latn",
	} {
		got, err := CanonicalLanguage("language", tag)
		testkit.Check(t, got == want && (err == nil) == (want != ""), "%q: got %q, %v, want %q", tag, got, err, want)
	}
}

func TestPlainLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en-x-aaaaaaaa": "en", "de-CH-x-shop": "de-CH", "zh-Hant-u-co-pinyin": "zh-Hant", "x-shop": "und", "qaa": "und", "en-XA": "und", "pt-BR": "pt-BR",
	} {
		testkit.Equal(t, PlainLanguage(tag), want, "%q", tag)
	}
}
