package sheet

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/testing/testkit"
)

// Columns with usual names hold fields without a map, which is said; in strict mode exact names do.
func TestUsualNames(t *testing.T) {
	const row = "42,c-1,5,en,2026-01-02,Ada,Good,Fine,yes"
	const want = `{"productId":"42","commentId":"c-1","rating":5,"language":"en","createdAt":"2026-01-02T00:00:00Z","author":"Ada","title":"Good","text":"Fine","verifiedPurchase":true}`
	exact := []string{"productId", "commentId", "rating", "language", "createdAt", "author", "title", "text", "verifiedPurchase"}
	for i, names := range []string{
		"product_id,Product ID,productID,PRODUCT-ID", "comment_id,review_id", "Rating,score,stars,Star Rating,review_score,review_rating", "Language,lang,locale,LOCALE",
		"date,review_date,created_at,Created At", "Author,name,reviewer_name,Reviewer Name", "Title,review_title", "body,content,review,Review Text", "verified,verified_buyer,Verified Purchase",
	} {
		for _, name := range strings.Split(names, ",") {
			columns := slices.Clone(exact)
			columns[i] = name
			header := []byte(strings.Join(columns, ","))
			r, err := NewReader(header, Options{})
			testkit.Need(t, err == nil, "%s: %v", name, err)
			c, unknown, err := r.Read([]byte(row), 2)
			got := strings.TrimSpace(string(ndjson.Append(nil, &c)))
			testkit.Check(t, err == nil && unknown == nil && got == want, "%s: %s, %q, %v", name, got, unknown, err)
			said := []string{fmt.Sprintf("%q as %s", name, exact[i])}
			testkit.Check(t, slices.Equal(r.UsualNames(), said), "%s: said %q", name, r.UsualNames())
			_, err = NewReader(header, Options{Strict: true})
			testkit.Check(t, err != nil && (strings.HasPrefix(err.Error(), "no column has "+exact[i]) || strings.HasPrefix(err.Error(), fmt.Sprintf("unknown column %q", name))), "strictly %s: %v", name, err)
		}
	}
	r := testkit.Value(NewReader([]byte(strings.Join(exact, ",")), Options{}))(t)
	testkit.Check(t, r.UsualNames() == nil, "said %q", r.UsualNames())
}

// The page has the usual names.
func TestUsualNamesOfThePage(t *testing.T) {
	page := string(testkit.Value(os.ReadFile("../../../docs/imports.md"))(t))
	row, rows := "", 0
	for rules := usual.rules(); len(rules) > 0; rules = rules[1:] {
		if row == "" {
			row = "| `" + rules[0].target + "` | "
		}
		row += "`" + rules[0].column + "`"
		if len(rules) > 1 && rules[1].target == rules[0].target {
			row += ", "
			continue
		}
		testkit.Check(t, strings.Contains(page, "\n"+row+" |\n"), "the page lacks %s |", row)
		row, rows = "", rows+1
	}
	testkit.Check(t, strings.Count(page, "| usual names |\n| --- | --- |\n| `commentId` |") == 1 && rows == 10, "%d rows", rows)
}

// Two columns that may hold one field are refused with both names, unless the map says which one is.
func TestAmbiguousNames(t *testing.T) {
	for _, test := range []struct {
		names   string
		entries []string
		message string // "" if it is taken
		fields  map[string]string
	}{
		{"body,content", nil, `the columns "body" and "content" may both be text: say which one is, with --map 'body=text' or 'content=text'`, nil},
		{"title,review_title", nil, `the columns "title" and "review_title" may both be title`, nil},
		{"Title,title", nil, `the columns "Title" and "title" may both be title`, nil},
		{"date", nil, `the columns "createdAt" and "date" may both be createdAt`, nil},
		{"name,reviewer_name", nil, `the columns "name" and "reviewer_name" may both be author`, nil},
		{"body,body", nil, `two columns are named "body"`, nil},
		{"body,content", []string{"content=text"}, "", map[string]string{"text": "content"}},
		{"body,content", []string{"content=-"}, "", map[string]string{"text": "body"}},
		{"body,content", []string{"content=attributes"}, "", map[string]string{"text": "body"}},
		{"title,name", []string{"name=title"}, "", map[string]string{"title": "name"}},
		{"body,content", []string{"judge.me"}, "", map[string]string{"text": "body"}},
		{"name,body", []string{"judge.me"}, "", map[string]string{"text": "body", "author": "name"}},
		{"!!!,*", nil, "", map[string]string{}},
	} {
		r, err := NewReader([]byte("productId,rating,language,createdAt,"+test.names), Options{Map: parseMap(t, test.entries...)})
		if test.message != "" {
			testkit.Check(t, err != nil && strings.Contains(err.Error(), test.message), "%s: %v", test.names, err)
			continue
		}
		testkit.Need(t, err == nil, "%s %q: %v", test.names, test.entries, err)
		for _, field := range []string{"productId", "rating", "language", "createdAt"} {
			delete(r.headers, field)
		}
		testkit.Check(t, maps.Equal(r.headers, test.fields), "%s %q: %v", test.names, test.entries, r.headers)
	}
}

// A column that says that rows are not published needs a decision, and nothing else does.
func TestUndecided(t *testing.T) {
	for _, test := range []struct {
		names   string
		entries []string
		rows    []string
		once    bool   // it needs one whatever the rows are
		message string // after the rows; "" if there is none
	}{
		{"Published", nil, []string{"TRUE", "FALSE", "no", "FALSE", ""}, true,
			`the column "Published" has "FALSE", "no": refuse rows that are not published with --map 'Published=published', or import all of them with --map 'Published=-'`},
		{"hidden", nil, []string{"0", "1"}, true, `the column "hidden" has "1": refuse rows that are not published with --map 'hidden=unpublished', or`},
		{"Status", nil, []string{"a", "b", "c", "d", "e", "f", "f,more"}, true, `has "a", "b", "c", "d", "e": refuse`},
		{"Status", nil, []string{"approved", "", "NULL", "None", "pending,more", "\"pending"}, true, ""},
		{"Published,is_approved", nil, []string{"no,0"}, true, `the column "is_approved" has "0"`},
		{"Published,Published", nil, []string{"yes,no"}, true, `the column "Published" has "no"`},
		{"Published,published", []string{"published=published"}, []string{"no,yes"}, true, `the column "Published" has "no"`},
		{"Status", []string{"judge.me"}, []string{"no"}, true, `the column "Status" has "no"`},
		{"Status", []string{"yotpo", "Status=-"}, []string{"no"}, false, ""},
		{"Status", []string{"Status=published"}, []string{"no"}, false, ""},
		{"Status", []string{"Status=attributes"}, []string{"no"}, false, ""},
		{"publisher", nil, []string{"no"}, false, ""},
	} {
		r := testkit.Value(NewReader([]byte("productId,rating,language,createdAt,"+test.names), Options{Map: parseMap(t, test.entries...)}))(t)
		err := r.Undecided(false)
		testkit.Check(t, (err != nil) == test.once && (err == nil || strings.Contains(err.Error(), "cannot be checked in an input that is read once")), "%s %q: %v", test.names, test.entries, err)
		for i, row := range test.rows {
			r.Observe([]byte("42,5,en,2026-01-02,"+row), int64(i)+2)
		}
		err = r.Undecided(true)
		testkit.Check(t, (err == nil) == (test.message == "") && (err == nil || strings.Contains(err.Error(), test.message)), "%s %q: %v", test.names, test.entries, err)
	}
}

// With a decision, rows that are not published are refused.
func TestUnpublishedRows(t *testing.T) {
	for _, test := range []struct {
		entry, value string
		refused      bool
	}{
		{"x=published", "FALSE", true}, {"x=published", "pending", true}, {"x=published", "Live", false}, {"x=published", "", false},
		{"x=unpublished", "TRUE", true}, {"x=unpublished", "maybe", true}, {"x=unpublished", "0", false}, {"x=unpublished", "", false}, {"x=-", "FALSE", false},
	} {
		r := testkit.Value(NewReader([]byte("productId,rating,language,createdAt,x"), Options{Map: parseMap(t, test.entry)}))(t)
		_, _, err := r.Read([]byte("42,5,en,2026-01-02,"+test.value), 2)
		testkit.Check(t, (err != nil) == test.refused && (err == nil || strings.Contains(err.Error(), "says that it is not published")), "%s %q: %v", test.entry, test.value, err)
	}
}
