package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/simulation/double"
	"product-comments/store/table"
)

// newTable returns the store of a new table of the double, in which there are some of the
// comments that drawLines draws lines of: they were voted on, replied to, reported,
// withdrawn, and one follows the orders of who wrote it.
func newTable(t testing.TB) *store.Store {
	t.Helper()
	st := store.New(double.New(double.Options{}).Client("test"), "comments", store.Options{})
	ctx := t.Context()
	testkit.Must(t, st.EnsureTable(ctx, true))
	at := time.Unix(1_700_000_000, 0).UTC()
	there := func(id, owner string) {
		t.Helper()
		c := store.Comment{ID: id, ProductID: "42", Rating: 3, Language: "en", Text: "there", Owner: owner, CreatedAt: at}
		c.Reply = &item.Reply{Text: "Thanks", CreatedAt: at, UpdatedAt: at}
		testkit.Value(st.Import(ctx, []store.Comment{c}))(t)
	}
	_, _, err := st.RecordOrder(ctx, orders.Order{
		ID: "1", Username: "alice", Status: orders.Delivered, Times: orders.Times{at}, Lines: []orders.Line{{ProductID: "42", Quantity: 1}},
	})
	testkit.Must(t, err)
	there("followed", "alice")
	there("withdrawn", "bob")
	there("voted", "")
	testkit.Value(st.Vote(ctx, "voted", key.VoterOf("carol"), votes.Helpful, nil))(t)
	testkit.Value(st.Report(ctx, "voted", "dave", ""))(t)
	testkit.Value(st.Decide(ctx, store.Ruling{ID: "withdrawn", Verb: moderation.Withdraw, By: "bob", Reason: "mine"}))(t)
	return st
}

// drawLines draws a file in which most comments have several lines.
func drawLines(t *rapid.T) string {
	var file strings.Builder
	file.WriteString("bad\n") // a file of blank lines alone is refused
	for range rapid.IntRange(1, 15).Draw(t, "lines") {
		if rapid.IntRange(0, 9).Draw(t, "bad") == 0 {
			file.WriteString(rapid.SampledFrom([]string{"\n", "bad\n"}).Draw(t, "line"))
			continue
		}
		pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
		c := store.Comment{
			ID:        []string{"new", "newer", "followed", "withdrawn", "voted"}[pick("id", 5)],
			ProductID: []string{"42", "43"}[pick("product", 2)], Rating: 1 + pick("rating", 2), Language: []string{"en", "de"}[pick("language", 2)],
			Text: []string{"", "a"}[pick("text", 2)], CreatedAt: time.Unix(1_700_000_000+int64(pick("time", 2)), 0).UTC(),
			VerifiedPurchase: []*bool{nil, new(false), new(true)}[pick("verified", 3)], Helpful: []*int{nil, new(3)}[pick("helpful", 2)],
			Up: pick("up", 2), Down: pick("down", 2),
			State: item.State(pick("state", int(item.States))), Reports: pick("reports", 2),
		}
		if c.State != item.Published {
			c.Reason = []string{"", "why"}[pick("reason", 2)]
			if codes := item.Codes[c.State]; codes != nil {
				c.Code = codes[pick("code", len(codes))]
			}
		}
		if pick("reply", 2) == 0 {
			c.Reply = &item.Reply{Text: "Sorry", CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt}
		}
		file.Write(ndjson.Append(nil, &c))
	}
	if strings.TrimSpace(file.String()) == "" {
		file.WriteString("bad\n")
	}
	return file.String()
}

// dump spells the items of a table, without the names of writes, which are drawn.
func dump(t *rapid.T, st *store.Store) (all map[string]string) {
	var mu sync.Mutex
	all = map[string]string{}
	testkit.Must(t, st.Projector().Table().NewScanner(table.ScanOptions{}).Run(context.Background(), func(_ context.Context, it table.Item) error {
		mu.Lock()
		defer mu.Unlock()
		pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
		if strings.HasPrefix(pk, key.Meta("")) || strings.HasPrefix(sk, key.DecisionPrefix) { // made with the table, or named by writes
			return nil
		}
		for _, name := range []string{"w", "rev", "ballot", "at", "born", "since"} {
			delete(it, name)
		}
		if _, isReport := key.ReportOf(sk); isReport { // in the order of time
			delete(it, key.GSISK)
		}
		b, err := json.Marshal(it)
		all[pk+" "+sk] = string(b)
		return err
	}))
	return all
}

// killed is a store whose process ends in some windows: before it writes, or after, so
// that no one hears of it.
type killed struct {
	*store.Store
	before, after func() bool
}

var errKilled = errors.New("killed")

func (k *killed) Import(ctx context.Context, comments []store.Comment) ([]store.Outcome, error) {
	if k.before() {
		return nil, errKilled
	}
	outcomes, err := k.Store.Import(ctx, comments)
	if err == nil && k.after() {
		return nil, errKilled
	}
	return outcomes, err
}

// What an import makes of a file does not depend on where it is cut into windows, nor on
// where it was killed: table, rejects and refusals are as if lines came one by one.
func TestAnyWindowsComeToTheSame(t *testing.T) {
	o := place(t)
	o.Rejects = "rejects"
	rapid.Check(t, func(rt *rapid.T) {
		file := drawLines(rt)
		write(t, "lines", file)
		o := o
		o.window = 1
		one := newTable(t)
		kept := o.DataDir
		o.DataDir = ""
		counts := testkit.Value(Import(t.Context(), one, []string{"lines"}, o))(rt)
		rejected := readIfThere(t, "rejects")
		testkit.Must(rt, os.RemoveAll("rejects"))

		o.DataDir, o.Restart = kept, true
		o.window = rapid.IntRange(1, 20).Draw(rt, "window")
		kills := rapid.IntRange(0, 3).Draw(rt, "kills")
		now := func(when string) func() bool {
			return func() bool {
				if kills == 0 || !rapid.Bool().Draw(rt, when) {
					return false
				}
				kills--
				return true
			}
		}
		cut := &killed{newTable(t), now("before"), now("after")}
		var sum Summary
		var err error
		for {
			sum, err = Import(t.Context(), cut, []string{"lines"}, o)
			if o.Restart = false; err == nil {
				break
			}
			testkit.Need(rt, errors.Is(err, errKilled), "%v", err)
		}
		testkit.Check(rt, sum.Refused == counts.Refused && sum.Lines == counts.Lines, "%s\nwith one line a window %s", sum, counts)
		testkit.Equal(rt, readIfThere(t, "rejects"), rejected, "rejects")
		testkit.Must(rt, os.RemoveAll("rejects"))
		made, want := dump(rt, cut.Store), dump(rt, one)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			testkit.Equal(rt, made[name], want[name], "the file\n%sin windows of %d made", file, o.window)
		}
		testkit.Equal(rt, len(made), len(want), "there")
	})
}

func readIfThere(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Clean(name))
	testkit.Need(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	return string(b)
}

// A line that would change a withdrawn comment is refused, with its number and why; one
// that says what is there is none.
func TestWithdrawnCommentsStay(t *testing.T) {
	o := place(t)
	st := newTable(t)
	before := testkit.Value(st.Get(t.Context(), "withdrawn"))(t)
	same := string(ndjson.Append(nil, before))
	other := *before
	other.Text, other.State = "changed", item.Published
	write(t, "a.ndjson", lineOf(1, "a")+same+"bad\n"+string(ndjson.Append(nil, &other))+lineOf(2, "b"))
	csv := "productId,commentId,rating,language,createdAt,text\n" + `43,withdrawn,1,de,2026-06-30T12:00:00Z,"two` + "\nlines\"\n"
	write(t, "b.csv", csv)
	for range 2 {
		sum, err := Import(t.Context(), st, []string{"a.ndjson", "b.csv"}, o)
		testkit.Need(t, err == nil && sum.Refused == 3 && sum.Written+sum.Replaced == 3, "%s, %v", sum, err)
		after, err := st.Get(t.Context(), "withdrawn")
		testkit.Need(t, err == nil && reflect.DeepEqual(after, before), "it is %+v, %v; it was %+v", after, err, before)
	}
	wantRejects(t, "a.ndjson.rejects.ndjson",
		reject{File: "a.ndjson", Line: 3, Reason: "not a JSON object", Raw: "bad"},
		reject{File: "a.ndjson", Line: 4, Field: "commentId", Reason: "withdrawn", Raw: strings.TrimSpace(string(ndjson.Append(nil, &other)))})
	wantRejects(t, "b.csv.rejects.ndjson",
		reject{File: "b.csv", Line: 2, Field: "commentId", Reason: "withdrawn", Raw: "43,withdrawn,1,de,2026-06-30T12:00:00Z,\"two\nlines\""})

	// Its author's erasure takes it along, and an import may write it again.
	testkit.Value(st.Erase(t.Context(), store.Erasure{Subject: "bob", Anonymous: true}))(t)
	c, err := st.Get(t.Context(), "withdrawn")
	testkit.Need(t, err == nil && c == nil, "after the erasure it is %+v, %v", c, err)
	testkit.Value(Import(t.Context(), st, []string{"b.csv"}, o))(t)
	c, err = st.Get(t.Context(), "withdrawn")
	testkit.Check(t, err == nil && c != nil && c.State == item.Published, "after another import it is %+v, %v", c, err)
}
