package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/list"
	"product-comments/store/plan"
)

// shelf is an Exporter with the comments of any product, newest first.
type shelf struct {
	comments []store.Comment
	gone     map[string]bool // deleted after the page was read
	fail     error           // of GetMany
}

func (s *shelf) Page(_ context.Context, f plan.Filter, w store.Window) (store.Page, error) {
	rest := s.comments
	if w.After != nil {
		i := slices.IndexFunc(rest, func(c store.Comment) bool { return c.Position() == *w.After })
		rest = rest[i+1:]
	}
	n := min(w.Limit, len(rest))
	page := slices.Clone(rest[:n])
	for i := range page {
		page[i].Attributes, page[i].TextElsewhere = nil, true
	}
	return store.Page{Page: list.Page[store.Comment]{Items: page, HasNext: len(rest) > n}}, nil
}

func (s *shelf) GetMany(_ context.Context, ids []string) ([]*store.Comment, error) {
	out := make([]*store.Comment, len(ids))
	for i, id := range ids {
		j := slices.IndexFunc(s.comments, func(c store.Comment) bool { return c.ID == id })
		if !s.gone[id] {
			out[i] = &s.comments[j]
		}
	}
	return out, s.fail
}

func newShelf(n int) *shelf {
	s := &shelf{gone: map[string]bool{}}
	for i := range n {
		c := store.Comment{ID: fmt.Sprintf("c-%d", i), ProductID: "42", Rating: 5, Language: "en", Attributes: []byte(`{"a":1}`)}
		s.comments = append(s.comments, c)
	}
	return s
}

func TestExportPages(t *testing.T) {
	for _, n := range []int{0, 1, 99, 100, 101, 250} {
		s := newShelf(n)
		var out bytes.Buffer
		got, err := Export(t.Context(), s, []string{"42"}, &out)
		testkit.Check(t, err == nil && got == n && strings.Count(out.String(), "\n") == n && strings.Count(out.String(), `"attributes"`) == n, "%d comments: wrote %d, %v", n, got, err)
	}
}

func TestExportLeavesOut(t *testing.T) {
	s := newShelf(3)
	s.gone[s.comments[0].ID] = true     // deleted
	s.comments[1].ProductID = "another" // moved
	var out bytes.Buffer
	n, err := Export(t.Context(), s, []string{"42"}, &out)
	testkit.Check(t, err == nil && n == 1 && strings.Contains(out.String(), s.comments[2].ID), "got %d, %v: %s", n, err, &out)
}

func TestExportFails(t *testing.T) {
	s := newShelf(1)
	_, err := Export(t.Context(), s, []string{"42", ""}, &bytes.Buffer{})
	var coded *errs.Error
	testkit.Check(t, errors.As(err, &coded) && coded.Code == errs.BadUserInput && coded.Field == "productId", "got %v", err)
	broken := errors.New("broken pipe")
	_, err = Export(t.Context(), s, []string{"42"}, &unwritable{broken})
	testkit.Check(t, errors.Is(err, broken), "got %v", err)
	s.fail = errs.Errorf(errs.Unavailable, "later")
	_, err = Export(t.Context(), s, []string{"42"}, &bytes.Buffer{})
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable && strings.Contains(err.Error(), "export product 42"), "got %v", err)
}

type unwritable struct{ err error }

func (w *unwritable) Write([]byte) (int, error) { return 0, w.err }
