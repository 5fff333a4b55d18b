package sheet

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/testing/testkit"
)

// A header is read however many of its cells are in quotation marks.
func TestHeaderInQuotationMarks(t *testing.T) {
	names := []string{"productId", "commentId", "rating", "language", "createdAt", "a, b; c| \"d\"\te"}
	for _, comma := range Commas {
		for quoted := range 1 << (len(names) - 1) {
			cells := make([]string, len(names))
			for i, name := range names {
				if cells[i] = name; quoted>>i&1 == 1 || i == len(names)-1 {
					cells[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
				}
			}
			header := strings.Join(cells, string(comma))
			r, err := NewReader([]byte(header), Options{})
			testkit.Need(t, err == nil && r.comma == comma && len(r.columns) == len(names) && r.columns[5].header == names[5], "%s: %v", header, err)
		}
	}
}

// rowsOf returns the rows of a text that are not empty.
func rowsOf(text string) func() ([]byte, int64, error) {
	lines := strings.Split(text, "\n")
	line := int64(0)
	return func() ([]byte, int64, error) {
		for int(line) < len(lines) {
			if line++; lines[line-1] != "" {
				return []byte(lines[line-1]), line, nil
			}
		}
		return nil, 0, io.EOF
	}
}

// A header is found below empty lines and the line of the separator; otherwise the error names the
// line that looks like one.
func TestFindHeader(t *testing.T) {
	const names = "productId;commentId;rating;language;createdAt"
	for _, test := range []struct {
		file    string
		message string
	}{
		{names, ""},
		{"\n\n" + names, ""},
		{"sep=;\n" + names, ""},
		{"\"SEP=;\"\n\n" + names, ""},
		{"sep=^\n" + strings.ReplaceAll(names, ";", "^"), ""},
		{"sep=\t\n" + strings.ReplaceAll(names, ";", "\t"), ""},
		{"sep=|\n\"a,b,c,d,e,f,g\"|" + strings.ReplaceAll(names, ";", "|"), ""},
		{"sep=;\nReviews of \"2025\";;\n\nfrom: shop\n" + names, "line 5 looks like the header: remove what is above it"},
		{"Reviews, 2025, of, all, our, products;;;;\n" + names + "\n1;2;3", "line 2 looks like the header: remove what is above it"},
		{"", "it is empty: the first line of CSV names the columns"},
		{"Reviews\nproduct;commentId;rating;language;createdAt\n1;2;3;4;5", "line 2 looks like the header: remove what is above it"},
		{"product;commentId;rating;language;createdAt\n1;2;3;4;5", "no column has productId"},
		{"Reviews\n\"productId;commentId;rating\nx", "no column has productId"},
		{strings.Repeat("a title\n", maxAbove) + names, "no column has productId"},
	} {
		r, err := FindHeader(rowsOf(test.file), Options{})
		if test.message != "" {
			testkit.Check(t, err != nil && strings.HasPrefix(err.Error(), test.message), "%q: %v", test.file, err)
			continue
		}
		testkit.Check(t, err == nil && r.headers["createdAt"] != "", "%q: %v", test.file, err)
	}
}

// Cells with a null marker are empty and counted. Other spellings are text.
func TestNulls(t *testing.T) {
	const header = "productId,commentId,rating,language,createdAt,author,title,text"
	for _, test := range []struct {
		nulls  []string
		values string
		want   string
		n      int
	}{
		{nil, `NULL,None,\N`, "", 3},
		{nil, "#N/A,nan, NULL ", "", 3},
		{nil, `null,"NaN",x`, `,"text":"x"`, 2},
		{nil, "Null,Nan,none", `,"author":"Null","title":"Nan","text":"none"`, 0},
		{[]string{"-"}, "NULL,-,nan", `,"author":"NULL","text":"nan"`, 1},
		{[]string{""}, "NULL,,nan", `,"author":"NULL","text":"nan"`, 0},
	} {
		r := testkit.Value(NewReader([]byte(header), Options{Nulls: test.nulls}))(t)
		for range 2 { // the count is that of one row
			c, _, err := r.Read([]byte("p,c,5,en,2026-01-02,"+test.values), 2)
			want := fmt.Sprintf(`{"productId":"p","commentId":"c","rating":5,"language":"en","createdAt":"2026-01-02T00:00:00Z"%s}`, test.want)
			got := strings.TrimSpace(string(ndjson.Append(nil, &c)))
			testkit.Check(t, err == nil && got == want && r.Nulls == test.n, "%q %s: %s, %d, %v", test.nulls, test.values, got, r.Nulls, err)
		}
	}
	r := testkit.Value(NewReader([]byte(header), Options{}))(t)
	_, _, err := r.Read([]byte("p,NULL,5,en,2026-01-02,,,"), 2)
	testkit.Fails(t, err, "commentId: it is missing")
}

// Two columns of one name, of which one has values for a comment, are refused by name.
func TestEqualColumns(t *testing.T) {
	for _, test := range []struct {
		names   string
		entries []string
		strict  bool
		message string
	}{
		{"title,title", nil, false, `two columns are named "title": give one of them another name in the file`},
		{"title,x,title", nil, true, `two columns are named "title"`},
		{"colour,colour", []string{"colour=attributes"}, false, `two columns are named "colour"`},
		{"attributes.a,attributes.a", nil, false, `two columns are named "attributes.a"`},
		{"email,email", []string{"email=-"}, false, ""},
		{"x,x", nil, false, ""},
		{",", nil, false, ""},
		{"name,title", []string{"name=title"}, true, `unknown column "title"; another column is mapped to this field: map it`},
		{"attributes", nil, true, `unknown column "attributes"; CSV cannot have this field: map it`},
	} {
		_, err := NewReader([]byte("productId,commentId,rating,language,createdAt,"+test.names), Options{Map: parseMap(t, test.entries...), Strict: test.strict})
		testkit.Check(t, err == nil && test.message == "" || err != nil && test.message != "" && strings.Contains(err.Error(), test.message), "%s: %v", test.names, err)
	}
}
