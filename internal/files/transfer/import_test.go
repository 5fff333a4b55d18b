package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
)

// zipped returns a gzip file with a member for every part.
func zipped(t testing.TB, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		testkit.Value(io.WriteString(w, part))(t)
		testkit.Must(t, w.Close())
	}
	return b.String()
}

func TestImport(t *testing.T) {
	o := place(t)
	good := lineOf(1, "a") + lineOf(2, "b") + "\n" + lineOf(3, "c")
	bad := `{"productId":"42","commentId":"c-4","rating":7,"language":"en","createdAt":"2026-06-30T12:00:00Z"}` + "\r\n" +
		"no <JSON> at all\n" + "caf\xe9\n" + `{"x":"` + strings.Repeat("x", maxLine) + `"}` + "\n"
	content := "\ufeff" + good + bad + strings.TrimSpace(lineOf(5, "e"))
	write(t, "plain.ndjson", content)
	write(t, "zipped", zipped(t, content[:len(content)/2], "", content[len(content)/2:]))
	o.Stdin = strings.NewReader(content)
	write(t, "plain.ndjson.rejects.ndjson", "of an earlier import\n")

	st := newMemory()
	sum := testkit.Value(Import(t.Context(), st, []string{"plain.ndjson", "zipped", "-"}, o))(t)
	first := Counts{Lines: 9, Written: 4, Refused: 4}
	again := Counts{Lines: 9, Replaced: 4, Unchanged: 4, Refused: 4}
	for i, want := range []FileSummary{
		{Name: "plain.ndjson", Counts: first},
		{Name: "zipped", Counts: again},
		{Name: "-", Counts: again},
	} {
		got := sum.Files[i]
		want.Rejects = got.Rejects
		testkit.Check(t, reflect.DeepEqual(got, want), "got %+v, want %+v", got, want)
	}
	testkit.Equal(t, sum.String(), "4 written, 8 replaced (8 of them unchanged), 12 refused", "the counts")
	if len(st.comments) != 4 || checkpoints(t, o) != 0 {
		t.Errorf("%d comments, %d checkpoints are left", len(st.comments), checkpoints(t, o))
	}
	for name, file := range map[string]string{"plain.ndjson": "plain.ndjson", "zipped": "zipped", "stdin": "-"} {
		wantRejects(t, name+".rejects.ndjson",
			reject{file, 5, "rating", "7 is not a rating from 1 to 5", `{"productId":"42","commentId":"c-4","rating":7,"language":"en","createdAt":"2026-06-30T12:00:00Z"}`, false},
			reject{file, 6, "", "not a JSON object", "no <JSON> at all", false},
			reject{file, 7, "", "not valid UTF-8", "caf\ufffd", false},
			reject{file, 8, "", "more than 1048576 bytes", `{"x":"` + strings.Repeat("x", maxRaw-6), true})
	}
}

func TestImportRefuses(t *testing.T) {
	o := place(t)
	write(t, "a", lineOf(1, "a"))
	testkit.Must(t, os.Mkdir("dir", 0o700))
	tests := []struct {
		name             string
		files            []string
		rejects, message string
	}{
		{"missing", []string{"a", "b"}, "", "no such file"},
		{"directory", []string{"a", "dir"}, "", "dir is a directory"},
		{"twice", []string{"a", "./a"}, "", "./a is given twice"},
		{"standard input twice", []string{"-", "-"}, "", "- is given twice"},
		{"rejects over input", []string{"a"}, "dir/../a", "is one of the files to import"},
		{"rejects in no directory", []string{"a"}, "a/b", "not a directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := o
			o.Rejects = test.rejects
			st := newMemory()
			_, err := Import(t.Context(), st, test.files, o)
			testkit.Check(t, err != nil && strings.Contains(err.Error(), test.message), "got %v, want %q", err, test.message)
			testkit.Check(t, st.windows == 0 && read(t, "a") == lineOf(1, "a"), "and yet something was written")
		})
	}
}

// A store that does not answer for a while does not end an import, which says that it waits. One
// that does not answer for long does, and the import says how to continue.
func TestImportWaits(t *testing.T) {
	later := errs.Errorf(errs.Unavailable, "could not write the comment now: context deadline exceeded")
	for name, advice := range map[string]string{
		"a": "a: the import stopped after line 0: could not write the comment now: context deadline exceeded. Run it again to continue from there",
		"-": "standard input: the import stopped after line 0: could not write the comment now: context deadline exceeded. Run it again: lines that are already written do not change",
	} {
		for _, comesBack := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				o, said, fits := place(t), &strings.Builder{}, 0
				o.Progress.To, o.Stdin = said, strings.NewReader(lineOf(1, "a"))
				write(t, "a", lineOf(1, "a"))
				o.Fit = func(_ context.Context, comments []store.Comment) ([]store.Fit, error) {
					if fits++; fits == 1 {
						return nil, later
					}
					return make([]store.Fit, len(comments)), nil
				}
				st := newMemory()
				st.before = func(_ context.Context, window int) error {
					if window == 0 || !comesBack {
						return later
					}
					return nil
				}
				sum, err := Import(t.Context(), st, []string{name}, o)
				if !comesBack {
					testkit.Check(t, err != nil && err.Error() == advice && errs.CodeOf(err) == errs.Unavailable, "got %v, want %s", err, advice)
					return
				}
				testkit.Check(t, err == nil && sum.Written == 1, "%v, %v", sum, err)
				testkit.Equal(t, strings.Count(said.String(), ": could not write the comment now: context deadline exceeded; trying again in 1s\n"), 2, "%s", said)
			})
		}
	}
}

// The members of a gzip file are read one after the other, and what follows them is left out, with a
// sentence. Damaged data ends the import, which does not say that the same file could be continued.
func TestGzip(t *testing.T) {
	o := place(t)
	one, two := zipped(t, lineOf(1, "a")), zipped(t, lineOf(2, "b"))
	whole := zipped(t, lineOf(1, "a")+lineOf(2, "b"))
	flipped := []byte(whole)
	flipped[len(flipped)-6] ^= 1
	const trailing = "a.gz: other bytes follow the gzip data; they are ignored"
	const damaged = "the gzip data is damaged or cut off"
	for _, test := range []struct {
		name, content string
		lines         int64
		said, message string
	}{
		{"members", one + strings.Repeat(zipped(t, ""), 200) + two, 2, "", ""},
		{"zeros follow", whole + strings.Repeat("\x00", 600), 2, "", ""},
		{"a byte follows", whole + "x", 2, trailing, ""},
		{"text follows", one + two + "more text than a header has", 2, trailing, ""},
		{"zeros and text follow", whole + "\x00\x00x", 2, trailing, ""},
		{"cut off in the header", whole[:5], 0, "", "a.gz: " + damaged},
		{"cut off in the data", whole[:30], 0, "", "a.gz: " + damaged},
		{"cut off in the checksum", whole[:len(whole)-4], 2, "", "a.gz: the import stopped after line 2: " + damaged},
		{"wrong checksum", string(flipped), 2, "", "a.gz: the import stopped after line 2: " + damaged},
		{"cut off in the second member", one + two[:12], 1, "", "a.gz: the import stopped after line 1: " + damaged},
		{"damaged header of a second member", one + "\x1f\x8bdamaged, damaged", 1, "", "a.gz: the import stopped after line 1: " + damaged},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(t, "a.gz", test.content)
			var said bytes.Buffer
			o := o
			o.Progress.To = &said
			sum, err := Import(t.Context(), newMemory(), []string{"a.gz"}, o)
			testkit.Check(t, sum.Written == test.lines && strings.Contains(said.String(), "other bytes") == (test.said != "") && strings.Contains(said.String(), test.said), "got %v, %s", sum, &said)
			if test.message == "" {
				testkit.Must(t, err)
				return
			}
			testkit.Fails(t, err, test.message)
			var stop *StopError
			testkit.Check(t, !errors.As(err, &stop) || strings.HasSuffix(err.Error(), ". Mend the file and run it again: lines that are already written do not change"), "%v", err)
		})
	}
}

// A file with bytes but without a row is an error, also on standard input.
func TestNothingToImport(t *testing.T) {
	o := ofSheets(t, place(t))
	for content, names := range map[string][]string{
		"\n\r\n \r": {"a", "a.csv"},
		"\ufeff":    {"a", "a.csv"},
		"product_id,rating,createdAt\r\n\r\n,,\r\n": {"a.csv"},
		"": {"a.csv"},
	} {
		for _, name := range names {
			want := "nothing to import: it has no line or row with content"
			if name == "a.csv" && !strings.HasPrefix(content, "product") {
				want = "it is empty: the first line of CSV names the columns"
			}
			for _, content := range []string{content, zipped(t, content)} {
				write(t, name, content)
				_, err := Import(t.Context(), newMemory(), []string{name}, o)
				testkit.Check(t, err != nil && strings.HasPrefix(err.Error(), name+": "+want), "%q in %s: %v", content, name, err)
				o := o
				if o.Stdin = strings.NewReader(content); name == "a.csv" {
					o.Format = FormatCSV
				}
				_, err = Import(t.Context(), newMemory(), []string{"-"}, o)
				testkit.Check(t, err != nil && strings.HasPrefix(err.Error(), "standard input: the import stopped after line 0: "+want), "%q: %v", content, err)
			}
		}
	}
	write(t, "empty", "")
	testkit.Must(t, testkit.Err(Import(t.Context(), newMemory(), []string{"empty"}, o)))
}

// The rejects file is no link to another file, and has a limit.
func TestRejectsFile(t *testing.T) {
	o := place(t)
	write(t, "a", "bad\n")
	write(t, "other", "precious\n")
	for _, target := range []string{"other", "missing"} {
		testkit.Must(t, os.Symlink(target, "a.rejects.ndjson"))
		_, err := Import(t.Context(), newMemory(), []string{"a"}, o)
		testkit.Fails(t, err, "a.rejects.ndjson is a symbolic link: remove it or name another file")
		testkit.Equal(t, read(t, "other"), "precious\n", "the file of the link")
		testkit.Check(t, errors.Is(testkit.Err(os.Stat("missing")), os.ErrNotExist), "the link's file was made")
		testkit.Must(t, os.Remove("a.rejects.ndjson"))
	}
	testkit.Must(t, os.Symlink(os.DevNull, "a.rejects.ndjson"))
	sum, err := Import(t.Context(), newMemory(), []string{"a"}, o)
	testkit.Check(t, err == nil && sum.Refused == 1, "a link to a device: %v %v", sum, err)
	testkit.Must(t, os.Remove("a.rejects.ndjson"))

	// JSON escapes each of these bytes with six.
	write(t, "a", strings.Repeat(strings.Repeat("\x01", maxRaw)+"\n", 400))
	_, err = Import(t.Context(), newMemory(), []string{"a"}, o)
	testkit.Fails(t, err, "the refused lines exceed 64 MiB, the limit of a rejects file: check --format and --map; --rejects "+os.DevNull+" keeps no refused lines. Mend the file")
	info := testkit.Value(os.Stat("a.rejects.ndjson"))(t)
	testkit.Check(t, info.Size() <= maxRejects && info.Size() > maxRejects/2, "it has %d bytes", info.Size())
	o.Rejects = os.DevNull
	sum, err = Import(t.Context(), newMemory(), []string{"a"}, o)
	testkit.Check(t, err == nil && sum.Refused == 400, "without a file: %v %v", sum, err)
}

// An interrupted window is finished, unless that takes too long.
func TestImportInterrupted(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := place(t)
			write(t, "a", lineOf(1, "a"))
			ctx, cancel := context.WithCancel(t.Context())
			st := newMemory()
			st.before = func(ctx context.Context, _ int) error {
				cancel()
				if !hangs {
					return nil
				}
				<-ctx.Done()
				return errs.Wrap(errs.Unavailable, ctx.Err(), "hung")
			}
			sum, err := Import(ctx, st, []string{"a"}, o)
			var stop *StopError
			testkit.Need(t, errors.As(err, &stop) && errors.Is(err, context.Canceled) && strings.Contains(err.Error(), "interrupted. Run it again"), "got %v", err)
			want := int64(1)
			if hangs {
				want = 0
			}
			testkit.Check(t, sum.Written == want && stop.Line == want && checkpoints(t, o) == int(want), "hangs %t: got %v, line %d, %d checkpoints", hangs, sum, stop.Line, checkpoints(t, o))
		})
	}
}

// Standard input that says nothing more does not keep an import from ending.
func TestImportInterruptedWhileWaiting(t *testing.T) {
	place(t)
	st := newStore(t)
	for what, run := range map[string]func(context.Context, Options) (Summary, error){
		"comments": func(ctx context.Context, o Options) (Summary, error) {
			return Import(ctx, newMemory(), []string{"-"}, o)
		},
		"orders": func(ctx context.Context, o Options) (Summary, error) {
			return ImportOrders(ctx, st, []string{"-"}, o)
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		from, to := io.Pipe()
		result := make(chan error, 1)
		go func() {
			_, err := run(ctx, Options{Stdin: from})
			result <- err
		}()
		if _, err := to.Write([]byte("\n")); err != nil { // it reads
			t.Fatal(err)
		}
		cancel()
		select {
		case err := <-result:
			testkit.Check(t, errors.Is(err, context.Canceled), "%s: got %v", what, err)
		case <-time.After(90 * time.Second):
			t.Errorf("%s: it waits on", what)
		}
		testkit.Must(t, to.Close())
	}
}
