package verify_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
	"product-comments/store/verify"
)

// newStore returns a store with comments of so many products, three of each, all projected.
func newStore(t *testing.T, products int) (*store.Store, *double.Client) {
	t.Helper()
	client := double.New(double.Options{}).Client("verify")
	s := store.New(client, "comments", store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	var all []store.Comment
	for i := range 3 * products {
		all = append(all, store.Comment{
			ID: fmt.Sprint(i), ProductID: fmt.Sprintf("product-%d", i%products), Language: []string{"de", "en"}[i/products%2], Rating: 1 + i%5,
			Text: "It fits.", CreatedAt: time.Unix(1e9+int64(i), 0).UTC(),
		})
	}
	for batch := range slices.Chunk(all, 500) {
		if _, err := s.Import(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := storetest.ProjectOnce(t.Context(), client, s.Projector()); err != nil {
		t.Fatal(err)
	}
	return s, client
}

// held is something derived whose verifiers hold much of each product, and take each of them
// for one that may differ.
type held struct {
	index.Index // nil: nothing else is asked
	bytes       int

	mu           sync.Mutex
	now          map[string]bool // of one pass
	most, passes int
	compared     map[string]int
	scanned      func() // is called after each pass; may be nil
}

func (h *held) Verifiers(_ settings.Settings, share *index.Share) []index.Verifier {
	h.passes++
	h.now = map[string]bool{}
	return []index.Verifier{&heldVerifier{h, share}}
}

type heldVerifier struct {
	*held
	share *index.Share
}

func (v *heldVerifier) About() string { return "product" }

func (v *heldVerifier) Observe(_ context.Context, _ table.Item, comment *item.Stored) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if comment != nil && v.share.Has(comment.ProductID) && !v.now[comment.ProductID] {
		v.now[comment.ProductID] = true
		v.share.Hold(v.bytes)
		v.most = max(v.most, len(v.now))
	}
	return nil
}

func (v *heldVerifier) Candidates() (all []string) {
	if v.scanned != nil {
		v.scanned()
	}
	for product := range v.now {
		all = append(all, product)
	}
	return all
}

func (v *heldVerifier) Diff(_ context.Context, _ settings.Settings, product string) ([]string, error) {
	v.compared[product]++
	return nil, nil
}

func (v *heldVerifier) Count() (string, int64) { return "products", int64(len(v.now)) }

// What is held at once is bounded, and every product is compared once, in as many passes
// as that takes.
func TestPassesAreBounded(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, 200)
	h := &held{bytes: 1000, compared: map[string]int{}}
	p := projector.New(s.Projector().Table(), s.Projector().Settings(), h)
	found := testkit.Value(verify.Run(t.Context(), p, verify.Options{Memory: 50_000}))(t)
	testkit.Check(t, found.Comments == 600 && found.Derived["products"] == 200 && len(h.compared) == 200, "%+v, %d products were compared", found, len(h.compared))
	for product, n := range h.compared {
		testkit.Check(t, n == 1, "%s was compared %d times", product, n)
	}
	if h.most > 50+8 { // what scanners have in hand when it is full
		t.Errorf("%d products were held at once, 50 may be", h.most)
	}
	testkit.Check(t, h.passes <= 24, "it took %d passes", h.passes)
}

// What is found does not depend on the memory.
func TestFindsTheSameInPasses(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, 60)
	p := s.Projector()
	for _, product := range []string{"product-7", "product-31"} {
		w := table.Write{Key: table.KeyOf(key.Product(product), key.StatisticsSK("en")), Delete: true}
		testkit.Must(t, p.Table().Write(t.Context(), "damage", w))
	}
	var once verify.Verified
	for i, memory := range []int64{0, 5_000, 1} {
		found := testkit.Value(verify.Run(t.Context(), p, verify.Options{Memory: memory}))(t)
		if i == 0 {
			once = found
		}
		testkit.Check(t, found.Comments == 180 && len(found.Differences) == 2 && reflect.DeepEqual(found, once), "with %d bytes: %+v; before %+v", memory, found, once)
	}
}

// A product takes a few hundred bytes while everything is compared. Not parallel: it looks
// at the heap.
func TestWhatAProductTakes(t *testing.T) {
	const products = 2000
	s, _ := newStore(t, products)
	heap := func() int64 {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, after := heap(), int64(0)
	h := &held{compared: map[string]int{}, scanned: func() { after = heap() }}
	all := append([]index.Index{h}, s.Projector().Indexes()...)
	found, err := verify.Run(t.Context(), projector.New(s.Projector().Table(), s.Projector().Settings(), all...), verify.Options{})
	testkit.Need(t, err == nil && len(found.Differences) == 0, "%+v, %v", found, err)
	each := (after - before) / products
	t.Logf("%d bytes", each)
	if each > 1500 { // of a product in two languages
		t.Errorf("%d bytes are held of a product", each)
	}
	runtime.KeepAlive(s)
}
