package transfer

import (
	"context"
	"errors"
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
		text  string
		lines int
		least int
		most  int
	}{
		"short": {"a text", 3 * pack.Samples, pack.Samples, pack.Samples},
		"long":  {long, 1000, mostAhead / (len(long) + 300), mostAhead/len(long) + windowBytes/len(long) + 1},
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
	if sum, err := Import(t.Context(), st, []string{stdin}, o); !errors.Is(err, broken) || len(st.comments) != 0 || sum.Written != 0 {
		t.Errorf("%v, %v, %d comments", sum, err, len(st.comments))
	}
}
