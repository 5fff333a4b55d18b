package columns_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
	"product-comments/store/verify"
)

// fresh makes processes know at once what others have changed.
const fresh = time.Nanosecond

// world is a table in memory.
type world struct {
	*testing.T
	db *double.DB
	c  *double.Client
	s  *store.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := double.New(double.Options{})
	w := &world{T: t, db: db, c: db.Client("test")}
	w.s = w.process(w.c)
	if err := w.s.EnsureTable(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	w.project()
	return w
}

// process returns a process with its own memory.
func (w *world) process(api store.API) *store.Store {
	return store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: fresh})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// project brings everything up to date.
func (w *world) project() {
	w.Helper()
	_, err := storetest.ProjectOnce(w.Context(), w.c, w.s.Projector())
	w.must(err)
}

// define gives the product 42 a revision of definitions.
func (w *world) define(revision int, list ...attributes.Definition) {
	w.Helper()
	spelled, err := json.Marshal(list)
	w.must(err)
	packer, err := zstd.NewWriter(nil)
	w.must(err)
	tb := w.s.Projector().Table()
	it := table.KeyOf(key.Product("42"), key.AttributesRevisionSK(revision))
	it["list"] = table.B(packer.EncodeAll(spelled, nil))
	standing := table.KeyOf(key.Product("42"), key.AttributesSK)
	standing["rev"] = table.N(revision)
	fill := table.KeyOf(key.AttributeFills, key.Product("42"))
	w.must(tb.Transact(w.Context(), "define", table.Write{Put: it}, table.Write{Put: standing}, table.Write{Put: fill}))
	_, err = w.s.Settings().Change(w.Context(), func(now *settings.Settings) (bool, error) {
		now.Attributes = true
		return true, nil
	})
	w.must(err)
}

// right fails the test unless all entries are those that the comments demand.
func (w *world) right(when string) {
	w.Helper()
	found, err := verify.Run(w.Context(), w.s.Projector(), verify.Options{})
	w.must(err)
	for _, d := range found.Differences {
		w.Errorf("%s: %s", when, d)
	}
	if found.State != settings.StateKept {
		w.Fatalf("%s: nothing was compared: %s", when, found.State)
	}
}
