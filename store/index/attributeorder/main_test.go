package attributeorder_test

import (
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
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
	testkit.Must(t, w.s.EnsureTable(t.Context(), true))
	w.project()
	return w
}

// process returns a process with its own memory.
func (w *world) process(api store.API) *store.Store {
	return store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: fresh})
}

// project brings everything up to date.
func (w *world) project() {
	w.Helper()
	testkit.Value(storetest.ProjectOnce(w.Context(), w.c, w.s.Projector()))(w)
}

// define gives the product 42 definitions in place of the ones that it has.
func (w *world) define(list ...attributes.Definition) {
	w.Helper()
	testkit.Value(w.s.Attributes().Define(w.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: list, Force: true}))(w)
}

// right fails the test unless all entries are the ones that the comments demand.
func (w *world) right() {
	w.Helper()
	storetest.Verified(w, w.s.Projector())
}
