package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/store"
)

// several returns a file of comments of two products, with everything that the
// format has, and bad lines and repeated ids among them.
func several(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"productId":"%d","commentId":"c-%04d","rating":%d,"language":"pt-BR","createdAt":"2026-06-%02dT12:00:00.00000000%dZ",`+
			`"author":"João","title":"<b>%d</b>","text":%q,"verifiedPurchase":%v,"helpful":%d,"attributes":{"seat":"12\u0041","score":3.0}}`+"\n",
			i%2, i, i%5+1, i%28+1, i%10, i, strings.Repeat("text ", i%50*i%50*10)+".", i%2 == 0, i)
		if i%10 == 0 {
			b.WriteString("bad\n")
			b.WriteString(lineOf(i+n, "first"))
			b.WriteString(lineOf(i+n, "second"))
		}
	}
	return b.String()
}

func TestEngine(t *testing.T) {
	st := newStore(t) // before place: the engine is found from the package's folder
	o := place(t)
	write(t, "plain", several(150))
	write(t, "zipped", zipped(t, several(150)))
	o.Stdin = strings.NewReader(several(150))
	counts, version := Counts{Lines: 195, Written: 165, Replaced: 15, Refused: 15}, 2
	for _, name := range []string{"plain", "zipped", "-"} {
		sum, err := Import(t.Context(), st, []string{name}, o)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Counts != counts {
			t.Errorf("%s: got %+v, want %+v", name, sum.Counts, counts)
		}
		// Again, all is as it was: of a comment with two lines, each replaces the other.
		counts = Counts{Lines: 195, Replaced: 180, Unchanged: 150, Refused: 15}
		c, err := st.Get(t.Context(), "c-00150")
		if err != nil || c == nil || c.Text != "second" || c.Version != version {
			t.Errorf("got %+v, %v", c, err)
		}
		version += 2
	}
}

// What is exported is what was imported, and importing it changes nothing.
func TestExportedIsImported(t *testing.T) {
	st := newStore(t) // before place: the engine is found from the package's folder
	o := place(t)
	write(t, "a", several(250))
	if _, err := Import(t.Context(), st, []string{"a"}, o); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := Export(t.Context(), st, []string{"1", "0", "42", "none"}, &out)
	if err != nil || n != 275 {
		t.Fatal(n, err)
	}
	want := newMemory()
	if _, err := Import(t.Context(), want, []string{"a"}, o); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(out.String()))
	if !strings.Contains(lines[0], `"productId":"1"`) || !strings.Contains(lines[0], "2026-06-28") {
		t.Errorf("the first line is not the newest of product 1: %s", lines[0])
	}
	slices.Sort(lines)
	if strings.Join(lines, "") != want.all() {
		t.Error("exported something else than was imported")
	}
	for _, to := range []*store.Store{st, newStore(t)} {
		o.Stdin = bytes.NewReader(out.Bytes())
		sum, err := Import(t.Context(), to, []string{"-"}, o)
		if err != nil || sum.Unchanged+sum.Written != 275 || sum.Written > 0 == (to == st) {
			t.Errorf("got %v, %v", sum, err)
		}
	}
}

// stopping is a store that an interruption hits while it writes.
type stopping struct {
	*store.Store
	after int
	stop  func()
	calls int
}

func (s *stopping) Import(ctx context.Context, comments []store.Comment) ([]store.Outcome, error) {
	if s.calls++; s.calls == s.after {
		s.stop()
	}
	return s.Store.Import(ctx, comments)
}

func TestEngineInterrupted(t *testing.T) {
	st := newStore(t) // before place: the engine is found from the package's folder
	o := place(t)
	o.window = 26 // lines, or fewer: each window ends before the second line of a comment
	write(t, "a", several(150))
	ctx, cancel := context.WithCancel(t.Context())
	first := &stopping{Store: st, after: 4, stop: cancel}
	_, err := Import(ctx, first, []string{"a"}, o)
	var stop *StopError
	if !errors.As(err, &stop) || !errors.Is(err, context.Canceled) || stop.Line != 42 {
		t.Fatalf("got %v", err)
	}
	second := &stopping{Store: st}
	sum, err := Import(t.Context(), second, []string{"a"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Files[0].ResumedAfter != 42 || second.calls != 12 || sum.Counts != (Counts{Lines: 195, Written: 165, Replaced: 15, Refused: 15}) {
		t.Errorf("got %+v in %d windows", sum, second.calls)
	}
	sum, err = Import(t.Context(), st, []string{"a"}, o)
	if err != nil || sum.Unchanged != 150 || sum.Written != 0 {
		t.Errorf("something was lost: %v, %v", sum, err)
	}
}
