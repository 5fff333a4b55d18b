package columns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/columns"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/stream"
	"product-comments/store/table"
	"product-comments/store/verify"
)

var errLost = errors.New("lost")

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

// seen looks at all entries at once, as no reader can.
type seen struct {
	*world
	defined int
	must    map[string]bool // comments that are there all the time
}

func (s *seen) check(when string) {
	s.Helper()
	if len(s.must) == 0 || s.Failed() {
		return
	}
	type where struct{ id, column string }
	values, missing, bare := map[where]int{}, map[where]bool{}, map[string]bool{}
	for _, it := range s.db.Items() {
		product, attribute, value, ok := key.ParseColumn(table.Text(it, key.PK))
		if !ok || product != "42" {
			continue
		}
		at, ok := columns.Place(string(table.Bytes(it, key.SK)), value)
		p, parsed := key.ParseSortKey(at)
		if !ok || !parsed {
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
	}
	for id := range s.must {
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

// A rebuild writes all entries anew, and removes those that no comment backs.
func TestRebuildRepairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		consumer := stream.New(w.c, w.s.Projector(), stream.Options{})
		ended := make(chan error, 1)
		go func() { ended <- consumer.Run(ctx) }()
		w.define(definitions...)
		var comments []store.Comment
		for i := range 20 {
			comments = append(comments, store.Comment{ID: strconv.Itoa(i), ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(int64(i), 0), Attributes: json.RawMessage(`{"fit":1}`)})
		}
		testkit.Get(w.s.Import(ctx, comments))(w)
		time.Sleep(time.Minute)
		w.right("before")
		testkit.Must(w, w.s.Columns().Ready(ctx, "42", "fit")) // projectors fill by themselves
		tb := w.s.Projector().Table()
		first := key.ColumnMissing("42", "size")
		lost := table.ColumnKey(first.Value, comments[3].Position().SortKey())
		testkit.Must(w, tb.Write(ctx, "damage", table.Write{In: key.Columns, Key: lost, Delete: true}))
		nobody := table.ColumnKey(key.ColumnValues("42", "size").Value, "\x40\x00\x01"+key.Position{CreatedAt: time.Unix(99, 0), CommentID: "nobody"}.SortKey())
		nobody["rating"] = table.N(1)
		testkit.Must(w, tb.Write(ctx, "damage", table.Write{In: key.Columns, Put: nobody}))
		found := testkit.Get(verify.Run(ctx, w.s.Projector(), verify.Options{}))(w)
		if want := "entries in the column of size: 1 are missing or outdated, 1 do not belong there"; len(found.Differences) != 1 || found.Differences[0].What != want {
			t.Errorf("found %v", found.Differences)
		}
		testkit.Must(w, consumer.Rebuild(ctx, stream.RebuildOptions{}))
		w.right("rebuilt")
		cancel()
		testkit.Must(w, <-ended)
	})
}

// A verification that cannot read definitions fails, and finds nothing.
func TestVerifyNeedsDefinitions(t *testing.T) {
	w := newWorld(t)
	w.define(definitions...)
	testkit.Get(w.s.Import(t.Context(), []store.Comment{{ID: "1", ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0), Attributes: json.RawMessage(`{"fit":1}`)}}))(w)
	w.project()
	refusing := &storetest.Calls{API: w.c, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if in, ok := in.(*dynamodb.GetItemInput); ok && strings.Contains(table.Text(in.Key, key.PK), "42") {
			return &smithy.GenericAPIError{Code: "AccessDeniedException"}
		}
		_, err := call(ctx)
		return err
	}}
	found, err := verify.Run(t.Context(), w.process(refusing).Projector(), verify.Options{})
	if err == nil || len(found.Differences) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
