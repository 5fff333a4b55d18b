package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/demo"
	"product-comments/internal/ndjson"
	"product-comments/store"
)

// defined is a definition of an attribute, as the API shows it.
type defined struct {
	Key, Type string
	Locale    *string // of a DATE: how its days are written
	Choices   []struct{ Value string }
}

// compareBy compares values of an attribute as people do.
func compareBy(d defined, a, b any) int {
	switch d.Type {
	case "NUMBER":
		x, _ := new(big.Rat).SetString(fmt.Sprint(a))
		y, _ := new(big.Rat).SetString(fmt.Sprint(b))
		return x.Cmp(y)
	case "DATE":
		return d.day(a).Compare(d.day(b))
	case "CHOICE":
		place := func(v any) int {
			return slices.IndexFunc(d.Choices, func(c struct{ Value string }) bool { return c.Value == v })
		}
		return place(a) - place(b)
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) // false comes before true
}

// day reads a date: of RFC 3339, or as people of the definition's locale write days.
func (d defined) day(v any) time.Time {
	spelled := fmt.Sprint(v)
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, spelled); err == nil {
			return at
		}
	}
	layout := "2-1-2006"
	if d.Locale != nil && *d.Locale == "en-US" {
		layout = "1-2-2006"
	}
	at, _ := time.Parse(layout, strings.NewReplacer("/", "-", ".", "-").Replace(spelled))
	return at
}

// attributesOf returns what a comment says of attributes.
func attributesOf(t *testing.T, c store.Comment) (given map[string]any) {
	t.Helper()
	if c.Attributes == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Attributes))
	decoder.UseNumber()
	if err := decoder.Decode(&given); err != nil {
		t.Fatal(err)
	}
	return given
}

// sorted returns the ids of comments in an order: by the value, then by time and id, all
// in the order's direction; those without the attribute come last, by time in it, too.
func sorted(t *testing.T, all []store.Comment, field string, d defined, direction int) (ids []string) {
	t.Helper()
	all = slices.SortedFunc(slices.Values(all), func(a, b store.Comment) int {
		by := 0
		switch field {
		case "RATING":
			by = a.Rating - b.Rating
		case "HELPFUL":
			by = *cmp.Or(a.Helpful, new(0)) - *cmp.Or(b.Helpful, new(0))
		case "ATTRIBUTE":
			x, hasX := attributesOf(t, a)[d.Key]
			y, hasY := attributesOf(t, b)[d.Key]
			switch {
			case hasX && hasY:
				by = compareBy(d, x, y)
			case hasX != hasY:
				return map[bool]int{true: -1, false: 1}[hasX]
			}
		}
		return direction * cmp.Or(by, a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// orderPage is a page of a list with an order.
type orderPage struct {
	Attributes []defined
	Comments   struct {
		Nodes    []struct{ CommentID string }
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
}

// orderPage asks for a page of a product. It returns false while the order is being made.
func (s *server) orderPage(t *testing.T, product, arguments string) (orderPage, bool) {
	t.Helper()
	text := s.query(t, fmt.Sprintf(`{product(id:%q){attributes{key type locale choices{value}}
		comments(%s){nodes{commentId} pageInfo{hasNextPage endCursor}}}}`, product, arguments))
	var answer struct {
		Data   struct{ Product orderPage }
		Errors []struct{ Extensions struct{ Code string } }
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Errors) > 0 && answer.Errors[0].Extensions.Code != "UNAVAILABLE" {
		t.Fatalf("product %s, %s: %s, %v", product, arguments, text, err)
	}
	return answer.Data.Product, len(answer.Errors) == 0
}

// walk returns the ids of a list, read page by page.
func (s *server) walk(t *testing.T, product, order string) (ids []string) {
	t.Helper()
	for after, more := "", true; more; {
		p, available := s.orderPage(t, product, fmt.Sprintf(`orderBy:{%s},first:7,after:%q`, order, after))
		for _, n := range p.Comments.Nodes {
			ids = append(ids, n.CommentID)
		}
		after, more = p.Comments.PageInfo.EndCursor, p.Comments.PageInfo.HasNextPage
		if !available || more && (len(p.Comments.Nodes) != 7 || after == "") {
			t.Fatalf("product %s, %s: after %d comments %+v, %t", product, order, len(ids), p, available)
		}
	}
	return ids
}

// The program imports a file and defines what attributes it has. Then every order, both
// ways, of every product is that of the file's lines sorted here.
func TestEveryOrderOfAFile(t *testing.T) {
	t.Parallel()                                                             // it waits for definitions to settle
	products := map[string][]store.Comment{"102": nil, "103": nil, "1": nil} // with few comments
	var file strings.Builder
	for c := range demo.Comments() {
		if all, ok := products[c.ProductID]; ok {
			products[c.ProductID] = append(all, c)
			file.Write(ndjson.Append(nil, &c))
		}
	}
	dir := t.TempDir()
	write(t, dir, "comments", file.String())
	wantRun(t, dir, "", 0, "", "import", "--data-dir=data", "--infer-attributes", "comments")
	s := startServer(t, filepath.Join(dir, "data"), "--store-timeout=1s")
	attributes := 0
	for product, all := range products {
		p, _ := s.orderPage(t, product, "first:1")
		attributes += len(p.Attributes)
		lists := append([]defined{{Type: "CREATED_AT"}, {Type: "RATING"}, {Type: "HELPFUL"}}, p.Attributes...)
		for _, d := range lists {
			field, order := d.Type, "field:"+d.Type
			if d.Key != "" {
				field, order = "ATTRIBUTE", fmt.Sprintf("field:ATTRIBUTE,attribute:%q", d.Key)
			}
			waitUntil(t, "product "+product+" has the order "+order, func() bool {
				_, available := s.orderPage(t, product, "first:1,orderBy:{direction:ASC,"+order+"}")
				return available
			})
			for direction, by := range map[string]int{"ASC": 1, "DESC": -1} {
				if got, want := s.walk(t, product, order+",direction:"+direction), sorted(t, all, field, d, by); !slices.Equal(got, want) {
					t.Errorf("product %s, %s %s:\ngot  %v\nwant %v", product, order, direction, got, want)
				}
			}
		}
	}
	if attributes == 0 {
		t.Error("no attribute was defined")
	}
}
