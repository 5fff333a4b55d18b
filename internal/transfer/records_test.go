package transfer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"product-comments/internal/ndjson"
	"product-comments/internal/sheet"
	"product-comments/internal/testkit"
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

// Reading can go on after any line, at the offset noted there.
func TestLinesGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := []byte(rapid.StringMatching(`(\x{feff})?([a-c]{0,5}(\n|\r\n|\r|\n\n))*[a-c]{0,3}`).Draw(t, "file"))
		l := newLines(bytes.NewReader(from), lineEnd{})
		all := readAll(t, newLines(iotest.OneByteReader(bytes.NewReader(from)), lineEnd{}))
		for done := 0; ; done++ {
			rest := readAll(t, newLines(bytes.NewReader(from[l.offset:]), l.lineEnd))
			if !slices.Equal(all[done:], rest) {
				t.Fatalf("after %d lines, at byte %d: got %q, want %q", done, l.offset, rest, all[done:])
			}
			if _, _, err := l.next(); err == io.EOF {
				testkit.Need(t, int(l.offset) == len(from) && int(l.number) == len(all), "ended at line %d, byte %d", l.number, l.offset)
				return
			}
		}
	})
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

// Rows without ids that differ in anything, or in nothing, are all imported, and unchanged when
// they are imported again.
func TestRowsWithoutIDs(t *testing.T) {
	o, st := place(t), newMemory()
	write(t, "a.csv", "productId,rating,language,createdAt,author,attributes.size\n"+
		"m,5,en,2025-01-02,,\nm,1,en,2025-01-02,,\nm,5,de,2025-01-02,,\nm,5,en,2025-01-02,Anonymous,\nm,5,en,2025-01-02,Anonymous,L\nm,5,en,2025-01-02,,\n")
	for _, want := range []string{"6 written, 0 replaced (0 of them unchanged), 0 refused", "0 written, 6 replaced (6 of them unchanged), 0 refused"} {
		sum := testkit.Value(Import(t.Context(), st, []string{"a.csv"}, o))(t)
		testkit.Equal(t, sum.String(), want, "the counts")
	}
	testkit.Equal(t, len(st.comments), 6, "comments")
}

func TestImportSheet(t *testing.T) {
	o := ofSheets(t, place(t))
	write(t, "plain.csv", sheetOf(14))
	write(t, "zipped.CSV.gz", zipped(t, sheetOf(14)[:300], sheetOf(14)[300:]))
	o.Stdin = strings.NewReader(strings.ReplaceAll(sheetOf(14), "\ufeff", ""))
	var told bytes.Buffer
	o.Progress = &told
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
		`{"file":"plain.csv","line":11,"field":"rating","reason":"9 is not a rating from 1 to 5","raw":"42,c-3,9,2026-01-02,bad,"}`,
		`{"file":"plain.csv","line":15,"reason":"line 15, character 24: a cell has a quotation mark`,
	} {
		testkit.Check(t, strings.Contains(rejected, want), "rejects lack %s:\n%s", want, rejected)
	}
	// Cells with a null marker are counted in the result.
	write(t, "nulls.csv", "product_id,commentId,rating,createdAt,author,text\n42,c-1,5,2026-01-02,NULL,nan\n42,c-2,9,2026-01-02,,None\n")
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

// Rows are read as programs write them, with each line break and with any cells in quotation marks,
// also when reading continues after any row.
func TestRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cell := rapid.StringMatching(`[ab,;"\n\r]{0,4}`)
		var file bytes.Buffer
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(rt, "line break")
		quoteAll := rapid.Bool().Draw(rt, "every cell in quotation marks")
		write := func(row []string) {
			for i, cell := range row {
				if i > 0 {
					file.WriteByte(',')
				}
				if quoteAll || strings.ContainsAny(cell, ",\"\r\n") {
					cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
				}
				file.WriteString(cell)
			}
			file.WriteString(end)
		}
		write([]string{"productId", "rating", "language", "createdAt"})
		var want [][]string
		for range rapid.IntRange(0, 8).Draw(rt, "rows") {
			row := []string{"p" + cell.Draw(rt, "1"), cell.Draw(rt, "2"), cell.Draw(rt, "3"), cell.Draw(rt, "4")}
			want = append(want, row)
			write(row)
		}
		read := func(at lineEnd) (got []string, places []lineEnd) {
			r := testkit.Value(newRows(bytes.NewReader(file.Bytes()), sheet.Options{}, at))(rt)
			for {
				row, _, err := r.next()
				if err == io.EOF {
					return got, places
				}
				testkit.Must(rt, err)
				got, places = append(got, string(row)), append(places, r.lineEnd)
			}
		}
		all, places := read(lineEnd{})
		testkit.Need(rt, len(all) == len(want), "%d rows of %d: %q", len(all), len(want), file.String())
		for i, row := range all {
			d := csv.NewReader(strings.NewReader(row))
			got, err := d.Read()
			same := slices.EqualFunc(got, want[i], func(a, b string) bool { return a == strings.ReplaceAll(b, "\r\n", "\n") })
			testkit.Need(rt, err == nil && same, "%q: %q, %v", row, got, err)
			rest, later := read(places[i])
			testkit.Need(rt, slices.Equal(rest, all[i+1:]) && slices.Equal(later, places[i+1:]), "after row %d: %q", i, rest)
		}
	})
}
