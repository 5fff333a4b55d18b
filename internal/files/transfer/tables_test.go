package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/sheet"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// randomTable is a random CSV file and the comments in it.
type randomTable struct {
	file bytes.Buffer
	want []store.Comment
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// cell is a random text of what may confuse a reader of CSV.
func cell(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(7) {
		b.WriteString(pick(r, "a", "é", " ", `"`, `""`, ",", ";", "\t", "|", "\n", "\r\n", "\r", "a\ufeff", "'", "=", `\`, "\n\n"))
	}
	return b.String()
}

// draw draws a file as some program writes it: its separator, line ends, use of quotation marks,
// byte order mark, separator line and empty lines.
func draw(r *rand.Rand, rows int) *randomTable {
	t := new(randomTable)
	comma, end := pick(r, ",", ";", "\t", "|"), pick(r, "\n", "\r\n", "\r")
	quotes := pick(r, "needed", "text", "all")
	width := 8
	write := func(cells ...string) {
		for i, c := range cells {
			if i > 0 {
				t.file.WriteString(comma)
			}
			needed := strings.ContainsAny(c, comma+"\"\r\n")
			if needed || quotes == "all" || quotes == "text" && c != "" && strings.ContainsAny(c, "aé") {
				c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
			t.file.WriteString(c)
		}
		t.file.WriteString(end)
	}
	blank := func() { t.file.WriteString(pick(r, "", "", "", end, strings.Repeat(comma, width-1)+end)) }
	t.file.WriteString(pick(r, "", "\ufeff"))
	if r.IntN(3) == 0 {
		t.file.WriteString("sep=" + comma + end)
	}
	blank()
	write("productId", "commentId", "rating", "language", "createdAt", "text", "attributes.a b", "attributes.c")
	for n := range rows {
		blank()
		text, a, c := cell(r), cell(r), cell(r)
		write("42", fmt.Sprint("c-", n), "5", "en", "2026-01-02", text, a, c)
		breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		comment := fmt.Sprintf(`{"productId":"42","commentId":"c-%d","rating":5,"language":"en","createdAt":"2026-01-02T00:00:00Z"`, n)
		member := func(name, value string) string {
			if value = strings.TrimSpace(breaks.Replace(value)); value == "" {
				return ""
			}
			quoted, _ := json.Marshal(value)
			return fmt.Sprintf(`,"%s":%s`, name, quoted)
		}
		comment += member("text", text)
		if attributes := member("a b", a) + member("c", c); attributes != "" {
			comment += `,"attributes":{` + attributes[1:] + "}"
		}
		parsed, err := ndjson.Parse([]byte(comment + "}"))
		if err != nil {
			panic(err)
		}
		t.want = append(t.want, parsed)
	}
	if r.IntN(2) == 0 { // the last line may have no line break
		t.file.Truncate(t.file.Len() - len(end))
	}
	return t
}

// What programs write as CSV is read back.
func TestRandomTables(t *testing.T) {
	r := testkit.Random(t)
	rows := 0
	for rows < 6000 {
		drawn := draw(r, r.IntN(12)+1)
		rows += len(drawn.want)
		file := drawn.file.String()
		records, err := newRows(strings.NewReader(file), sheet.Options{}, lineEnd{})
		testkit.Need(t, err == nil, "%q: %v", file, err)
		for i := 0; ; {
			record, _, err := records.next()
			if err == io.EOF {
				testkit.Need(t, i == len(drawn.want), "%d rows of %d: %q", i, len(drawn.want), file)
				break
			}
			testkit.Must(t, err)
			if records.isBlank(record) {
				continue
			}
			got, err := records.parse(record, records.number)
			testkit.Need(t, err == nil && i < len(drawn.want), "row %d: %q of %q: %v", i, record, file, err)
			line, want := ndjson.Append(nil, got.comment), ndjson.Append(nil, &drawn.want[i])
			testkit.Need(t, bytes.Equal(line, want), "row %d of %q\ngot  %swant %s", i, file, line, want)
			i++
		}
	}
	t.Logf("%d rows", rows)
}

// A damaged file is read alike from its start and after any of its rows, and all of its bytes are.
func TestDamagedTables(t *testing.T) {
	r := testkit.Random(t)
	for range 150 {
		file := draw(r, r.IntN(12)+1).file.Bytes()
		start := testkit.Value(newRows(bytes.NewReader(file), sheet.Options{}, lineEnd{}))(t).offset
		for range r.IntN(4) {
			if at := int(start) + r.IntN(len(file)-int(start)+1); r.IntN(2) == 0 && at < len(file) {
				file = slices.Delete(file, at, at+1)
			} else {
				file = slices.Insert(file, at, pick(r, []byte("\"\r\n,")...))
			}
		}
		read := func(after lineEnd) (rows []string, ends []lineEnd) {
			records := testkit.Value(newRows(bytes.NewReader(file), sheet.Options{}, after))(t)
			for {
				row, _, err := records.next()
				if err == io.EOF {
					return rows, ends
				}
				testkit.Must(t, err)
				rows, ends = append(rows, string(row)), append(ends, records.lineEnd)
			}
		}
		rows, ends := read(lineEnd{})
		for i, end := range ends {
			rest, later := read(end)
			testkit.Need(t, slices.Equal(rest, rows[i+1:]) && slices.Equal(later, ends[i+1:]), "after row %d of %q: %q", i, file, rest)
		}
		if len(ends) > 0 {
			lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(file))
			size := len(file)
			if before, marked := strings.CutSuffix(lines, byteOrder); marked && strings.HasSuffix(before, "\n") {
				lines, size = before, size-len(byteOrder) // a mark alone is no row
			}
			n := strings.Count(lines, "\n")
			if !strings.HasSuffix(lines, "\n") {
				n++
			}
			testkit.Need(t, ends[len(ends)-1] == lineEnd{int64(n), int64(size)}, "%q ended at %v", file, ends[len(ends)-1])
		}
	}
}

// An open quotation mark costs its own row, whose line the refusal names, and no other.
func TestOpenQuotationMarks(t *testing.T) {
	o := ofSheets(t, place(t))
	row := func(n int) string {
		text := "plain"
		if n%1000 == 7 { // few rows have quotation marks, so an open one reaches far
			text = "\"two\r\nlines, \"\"quoted\"\"\""
		}
		return fmt.Sprintf("42,c-%d,5,2026-01-02,%s,end", n, text)
	}
	for _, test := range []struct {
		name, bad string
		lines     []int64 // refused lines, from the bad row
		character int
	}{
		{"first cell", `"42,c,5,2026-01-02,plain,end`, []int64{0}, 1},
		{"last but one", `42,c,5,2026-01-02,"plain,end`, []int64{0}, 19},
		{"last", `42,c,5,2026-01-02,plain,"end`, []int64{0}, 25},
		{"with a line break", "42,c,5,2026-01-02,\"plain\r\nmore, of it,end", []int64{0}, 19},
		{"not doubled", "42,c,5,2026-01-02,\"a \"big\" one\r\nmore of it\",end", []int64{0, 1}, 19},
		{"two in turn", "42,c,5,2026-01-02,\"plain,end\r\n42,d,5,2026-01-02,\"plain,end", []int64{0, 1}, 19},
	} {
		for _, at := range []int{0, 1500, 2998, 2999} {
			var file strings.Builder
			file.WriteString("product_id,commentId,rating,createdAt,text,note\r\n")
			var line int64
			for n := range 3000 {
				if n == at {
					line = int64(strings.Count(file.String(), "\n")) + 1
					file.WriteString(test.bad + "\r\n")
					continue
				}
				file.WriteString(row(n) + "\r\n")
			}
			write(t, "a.csv", file.String())
			st := newMemory()
			sum, err := Import(t.Context(), st, []string{"a.csv"}, o)
			testkit.Need(t, err == nil && sum.Written == 2999 && sum.Refused == int64(len(test.lines)), "%s at row %d: %v, %v", test.name, at, sum, err)
			rejected := strings.Split(read(t, "a.csv.rejects.ndjson"), "\n")
			for i, after := range test.lines {
				testkit.Check(t, strings.Contains(rejected[i], fmt.Sprintf(`"line":%d,`, line+after)), "%s at line %d: %s", test.name, line, rejected[i])
			}
			want := fmt.Sprintf(`"reason":"line %d, character %d: a cell begins with a quotation mark but does not end with one`, line, test.character)
			testkit.Check(t, strings.Contains(rejected[0], want), "%s at line %d: %s", test.name, line, rejected[0])
		}
	}
}

// A quotation mark that is open for longer than a row may be costs its row alone.
func TestOpenQuotationMarkInALongFile(t *testing.T) {
	const rows = 100_000
	var file strings.Builder
	file.WriteString("productId,commentId,rating,language,createdAt\n\"p,c,5,en,2026-01-02\n")
	for n := range rows {
		fmt.Fprintf(&file, "p,c-%d,5,en,2026-01-02\n", n)
	}
	r := testkit.Value(newRows(strings.NewReader(file.String()), sheet.Options{}, lineEnd{}))(t)
	all := readAll(t, r)
	testkit.Check(t, len(all) == rows+1 && all[0] == `"p,c,5,en,2026-01-02` && all[rows] == fmt.Sprintf("p,c-%d,5,en,2026-01-02", rows-1), "%d rows", len(all))
	testkit.Check(t, r.twice < 2*maxLine, "%d bytes were read again", r.twice)
}

// A file of quotation marks that open a cell on each line is read in bounded work, or the import ends.
func TestQuotationMarksOnEachLine(t *testing.T) {
	testkit.Long(t, "it reads large files with marks on each line")
	const names = "productId,commentId,rating,language,createdAt"
	for header, ends := range map[string]string{
		names:                              "EOF",
		names + strings.Repeat(",x", 200):  "too many quotation marks open a cell and do not close",
		names + strings.Repeat(",", 40000): "too many quotation marks open a cell and do not close",
	} {
		file := header + "\n" + strings.Repeat("a\",\"b\n", maxLine)
		r := testkit.Value(newRows(strings.NewReader(file), sheet.Options{}, lineEnd{}))(t)
		var err error
		for err == nil && r.twice <= 2*maxTwice+maxTimes*r.offset {
			_, _, err = r.next()
		}
		testkit.Fails(t, err, ends)
	}
}

// Rows after a quotation mark that opens are read wherever the buffer ends.
func TestTheBufferEndsAnywhere(t *testing.T) {
	const sound = "p,c,5,en,2026-01-02\n"
	for more := range 8 {
		file := "productId,commentId,rating,language,createdAt\np" + strings.Repeat("x", more) + ",\"\n" + sound +
			strings.Repeat("a\",\"b\n", maxLine/4)
		r := testkit.Value(newRows(strings.NewReader(file), sheet.Options{}, lineEnd{}))(t)
		_, _, err := r.next()
		testkit.Must(t, err)
		row, _, err := r.next()
		testkit.Check(t, err == nil && string(row)+"\n" == sound, "%d: %.40q, %v", more, row, err)
	}
}
