package transfer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/files/progress"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv("TESTS") != "all" {
		if err := flag.Set("rapid.checks", "25"); err != nil { // each is whole imports
			panic(err)
		}
	}
	storetest.Main(m)
}

// newStore returns the store of a new, empty table in a real engine.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, st.EnsureTable(t.Context(), true))
	return st
}

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

// What is exported is what was imported, and importing it changes nothing.
func TestExportedIsImported(t *testing.T) {
	st := newStore(t) // before place: the engine is found from the package's folder
	o := place(t)
	write(t, "a", several(250))
	for _, want := range []Counts{
		{Lines: 325, Written: 275, Replaced: 25, Refused: 25},
		{Lines: 325, Replaced: 300, Unchanged: 250, Refused: 25}, // of a comment with two lines, each replaces the other
	} {
		sum, err := Import(t.Context(), st, []string{"a"}, o)
		testkit.Need(t, err == nil && sum.Counts == want, "got %+v, %v, want %+v", sum, err, want)
	}
	var out bytes.Buffer
	n, err := Export(t.Context(), st, []string{"1", "0", "42", "none"}, nil, &out)
	testkit.Need(t, err == nil && n == 275, "%v %v", n, err)
	want := newMemory()
	testkit.Value(Import(t.Context(), want, []string{"a"}, o))(t)
	lines := slices.Collect(strings.Lines(out.String()))
	testkit.Check(t, strings.Contains(lines[0], `"productId":"1"`) && strings.Contains(lines[0], "2026-06-28"), "the first line is not the newest of product 1: %s", lines[0])
	slices.Sort(lines)
	testkit.Check(t, strings.Join(lines, "") == want.all(), "exported something else than was imported")
	for _, to := range []*store.Store{st, newStore(t)} {
		o.Stdin = bytes.NewReader(out.Bytes())
		sum, err := Import(t.Context(), to, []string{"-"}, o)
		testkit.Check(t, err == nil && sum.Unchanged+sum.Written == 275 && sum.Written > 0 != (to == st), "got %v, %v", sum, err)
	}
}

// Progress is shown in lines and refused lines, as far as it is known how much there is.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progressOutput{Options: progress.Options{To: &out}}
		p.begin("empty", 0)
		p.end(true, FileSummary{}, false)
		p.begin("a", 2000)
		for i := range 4 {
			time.Sleep(3 * time.Second)
			p.update(int64(i+1)*500, Counts{Lines: int64(i+1) * 1000, Refused: 1})
		}
		p.end(true, FileSummary{Counts: Counts{Refused: 1000}, Rejects: "/tmp/a.rejects"}, false)
		p.begin(stdin, -1)
		time.Sleep(time.Minute)
		p.update(500, Counts{Lines: 1000})
		p.end(false, FileSummary{}, false)
		want := "a: 2,000 lines, 1 refused (50 %, 6s left)\n" + "a: 4,000 lines, 1 refused (100 %, 0s left)\n" +
			"a: 1,000 refused, see /tmp/a.rejects\n" + "standard input: 1,000 lines, 0 refused\n"
		testkit.Equal(t, out.String(), want, "the lines")
	})
}
