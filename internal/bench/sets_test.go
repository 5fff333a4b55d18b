package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"product-comments/internal/ndjson"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/pack"
)

func someOf(product string, n int) []store.Comment {
	return newComments(product+"-", product, n)
}

func TestSetTrainsOnOtherProducts(t *testing.T) {
	comments := append(someOf("small", pack.MinSamples), someOf("large", 300)...)
	s := newSet("x", comments, 1)
	if len(s.products) != 1 || s.products[0].id != "large" || s.comments() != 300 {
		t.Fatalf("%d products, %d comments", len(s.products), s.comments())
	}
	if len(s.samples) != pack.MinSamples || s.trained != "100 comments of other products" {
		t.Errorf("%d samples, %s", len(s.samples), s.trained)
	}
	list := s.products[0].comments
	for i := range list[1:] {
		if key.Compare(list[i].Position(), list[i+1].Position()) <= 0 {
			t.Fatalf("comment %d is not newer than the next one", i)
		}
	}
	s = newSet("x", comments, 2)
	if len(s.products) != 2 || s.products[0].id != "large" || !strings.Contains(s.trained, "of these") || len(s.samples) < pack.MinSamples {
		t.Errorf("%d products, %d samples, %s", len(s.products), len(s.samples), s.trained)
	}
	s = generatedSet(1000)
	if len(s.samples) != 200 || s.trained != "200 of these comments, every fifth" {
		t.Errorf("%d samples, %s", len(s.samples), s.trained)
	}
}

func TestThin(t *testing.T) {
	if got := thin([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4); len(got) != 4 || got[0] != 0 || got[1] != 2 || got[2] != 5 || got[3] != 7 {
		t.Errorf("got %v", got)
	}
	if got := thin([]int{1, 2}, 5); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestReadComments(t *testing.T) {
	comments := someOf("a", 3)
	var plain, zipped bytes.Buffer
	for i := range comments {
		plain.Write(ndjson.Append(nil, &comments[i]))
	}
	plain.Write(ndjson.Append(nil, &comments[1])) // once more
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(plain.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"plain": plain.String(), "gzip": zipped.String(), "an empty line": "\n" + plain.String()} {
		got, err := readComments(strings.NewReader(file))
		if err != nil || !same(shown(got), shown(comments)) {
			t.Errorf("%s: %d comments, %v", name, len(got), err)
		}
	}
	if _, err := readComments(strings.NewReader(plain.String() + "{}\n")); err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("got %v", err)
	}
}

func TestShown(t *testing.T) {
	long := store.Comment{ID: "c", Text: strings.Repeat("x", store.InlineText+1), CreatedAt: time.Unix(1, 0)}
	cut := long
	cut.Text, cut.TextElsewhere, cut.CreatedAt = "", true, long.CreatedAt.UTC()
	if !same(shown([]store.Comment{long}), shown([]store.Comment{cut})) {
		t.Error("an index shows a long text")
	}
	other := cut
	other.Author = "Ann"
	if same(shown([]store.Comment{cut}), shown([]store.Comment{other})) || same(nil, shown([]store.Comment{cut})) {
		t.Error("different comments are the same")
	}
}

func TestOfSize(t *testing.T) {
	set := generatedSet(1000)
	got := ofSize(set, 300, 350)
	if len(got) == 0 || len(got)%pageSize != 0 || len(got) > mostOfSize {
		t.Errorf("%d comments", len(got))
	}
	for _, c := range got {
		if n := len(c.Text); n <= 300 || n > 350 {
			t.Errorf("a text of %d bytes", n)
		}
	}
}
