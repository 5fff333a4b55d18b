package transfer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testkit"
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
	n, err := Export(t.Context(), st, []string{"1", "0", "42", "none"}, &out)
	testkit.Need(t, err == nil && n == 275, "%v %v", n, err)
	want := newMemory()
	testkit.Value(Import(t.Context(), want, []string{"a"}, o))(t)
	lines := slices.Collect(strings.Lines(out.String()))
	if !strings.Contains(lines[0], `"productId":"1"`) || !strings.Contains(lines[0], "2026-06-28") {
		t.Errorf("the first line is not the newest of product 1: %s", lines[0])
	}
	slices.Sort(lines)
	testkit.Check(t, strings.Join(lines, "") == want.all(), "exported something else than was imported")
	for _, to := range []*store.Store{st, newStore(t)} {
		o.Stdin = bytes.NewReader(out.Bytes())
		sum, err := Import(t.Context(), to, []string{"-"}, o)
		testkit.Check(t, err == nil && sum.Unchanged+sum.Written == 275 && sum.Written > 0 != (to == st), "got %v, %v", sum, err)
	}
}
