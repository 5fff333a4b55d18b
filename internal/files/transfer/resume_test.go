package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
)

// An import that is stopped before any of its windows, as often as you like,
// ends as one that is never stopped: nothing is lost or repeated.
func TestResume(t *testing.T) {
	o := place(t)
	var content strings.Builder
	for i := range 110 {
		if content.WriteString(lineOf(i, "x")); i%6 == 0 {
			fmt.Fprintf(&content, "bad %d\n\n", i)
		}
	}
	type file struct {
		o                  Options
		counts             Counts
		comments, rejected string
	}
	files := map[string]file{}
	for name, text := range map[string]string{
		"plain": content.String(), "zipped": zipped(t, content.String()[:1000], content.String()[1000:]),
		"a.csv": sheetOf(30), "b.csv.gz": zipped(t, sheetOf(30)),
		"alike.csv": "product_id,rating,createdAt\n" + strings.Repeat("m,5,2025-01-02\nm,1,2025-01-02\n\nm,9,2025-01-02\nm,5,2025-01-03\n", 8),
	} {
		write(t, name, text)
		o := o
		if o.window = 20; strings.Contains(name, ".csv") {
			o = ofSheets(t, o)
			o.window = 4
		}
		whole := newMemory()
		sum := testkit.Value(Import(t.Context(), whole, []string{name}, o))(t)
		files[name] = file{o, sum.Counts, whole.all(), read(t, name+".rejects.ndjson")}
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(rt, "file")
		want, st := files[name], newMemory()
		var progress bytes.Buffer
		o := want.o
		o.Progress.To = &progress
		done := int64(0)
		for {
			progress.Reset()
			ctx, cancel := context.WithCancel(context.Background())
			last := st.windows + rapid.IntRange(0, 4).Draw(rt, "windows")
			fails := rapid.Bool().Draw(rt, "fails")
			st.before = func(_ context.Context, window int) error {
				if window == last && fails {
					return errors.New("failed")
				}
				if window == last { // finished, then no more
					cancel()
				}
				return nil
			}
			sum, err := Import(ctx, st, []string{name}, o)
			cancel()
			resumed := sum.Files[0].ResumedAfter
			testkit.Need(rt, resumed == done, "went on after line %d, it had stopped after %d", resumed, done)
			said := strings.Contains(progress.String(), "continuing after line")
			testkit.Need(rt, said == (done > 0), "%d lines were done, and it said: %s", done, progress.String())
			if err == nil {
				testkit.Equal(rt, sum.Counts, want.counts, "the counts")
				break
			}
			var stop *StopError
			testkit.Need(rt, errors.As(err, &stop) && stop.Resumes && stop.Line >= done, "got %v", err)
			done = stop.Line
			if rapid.Bool().Draw(rt, "killed") { // after the rejects, before the checkpoint
				f := testkit.Value(os.OpenFile(name+".rejects.ndjson", os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600))(rt)
				_, err = f.WriteString("not checkpointed\n")
				testkit.Must(rt, errors.Join(err, f.Close()))
			}
		}
		testkit.Check(rt, st.all() == want.comments, "other comments than without a stop")
		testkit.Equal(rt, read(t, name+".rejects.ndjson"), want.rejected, "rejects")
		testkit.Check(rt, checkpoints(t, o) == 0, "a checkpoint is left")
	})
}

// stopped leaves an import of a file of 30 lines that was stopped after 10.
func stopped(t *testing.T, o Options) *memory {
	t.Helper()
	o.window = 10
	write(t, "a", numbered(0, 30))
	st := newMemory()
	st.stopAt(1)
	var stop *StopError
	_, err := Import(t.Context(), st, []string{"a"}, o)
	testkit.Need(t, errors.As(err, &stop) && stop.Line == 10, "got %v", err)
	return st
}

func TestResumeOnlyWhatFits(t *testing.T) {
	tests := []struct {
		name    string
		change  func(t *testing.T, o *Options, st *memory)
		resumed int64
	}{
		{"nothing", func(*testing.T, *Options, *memory) {}, 10},
		{"table", func(_ *testing.T, _ *Options, st *memory) { st.name = "other" }, 0},
		{"endpoint", func(_ *testing.T, o *Options, _ *memory) { o.Endpoint = "other" }, 0},
		{"data directory", func(_ *testing.T, o *Options, _ *memory) { o.DataDir = "other" }, 0},
		{"no data directory", func(_ *testing.T, o *Options, _ *memory) { o.DataDir = "" }, 0},
		{"how lines are read", func(_ *testing.T, o *Options, _ *memory) { o.Strict = true }, 0},
		{"restart", func(_ *testing.T, o *Options, _ *memory) { o.Restart = true }, 0},
		{"another rejects file", func(_ *testing.T, o *Options, _ *memory) { o.Rejects = "other" }, 10},
		{"modified", func(t *testing.T, _ *Options, _ *memory) {
			testkit.Must(t, os.Chtimes("a", time.Time{}, time.Unix(1, 0)))
		}, 0},
		{"longer", func(t *testing.T, _ *Options, _ *memory) {
			info := testkit.Value(os.Stat("a"))(t)
			write(t, "a", read(t, "a")+"\n")
			testkit.Must(t, os.Chtimes("a", time.Time{}, info.ModTime()))
		}, 0},
		{"damaged", func(t *testing.T, o *Options, _ *memory) {
			found, err := filepath.Glob(filepath.Join(o.DataDir, importsDir, "*.json"))
			testkit.Need(t, err == nil && len(found) == 1, "%v %v", found, err)
			write(t, found[0], read(t, found[0])[:20])
		}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := place(t)
			st := stopped(t, o)
			test.change(t, &o, st)
			sum := testkit.Value(Import(t.Context(), st, []string{"a"}, o))(t)
			testkit.Equal(t, sum.Files[0].ResumedAfter, test.resumed, "it went on after line")
			testkit.Check(t, sum.Written+sum.Unchanged == 30 && len(st.comments) == 30, "got %v, %d comments", sum, len(st.comments))
			_, err := os.Stat("a.rejects.ndjson")
			testkit.Check(t, errors.Is(err, os.ErrNotExist), "there is a rejects file of nothing: %v", err)
		})
	}
}

// Of several files, the ones that are done are passed over.
func TestResumeSeveral(t *testing.T) {
	o := place(t)
	write(t, "a", lineOf(1, "a")+"bad\n")
	write(t, "b", "bad\n"+lineOf(2, "b"))
	write(t, "c", lineOf(3, "c"))
	files := []string{"a", "b", "c"}
	o.Rejects = "rejects"
	st := newMemory()
	st.stopAt(1)
	sum, err := Import(t.Context(), st, files, o)
	var stop *StopError
	testkit.Need(t, errors.As(err, &stop) && stop.File == "b" && len(sum.Files) == 2 && sum.Written == 1, "got %+v, %v", sum, err)
	var progress bytes.Buffer
	o.Progress.To = &progress
	sum = testkit.Value(Import(t.Context(), st, files, o))(t)
	testkit.Equal(t, sum.Counts, (Counts{Lines: 5, Written: 3, Refused: 2}), "the counts")
	if st.windows != 4 { // a, b (stopped), b, c
		t.Errorf("%d windows were written", st.windows)
	}
	want := "a: an earlier import has completed all of its 2 lines"
	testkit.Check(t, strings.Contains(progress.String(), want), "it said %q", progress.String())
	testkit.Equal(t, strings.Count(read(t, "rejects"), "\n"), 2, "rejects")
	testkit.Check(t, checkpoints(t, o) == 0, "a checkpoint is left")
}
