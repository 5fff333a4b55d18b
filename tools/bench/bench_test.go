package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/pack"
)

func TestSides(t *testing.T) {
	if odd, even := median([]float64{9, 1, 3}), median([]float64{4, 1, 3, 9}); odd != 3 || even != 3.5 {
		t.Errorf("medians %g and %g", odd, even)
	}
	// Rounds that a slow machine halved for both leave the ratio as it is.
	var order []string
	side := func(name string, rates ...int) *side {
		return &side{name: name, run: func(context.Context) (turn, error) {
			order = append(order, name)
			rate := rates[0]
			rates = rates[1:]
			return turn{done: rate, took: time.Second, cpu: time.Millisecond, latencies: []time.Duration{time.Second / time.Duration(rate)}}, nil
		}}
	}
	a, b := side("a", 100, 50, 100), side("b", 50, 25, 50)
	if err := takeTurns(t.Context(), 3, a, b); err != nil || strings.Join(order, "") != "abbaab" {
		t.Errorf("%v, %v", order, err)
	}
	if a.by(b) != 2 || a.rate() != 100 || a.percentile(50) != 10 || a.percentile(99) != 20 || a.cpuPerPage() != 12 {
		t.Errorf("ratio %g, rate %g, p50 %g, p99 %g, %g µs a page", a.by(b), a.rate(), a.percentile(50), a.percentile(99), a.cpuPerPage())
	}
	b.run = func(context.Context) (turn, error) { return turn{}, errors.New("broken") }
	if err := takeTurns(t.Context(), 1, b); err == nil || err.Error() != "b: broken" {
		t.Errorf("got %v", err)
	}
}

func TestTargets(t *testing.T) {
	r := &report{cursor: mostCursor + 1}
	r.atLeast("just enough", 1.2, 1.2)
	r.atLeast("too slow", 1.19, 1.2)
	r.atMost("too dear", 0.63, 0.62)
	var b strings.Builder
	if r.print(&b); r.missed() != 3 || strings.Count(b.String(), "MISSED") != 3 {
		t.Errorf("%d missed: %s", r.missed(), b.String())
	}
}

func TestUnitsRow(t *testing.T) {
	var r unitsRow
	r.add([3]pageCost{{units: 1, queries: 1}, {units: 3, queries: 2}, {units: 4, queries: 2}})
	if r.worst != [2]float64{-3, -1} {
		t.Errorf("below part 3: worst %v", r.worst)
	}
	r.add([3]pageCost{{units: 2, planning: 1.5, queries: 2}, {units: 1, queries: 1}, {units: 2, queries: 2}})
	if r.worst != [2]float64{0, -1} || r.pages != 2 || r.ratio(oursPacked) != 0.75 || r.ratio(oursPlain) != 4.0/6 || r.sums[oursPacked].queries != 3 {
		t.Errorf("%+v", r)
	}
}

func TestExchanges(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":{"a":1},"extensions":{"cost":{"readUnits":1.5}}}`: `{"data":{"a":1}`,
		`{"data":{"a":"x\",\"extensions\":"}}`:                     `{"data":{"a":"x\",\"extensions\":"}}`,
		``:                                                         ``,
	} {
		if got := string(dataOf([]byte(body))); got != want {
			t.Errorf("%s: got %s", body, got)
		}
	}
	r, err := persisted("127.0.0.1:1", false).request(lists[2], 20, "token")
	if err != nil {
		t.Fatal(err)
	}
	if v := r.URL.Query(); r.Method != http.MethodGet || v.Has("query") || !strings.Contains(v.Get("extensions"), `"sha256Hash":"`) ||
		v.Get("variables") != `{"after":"token","first":20,"product":"42","ratings":[1,4,5]}` {
		t.Errorf("%s", r.URL)
	}
	if p, err := parseOurs([]byte(`{"data":{},"extensions":{"cost":{"readUnits":2.5}}}`)); err != nil || p.units != 2.5 {
		t.Errorf("%g units, %v", p.units, err)
	}
}

// Page 500 of every list is there, and texts are as long as docs/benchmarks.md says.
func TestGeneratedComments(t *testing.T) {
	comments := newComments("c", productID, generated)
	if fmt.Sprint(newComments("c", productID, generated)) != fmt.Sprint(comments) {
		t.Error("they differ from run to run")
	}
	for _, l := range lists {
		some, err := key.RatingsOf(l.ratings...)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(slices.Clone(passing(comments, some)), func(c store.Comment) bool { return l.language != "" && c.Language != l.language })
		if want := (500+stretch)*pageSize + clients; len(found) < want {
			t.Errorf("%s: %d comments, page 500 needs %d", l.name, len(found), want)
		}
	}
	bytes := 0
	for _, c := range comments {
		bytes += len(c.Text)
	}
	if average := bytes / len(comments); average < 300 || average > 450 || comments[0].Validate() != nil {
		t.Errorf("texts have %d bytes; %v", average, comments[0].Validate())
	}
	byProduct := map[string]int{}
	for _, c := range zipfComments("z", 5000, 1000) {
		byProduct[c.ProductID]++
	}
	if first, second := byProduct["z0"], byProduct["z1"]; first < 500 || first < second*3/2 { // a share of 0.134
		t.Errorf("%d and %d comments of the first products", first, second)
	}
}

func TestSetTrainsOnOtherProducts(t *testing.T) {
	comments := append(newComments("s", "small", pack.MinSamples), newComments("l", "large", 300)...)
	s := newSet("x", comments, 1)
	if len(s.products) != 1 || s.products[0].id != "large" || s.trained != "100 comments of other products" {
		t.Fatalf("%d products, %s", len(s.products), s.trained)
	}
	if list := s.products[0].comments; !slices.IsSortedFunc(list, func(a, b store.Comment) int { return key.Compare(b.Position(), a.Position()) }) {
		t.Error("the newest are not first")
	}
	if s = newSet("x", comments, 2); len(s.products) != 2 || !strings.Contains(s.trained, "of these") || len(s.samples) < pack.MinSamples {
		t.Errorf("%d products, %d samples, %s", len(s.products), len(s.samples), s.trained)
	}
	if got := ofSize(s, 300, 350); len(got) == 0 || len(got)%pageSize != 0 || slices.ContainsFunc(got, func(c store.Comment) bool { return len(c.Text) <= 300 || len(c.Text) > 350 }) {
		t.Errorf("%d comments of a size", len(got))
	}
}

func TestReadFile(t *testing.T) {
	comments := newComments("a", "a", 3)
	plain := filepath.Join(t.TempDir(), "comments.ndjson")
	if err := writeFile(plain, comments); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := os.Create(plain + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(zipped)
	_, err = z.Write(text)
	if err = errors.Join(err, z.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{plain, zipped.Name()} {
		if got, err := readFile(t.Context(), name); err != nil || !same(shown(got), shown(comments)) {
			t.Errorf("%s: %d comments, %v", name, len(got), err)
		}
	}
	if err := os.WriteFile(plain, append(text, "{}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readFile(t.Context(), plain); err == nil || !strings.Contains(err.Error(), "1 lines are no comments") {
		t.Errorf("got %v", err)
	}
}
