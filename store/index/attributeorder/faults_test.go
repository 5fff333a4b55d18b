package attributeorder_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// faulty loses calls: some take effect although no one hears of it, others are on
// their way for long and arrive when others have gone on.
type faulty struct {
	store.API
	random *rand.Rand
	late   *[]*dynamodb.TransactWriteItemsInput
	after  func(what string) // is called after each transaction
	cross  bool              // nothing is lost while it is false
}

var errLost = errors.New("lost")

func (f *faulty) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	fate := f.random.IntN(12)
	if f.cross && fate == 0 {
		*f.late = append(*f.late, in)
		return nil, errLost
	}
	out, err := f.API.TransactWriteItems(ctx, in, o...)
	f.after("a transaction")
	if f.cross && fate == 1 {
		return nil, errLost
	}
	return out, err
}

// many returns so many definitions.
func many(n int) (list []attributes.Definition) {
	for i := range n {
		list = append(list, attributes.Definition{Key: fmt.Sprintf("k%03d", i), Type: attributes.Number})
	}
	return list
}

// numbers returns attributes with so many values, or none.
func numbers(random *rand.Rand, of, n int) json.RawMessage {
	all := map[string]int{}
	for _, i := range random.Perm(of)[:n] {
		all[fmt.Sprintf("k%03d", i)] = random.IntN(3)
	}
	if n == 0 {
		return nil
	}
	spelled, err := json.Marshal(all)
	if err != nil {
		panic(err) // numbers are JSON
	}
	return spelled
}

// A comment has more entries than a transaction takes, and processes that project are
// lost at any moment, also with calls that arrive long after. No reader ever sees a
// comment twice in a column, nor misses it, and in the end all is right.
func TestColumnsGoAheadWhole(t *testing.T) {
	w := newWorld(t)
	random := testkit.Random(t)
	const n = 230
	w.define(many(n)...)
	seen := &seen{world: w, defined: n, must: map[string]bool{}}
	var late []*dynamodb.TransactWriteItemsInput
	faults := &faulty{API: w.c, random: random, late: &late, after: seen.check}
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	write := func(id string, values int, title string) {
		c := store.Comment{ID: id, ProductID: "42", Rating: 1, Language: "en", Title: title, CreatedAt: began, Attributes: numbers(random, n, values)}
		testkit.Value(w.s.Import(t.Context(), []store.Comment{c}))(w)
	}
	ids := []string{"a", "b"}
	for i, id := range ids {
		write(id, 100*i, "")
	}
	w.project()
	seen.must = map[string]bool{"a": true, "b": true}
	failed := 0
	for step := range 36 {
		for range 1 + random.IntN(2) {
			write(ids[random.IntN(2)], []int{0, 1, 90, 97, 98, 130, n}[random.IntN(7)], strconv.Itoa(step%3))
		}
		s := w.process(faults)
		for try := range 30 {
			faults.cross = try < 20
			if len(late) > 0 && random.IntN(2) == 0 {
				i := random.IntN(len(late))
				_, _ = w.c.TransactWriteItems(t.Context(), late[i]) // no one waits for its answer any more
				late = append(late[:i], late[i+1:]...)
				seen.check("a transaction that was late")
			}
			if _, err := storetest.ProjectOnce(t.Context(), w.c, s.Projector()); err == nil {
				break
			}
			failed++
			s = w.process(faults)
		}
	}
	for _, in := range late {
		_, _ = w.c.TransactWriteItems(t.Context(), in)
		seen.check("a transaction that was very late")
	}
	testkit.Check(t, failed != 0, "nothing was ever lost")
	testkit.Check(t, seen.partly != 0, "no column was ever ahead of another")
	w.project()
	w.right()
}

// seen looks at all entries at once, as no reader can.
type seen struct {
	*world
	defined int
	must    map[string]bool // comments that are there all the time
	partly  int             // how often a comment was seen with its old state in one column and its new one in another
}

func (s *seen) check(when string) {
	s.Helper()
	if len(s.must) == 0 || s.Failed() {
		return
	}
	type where struct{ id, column string }
	values, missing, bare := map[where]int{}, map[where]bool{}, map[string]bool{}
	titles := map[string]map[string]bool{}
	for _, it := range s.db.Items() {
		product, attribute, value, ok := key.ParseColumn(table.Text(it, key.PK))
		if !ok || product != "42" {
			continue
		}
		p, ok := key.Span{Partition: key.Partition{Index: key.Columns}}.Position(string(table.Bytes(it, key.SK)))
		if !ok || (p.Value != "") != value {
			s.Fatalf("an entry is at %q", table.Bytes(it, key.SK))
		}
		switch {
		case attribute == "":
			bare[p.CommentID] = true
		case value:
			values[where{p.CommentID, attribute}]++
		default:
			missing[where{p.CommentID, attribute}] = true
		}
		if titles[p.CommentID] == nil {
			titles[p.CommentID] = map[string]bool{}
		}
		titles[p.CommentID][table.Text(it, "title")] = true
	}
	for id := range s.must {
		if len(titles[id]) > 1 {
			s.partly++
		}
		for i := range s.defined {
			in := where{id, fmt.Sprintf("k%03d", i)}
			n := values[in]
			if missing[in] || bare[id] { // the same place, which is shown once
				n++
			}
			if n != 1 {
				s.Fatalf("after %s, %s is %d times in the column %s", when, id, n, in.column)
			}
		}
	}
}

// A rebuild writes all entries again, and removes the ones that no comment backs.
func TestRebuildRepairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		consumer := stream.New(w.c, w.s.Projector(), stream.Options{})
		ended := make(chan error, 1)
		go func() { ended <- consumer.Run(ctx) }()
		w.define(ofProduct...)
		var comments []store.Comment
		for i := range 20 {
			comments = append(comments, store.Comment{ID: strconv.Itoa(i), ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(int64(i), 0), Attributes: json.RawMessage(`{"fit":1}`)})
		}
		testkit.Value(w.s.Import(ctx, comments))(w)
		time.Sleep(time.Minute)
		w.right()
		testkit.Must(w, w.s.AttributeIndex().Ready(ctx, "42", "fit")) // projectors fill by themselves
		tb := w.s.Projector().Table()
		first := key.ColumnMissing("42", "size")
		lost := table.ColumnKey(first.Value, comments[3].Position().SortKey())
		testkit.Must(w, tb.Write(ctx, "damage", table.Write{In: key.Columns, Key: lost, Delete: true}))
		nobody := table.ColumnKey(key.ColumnValues("42", "size").Value, "\x40\x00\x01"+key.Position{CreatedAt: time.Unix(99, 0), CommentID: "nobody"}.SortKey())
		nobody["rating"] = table.N(1)
		testkit.Must(w, tb.Write(ctx, "damage", table.Write{In: key.Columns, Put: nobody}))
		found := testkit.Value(verify.Run(ctx, w.s.Projector(), verify.Options{}))(w)
		want := []verify.Difference{{Of: `comment "3"`, What: "its entry in attribute index, COLUMN#42/M/size, is missing"}, {Of: `comment "nobody"`, What: "its entry in attribute index, COLUMN#42/A/size, does not belong there"}}
		testkit.Check(t, slices.Equal(found.Differences, want), "found %v", found.Differences)
		testkit.Must(w, consumer.Rebuild(ctx, stream.RebuildOptions{}))
		w.right()
		cancel()
		testkit.Must(w, <-ended)
	})
}

// refusing refuses reads of what is kept about product 42.
type refusing struct{ store.API }

func (r refusing) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if strings.Contains(table.Text(in.Key, key.PK), "42") {
		return nil, &smithy.GenericAPIError{Code: "AccessDeniedException"}
	}
	return r.API.GetItem(ctx, in, o...)
}

// A verification that cannot read definitions fails, and finds nothing.
func TestVerifyNeedsDefinitions(t *testing.T) {
	w := newWorld(t)
	w.define(ofProduct...)
	testkit.Value(w.s.Import(t.Context(), []store.Comment{{ID: "1", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0), Attributes: json.RawMessage(`{"fit":1}`)}}))(w)
	w.project()
	found, err := verify.Run(t.Context(), w.process(refusing{w.c}).Projector(), verify.Options{})
	testkit.Check(t, err != nil && len(found.Differences) == 0, "%+v, %v", found, err)
}
