package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/sheet"
	"product-comments/internal/testing/testkit"
)

// readAll returns what next returns; a line that is too long as <length of its start>.
func readAll(t interface{ Fatal(...any) }, l *records) (all []string) {
	for {
		line, tooLong, err := l.next()
		switch {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatal(err)
		case tooLong:
			all = append(all, "<too long>")
		default:
			all = append(all, string(line))
		}
	}
}

func TestLines(t *testing.T) {
	full := strings.Repeat("x", maxLine)
	tests := []struct {
		name, from string
		want       []string
	}{
		{"nothing", "", nil},
		{"one", "a\n", []string{"a"}},
		{"no line break at the end", "a\nb", []string{"a", "b"}},
		{"blank", "\n\r\n \n", []string{"", "", " "}},
		{"CR LF", "a\r\nb\r\n", []string{"a", "b"}},
		{"CR", "a\rb\r\r\nc", []string{"a", "b", "", "c"}},
		{"byte order marks", "\ufeffa\ufeff\n\ufeffb\n", []string{"a\ufeff", "b"}},
		{"byte order mark alone", "\ufeff", nil},
		{"full", full + "\n" + full + "\r\n" + full, []string{full, full, full}},
		{"byte order mark and full", "\ufeff" + full + "\r\n", []string{full}},
		{"too long", full + "x\n" + "a\n" + full + "x\r\n" + "b\n" + full + "x", []string{"<too long>", "a", "<too long>", "b", "<too long>"}},
		{"much too long", strings.Repeat(full, 5) + "\nb\n", []string{"<too long>", "b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := readAll(t, newLines(strings.NewReader(test.from), lineEnd{}))
			testkit.Check(t, slices.Equal(got, test.want), "got %d lines %.100q", len(got), got)
		})
	}
}

func TestLinesError(t *testing.T) {
	broken := errors.New("broken")
	l := newLines(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), lineEnd{})
	line, _, err := l.next()
	testkit.Need(t, string(line) == "a" && err == nil, "got %q, %v", line, err)
	_, _, err = l.next()
	testkit.Check(t, errors.Is(err, broken), "got %v", err)
	testkit.Check(t, l.number == 1 && l.offset == 2, "it is at line %d, byte %d", l.number, l.offset)
}

// sheetOf is CSV of so many rows; some have line breaks, some are bad.
func sheetOf(n int) string {
	var b strings.Builder
	b.WriteString("\ufeffproduct_id,commentId,rating,createdAt,text,note\r\n")
	for i := range n {
		switch {
		case i%7 == 3:
			fmt.Fprintf(&b, "42,c-%d,9,2026-01-02,bad,\r\n", i)
		case i%7 == 5:
			fmt.Fprintf(&b, "42,c-%d,5,2026-01-02,a 5\" screen,\n\n", i)
		default:
			fmt.Fprintf(&b, "42,c-%d,%d,2026-01-02,\"one, \"\"two\"\"\r\n\nthree; %d\",%d\n", i, i%5+1, i, i)
		}
	}
	return b.String()
}

func ofSheets(t testing.TB, o Options) Options {
	t.Helper()
	m := testkit.Value(sheet.ParseMap([]string{"product_id=productId"}))(t)
	o.Map, o.Defaults = m, map[string]string{"language": "en"}
	return o
}

func TestImportSheet(t *testing.T) {
	o := ofSheets(t, place(t))
	write(t, "plain.csv", sheetOf(14))
	write(t, "zipped.CSV.gz", zipped(t, sheetOf(14)[:300], sheetOf(14)[300:]))
	o.Stdin = strings.NewReader(strings.ReplaceAll(sheetOf(14), "\ufeff", ""))
	var told bytes.Buffer
	o.Progress.To = &told
	st := newMemory()
	sum, err := Import(t.Context(), st, []string{"plain.csv", "zipped.CSV.gz"}, o)
	testkit.Need(t, err == nil && sum.Written == 10 && sum.Unchanged == 10 && sum.Refused == 8, "%v %v", sum, err)
	o.Format = FormatCSV
	sum, err = Import(t.Context(), st, []string{"-"}, o)
	testkit.Need(t, err == nil && sum.Unchanged == 10 && sum.Refused == 4, "%v %v", sum, err)
	if want := `{"productId":"42","commentId":"c-1","rating":2,"language":"en","createdAt":"2026-01-02T00:00:00Z","text":"one, \"two\"\n\nthree; 1"}` + "\n"; st.comments["c-1"] != want {
		t.Errorf("got %s, want %s", st.comments["c-1"], want)
	}
	want := `plain.csv: 10 rows with a value in the column "note", which is unknown, so it is ignored`
	testkit.Check(t, strings.Contains(told.String(), want), "told %s", &told)
	rejected := read(t, "plain.csv.rejects.ndjson")
	for _, want := range []string{
		`{"file":"plain.csv","line":11,"field":"rating","reason":"9 is not a rating from 1 to 5: if it is one of 10 points or percent, add --ratings out-of-10 or percent","raw":"42,c-3,9,2026-01-02,bad,"}`,
		`{"file":"plain.csv","line":15,"reason":"line 15, character 24: a cell has a quotation mark`,
	} {
		testkit.Check(t, strings.Contains(rejected, want), "rejects lack %s:\n%s", want, rejected)
	}
	// Cells with a null marker are counted in the result.
	write(t, "nulls.csv", "product_id,commentId,rating,createdAt,author,text\n42,c-1,5,2026-01-02,NULL,nan\n42,c-2,0,2026-01-02,,None\n")
	sum, err = Import(t.Context(), newMemory(), []string{"nulls.csv"}, o)
	testkit.Check(t, err == nil && sum.String() == "1 written, 0 replaced (0 of them unchanged), 1 refused; 3 cells with a null marker read as empty", "%v %v", sum, err)
	// What is wrong with a header is found before anything is written.
	write(t, "other.csv", "sku,rating\n")
	windows := st.windows
	if _, err := Import(t.Context(), st, []string{"plain.csv", "other.csv"}, o); err == nil || !strings.Contains(err.Error(), `other.csv: the header has no column "product_id"`) || st.windows != windows {
		t.Errorf("%v, %d windows", err, st.windows-windows)
	}
}

// An import of CSV that is stopped does not go on in another way.
func TestResumeSheet(t *testing.T) {
	o := ofSheets(t, place(t))
	o.window = 4
	write(t, "c.csv", sheetOf(30))
	st := newMemory()
	st.stopAt(2)
	testkit.Need(t, testkit.Err(Import(t.Context(), st, []string{"c.csv"}, o)) != nil, "it did not stop")
	o.Dates = ndjson.DayFirst
	sum, err := Import(t.Context(), st, []string{"c.csv"}, o)
	testkit.Check(t, err == nil && sum.Files[0].ResumedAfter == 0, "it went on in another way: %v %v", sum, err)
}

// Nothing is written of files one of which has a row that is not published, before it is said what
// to do with it: not even of a window before that row, of another file, or of an input that is read
// once. Fields of usual names are said once a file.
func TestImportHidesWhatWasHidden(t *testing.T) {
	o := place(t)
	o.window, o.Defaults = 5, map[string]string{"language": "en"}
	var content strings.Builder
	content.WriteString("Product ID;Rating;Date;body;Published\n")
	for i := range 40 {
		fmt.Fprintf(&content, "42;5 stars;2026-01-02;text %d;%v\n", i, i < 38)
	}
	hidden := content.String()
	public := strings.ReplaceAll(hidden, "false", "true")
	write(t, "hidden.csv", hidden)
	write(t, "hidden.csv.gz", zipped(t, hidden[:500], hidden[500:]))
	write(t, "public.csv", public)
	write(t, "large.csv", hidden+"42;5;2026-01-02;"+strings.Repeat("x", maxLine)+";false\n")
	const values = `the column "Published" has "false": refuse rows that are not published with --map 'Published=published', or import all of them with --map 'Published=-'`
	for _, test := range []struct {
		files            []string
		entry            string
		message          string
		written, refused int64
	}{
		{[]string{"hidden.csv"}, "", "hidden.csv: " + values, 0, 0},
		{[]string{"hidden.csv.gz"}, "", "hidden.csv.gz: " + values, 0, 0},
		{[]string{"large.csv"}, "", "large.csv: " + values, 0, 0},
		{[]string{"public.csv", "hidden.csv"}, "", "hidden.csv: " + values, 0, 0},
		{[]string{"-"}, "", `the column "Published" may say that rows are not published, which cannot be checked in an input that is read once`, 0, 0},
		{[]string{"public.csv"}, "", "", 40, 0},
		{[]string{"hidden.csv"}, "Published=published", "", 38, 2},
		{[]string{"hidden.csv"}, "published=-", "", 40, 0},
		{[]string{"-"}, "Published=published", "", 38, 2},
	} {
		o, told, st := o, &bytes.Buffer{}, newMemory()
		o.Progress.To, o.Format, o.Stdin = told, FormatCSV, strings.NewReader(hidden)
		if test.entry != "" {
			o.Map = testkit.Value(sheet.ParseMap([]string{test.entry}))(t)
		}
		sum, err := Import(t.Context(), st, test.files, o)
		if test.message != "" {
			testkit.Check(t, err != nil && strings.Contains(err.Error(), test.message) && len(st.comments) == 0, "%q: %v, %d comments", test.files, err, len(st.comments))
			continue
		}
		testkit.Check(t, err == nil && sum.Written == test.written && sum.Refused == test.refused, "%q %s: %v, %v", test.files, test.entry, sum, err)
		said := shownName(test.files[0]) + `: read the columns "Product ID" as productId, "Rating" as rating, "Date" as createdAt, "body" as text`
		testkit.Check(t, strings.Count(told.String(), said) == 1, "%q %s: told %s", test.files, test.entry, told)
	}
}
