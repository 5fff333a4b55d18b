package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/pack"
)

// An import learns from its first comments before it writes any, whether the
// input can be read twice or not, and then writes all of them.
func TestLearnsBeforeItWrites(t *testing.T) {
	o := place(t)
	o.window = 30
	write(t, "few", numbered(0, pack.MinSamples-1))
	write(t, "plain", numbered(1000, 1250))
	write(t, "zipped", zipped(t, numbered(1000, 1250)))
	for _, files := range [][]string{{"plain"}, {"zipped"}, {"-"}, {"few", "plain"}, {"few"}} {
		st := newMemory()
		o.Stdin, o.Restart = strings.NewReader(numbered(1000, 1250)), true
		var told []pack.Words
		calls := 0
		o.Learn = func(_ context.Context, words []pack.Words) error {
			calls, told = calls+1, words
			for id := range st.comments {
				testkit.Check(t, !strings.HasPrefix(id, "c-1"), "%v: %s was written before it was learned from", files, id)
			}
			return nil
		}
		testkit.Value(Import(t.Context(), st, files, o))(t)
		want, lines := 250, 250
		if files[0] == "few" {
			lines += pack.MinSamples - 1
		}
		if len(files) == 1 && files[0] == "few" {
			want, lines = 0, pack.MinSamples-1
		}
		if len(told) != want || calls > 1 || len(st.comments) != lines {
			t.Errorf("%v: told %d texts in %d calls, %d comments; want %d and %d", files, len(told), calls, len(st.comments), want, lines)
		}
		if want > 0 && told[7].Text != "text 1007" {
			t.Errorf("told %+v", told[7])
		}
	}
}

// The look ahead is bounded by comments and by bytes.
func TestLooksAheadBounded(t *testing.T) {
	long := strings.Repeat("Twenty characters. ", 900)
	for name, test := range map[string]struct {
		text               string
		lines, least, most int
	}{
		"short": {"a text", 3 * pack.Samples, pack.Samples, pack.Samples},
		"long":  {long, 1000, maxAhead / (len(long) + 300), maxAhead/len(long) + windowBytes/len(long) + 1},
	} {
		st := newMemory()
		told := 0
		content := &generated{pieces: test.lines, piece: func(n int) string { return lineOf(n, test.text) }}
		o := Options{Stdin: content, Rejects: t.TempDir() + "/rejects", Learn: func(_ context.Context, words []pack.Words) error {
			told = len(words)
			return nil
		}}
		sum, err := Import(t.Context(), st, []string{stdin}, o)
		if err != nil || told < test.least || told > test.most || sum.Lines != int64(test.lines) {
			t.Errorf("%s: told %d texts of %d lines, %v; want %d to %d", name, told, sum.Lines, err, test.least, test.most)
		}
	}
}

// What cannot be learned ends the import before anything is written; what cannot
// be read, after what came before it was.
func TestLearningFails(t *testing.T) {
	o := place(t)
	o.Stdin = strings.NewReader(numbered(0, 250))
	st := newMemory()
	broken := errors.New("the store is down")
	o.Learn = func(context.Context, []pack.Words) error { return broken }
	sum, err := Import(t.Context(), st, []string{stdin}, o)
	testkit.Check(t, errors.Is(err, broken) && len(st.comments) == 0 && sum.Written == 0, "%v, %v, %d comments", sum, err, len(st.comments))
}

// A typing error in a name is reported with how often it was met, also by an import
// that continues; strictly it refuses the line.
func TestUnknownMembers(t *testing.T) {
	o := place(t)
	o.window = 2
	var content strings.Builder
	for i := range 5 {
		line := lineOf(i, "x")
		if i != 2 {
			line = strings.Replace(line, `"text"`, `"Text"`, 1)
		}
		if i > 3 {
			line = strings.Replace(line, `{`, `{"shelf":{"a":1},"shelf":2,`, 1)
		}
		content.WriteString(line)
	}
	write(t, "a", content.String())
	st := newMemory()
	st.stopAt(1)
	if _, err := Import(t.Context(), st, []string{"a"}, o); err == nil {
		t.Fatal("it did not stop")
	}
	var told bytes.Buffer
	o.Progress = &told
	sum, err := Import(t.Context(), st, []string{"a"}, o)
	testkit.Need(t, err == nil && sum.Refused == 0 && sum.Files[0].ResumedAfter == 2, "%v %v", sum, err)
	testkit.Equal(t, fmt.Sprint(sum.Files[0].Unknown), "map[Text:4 shelf:1]", "unknown members")
	want := `a: 4 lines with a member "Text", which is unknown, so it is ignored; did you mean "text"?` + "\n" +
		`a: 1 line with a member "shelf", which is unknown, so it is ignored` + "\n"
	testkit.Check(t, strings.HasSuffix(told.String(), want), "told %s", &told)

	o.Strict = true
	sum, err = Import(t.Context(), newMemory(), []string{"a"}, o)
	testkit.Need(t, err == nil && sum.Refused == 4 && sum.Written == 1, "%v %v", sum, err)
	got := read(t, "a.rejects.ndjson")
	testkit.Check(t, strings.Contains(got, `{"file":"a","line":1,"field":"Text","reason":"unknown field; did you mean \"text\"?"`), "rejects: %s", got)
}

// However many names there are, few are kept.
func TestUnknownMembersAreBounded(t *testing.T) {
	u := unknown{}
	for i := range 5000 {
		u.add(fmt.Sprint("name ", i%2500, strings.Repeat("x", 1000)), 1)
	}
	u = unknown(nil).plus(u)
	sum := int64(0)
	for name, n := range u {
		sum += n
		testkit.Check(t, len(name) <= 4*longestName, "a name has %d bytes", len(name))
	}
	testkit.Check(t, len(u) <= maxUnknown+1 && sum == 5000, "%d names, %d lines", len(u), sum)
}

// What lines lack comes from the defaults. Other defaults are another import.
func TestDefaults(t *testing.T) {
	o := place(t)
	stopped(t, o)
	write(t, "b", strings.ReplaceAll(lineOf(1, "x")+lineOf(2, "x"), `"language":"en",`, ""))
	if sum, err := Import(t.Context(), newMemory(), []string{"b"}, o); err != nil || sum.Refused != 2 {
		t.Fatal(sum, err)
	}
	o.Defaults = map[string]string{"language": "pt_br", "createdAt": "2020-01-02"}
	st := newMemory()
	sum, err := Import(t.Context(), st, []string{"b", "a"}, o)
	testkit.Need(t, err == nil && sum.Written == 30 && sum.Replaced == 2 && sum.Files[1].ResumedAfter == 0, "%v %v", sum, err)
	write(t, "c", strings.ReplaceAll(lineOf(99, "x"), `"language":"en",`, ""))
	if _, err := Import(t.Context(), st, []string{"c"}, o); err != nil || !strings.Contains(st.comments["c-00099"], `"language":"pt-BR","createdAt":"2026`) {
		t.Errorf("got %s, %v", st.comments["c-00099"], err)
	}
	for field, text := range map[string]string{"language": "English", "Language": "en", "commentId": "a", "attributes": "{}", "rating": "6"} {
		o.Defaults = map[string]string{field: text}
		_, err := Import(t.Context(), st, []string{"b"}, o)
		testkit.Check(t, err != nil && strings.HasPrefix(err.Error(), field+": "), "%s=%s: %v", field, text, err)
	}
}
