package command

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/internal/demo"
	"product-comments/internal/ndjson"
)

// line is a comment of a file, as far as orders go by it.
type line struct {
	ProductID  string
	CommentID  string
	Rating     int
	Helpful    int
	CreatedAt  time.Time
	Attributes map[string]any
}

// defined is a definition of an attribute, as the API shows it.
type defined struct {
	Key, Type string
	Locale    *string // of a DATE: how its days are written
	Choices   []struct{ Value string }
}

// listOrder is an order, as the API takes it.
type listOrder struct {
	Field     string `json:"field"`
	Attribute string `json:"attribute,omitempty"`
	Direction string `json:"direction"`
}

// smallProducts are those of the demo that a test is quick with.
var smallProducts = []string{"102", "103", "1"}

// linesFile returns the file of the environment variable GRID_DATA, or else a new one
// with some products of the demo.
func linesFile(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("GRID_DATA"); name != "" {
		return name
	}
	var b bytes.Buffer
	for c := range demo.Comments() {
		if slices.Contains(smallProducts, c.ProductID) {
			b.Write(ndjson.Append(nil, &c))
		}
	}
	name := filepath.Join(t.TempDir(), "comments.ndjson")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// linesOf reads a file, plain or gzip, by product.
func linesOf(t *testing.T, name string) map[string][]line {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	from := io.Reader(file)
	if strings.HasSuffix(name, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	byProduct := map[string][]line{}
	lines := bufio.NewScanner(from)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var l line
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		if err := decoder.Decode(&l); err != nil {
			t.Fatal(err)
		}
		byProduct[l.ProductID] = append(byProduct[l.ProductID], l)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return byProduct
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

// sorted returns the ids of comments in an order: by the value, then by time and id, all
// in the order's direction; those without the attribute come last, by time in it, too.
func sorted(lines []line, o listOrder, d defined) (ids []string) {
	direction := 1
	if o.Direction == "DESC" {
		direction = -1
	}
	lines = slices.SortedFunc(slices.Values(lines), func(a, b line) int {
		by := 0
		switch o.Field {
		case "RATING":
			by = a.Rating - b.Rating
		case "HELPFUL":
			by = a.Helpful - b.Helpful
		case "ATTRIBUTE":
			x, hasX := a.Attributes[d.Key]
			y, hasY := b.Attributes[d.Key]
			switch {
			case hasX && hasY:
				by = compareBy(d, x, y)
			case hasX != hasY:
				return map[bool]int{true: -1, false: 1}[hasX]
			}
		}
		return direction * cmp.Or(by, a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.CommentID, b.CommentID))
	})
	for _, l := range lines {
		ids = append(ids, l.CommentID)
	}
	return ids
}

const orderQuery = `query($product: ID!, $by: CommentOrder, $first: Int!, $after: String) { product(id: $product) {
	attributes { key type locale choices { value } }
	comments(orderBy: $by, first: $first, after: $after) { nodes { commentId } pageInfo { hasNextPage endCursor } } } }`

// orderPage is a page of a list with an order.
type orderPage struct {
	Attributes []defined
	Comments   struct {
		Nodes    []struct{ CommentID string }
		PageInfo struct {
			HasNextPage bool
			EndCursor   *string
		}
	}
}

// orderLists asks a server for lists.
type orderLists struct {
	url string

	mu    sync.Mutex
	pages int
	units float64
	trips int
}

// page asks for a page. unavailable is true if an order is still being made.
func (o *orderLists) page(ctx context.Context, product string, by *listOrder, first int, after *string) (p orderPage, unavailable bool, err error) {
	body, err := json.Marshal(map[string]any{"query": orderQuery, "variables": map[string]any{"product": product, "by": by, "first": first, "after": after}})
	if err != nil {
		return p, false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url+"graphql", bytes.NewReader(body))
	if err != nil {
		return p, false, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return p, false, err
	}
	defer response.Body.Close()
	var answer struct {
		Data   struct{ Product orderPage }
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
		Extensions struct {
			Cost struct {
				ReadUnits  float64
				RoundTrips int
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return p, false, err
	}
	if len(answer.Errors) > 0 {
		return p, answer.Errors[0].Extensions.Code == "UNAVAILABLE", errors.New(answer.Errors[0].Message)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pages++
	o.units += answer.Extensions.Cost.ReadUnits
	o.trips += answer.Extensions.Cost.RoundTrips
	return answer.Data.Product, false, nil
}

// walk returns the ids of a list, read page by page.
func (o *orderLists) walk(ctx context.Context, product string, by listOrder, first int) (ids []string, err error) {
	for after := (*string)(nil); ; {
		p, _, err := o.page(ctx, product, &by, first, after)
		if err != nil {
			return nil, err
		}
		for _, n := range p.Comments.Nodes {
			ids = append(ids, n.CommentID)
		}
		after = p.Comments.PageInfo.EndCursor
		if !p.Comments.PageInfo.HasNextPage {
			return ids, nil
		}
		if len(p.Comments.Nodes) != first || after == nil {
			return nil, fmt.Errorf("a page of %d comments, and not %d, says that others follow", len(p.Comments.Nodes), first)
		}
	}
}

// The program imports a file and defines what attributes it has. Then every order, both
// ways, of every product is that of the file's lines sorted here. GRID_DATA names a file
// of any size, plain or gzip:
//
//	GRID_DATA=comments.ndjson.gz go test ./internal/command -run TestEveryOrderOfAFile -v -timeout 60m
func TestEveryOrderOfAFile(t *testing.T) {
	t.Parallel() // it waits for definitions to settle
	file := linesFile(t)
	lines := linesOf(t, file)
	dir := t.TempDir()
	began := time.Now()
	out, log, status := run(t, dir, "", "import", "--data-dir=data", "--infer-attributes", file)
	if status != 0 {
		t.Fatalf("the import ends with %d: %s\n%s", status, out, log)
	}
	imported := time.Since(began)

	began = time.Now()
	s := startServer(t, filepath.Join(dir, "data"), "--store-timeout=1s")
	o := &orderLists{url: s.url}
	definitions := map[string][]defined{}
	for product := range lines {
		p, _, err := o.page(t.Context(), product, nil, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		definitions[product] = p.Attributes
		if len(p.Attributes) > 0 {
			by := &listOrder{"ATTRIBUTE", p.Attributes[0].Key, "DESC"}
			waitUntil(t, "product "+product+" has its columns", func() bool {
				_, unavailable, err := o.page(t.Context(), product, by, 1, nil)
				if err != nil && !unavailable {
					t.Fatal(err)
				}
				return err == nil
			})
		}
	}
	columns := time.Since(began)

	began = time.Now()
	o.pages, o.units, o.trips = 0, 0, 0
	var walks, comments int
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(4)
	for product, all := range lines {
		comments += len(all)
		type listed struct {
			listOrder
			by defined
		}
		lists := []listed{{listOrder: listOrder{Field: "CREATED_AT"}}, {listOrder: listOrder{Field: "RATING"}}, {listOrder: listOrder{Field: "HELPFUL"}}}
		for _, d := range definitions[product] {
			lists = append(lists, listed{listOrder{Field: "ATTRIBUTE", Attribute: d.Key}, d})
		}
		for _, l := range lists {
			for _, direction := range []string{"ASC", "DESC"} {
				by := l.listOrder
				by.Direction = direction
				for _, first := range []int{20, 7} {
					walks++
					group.Go(func() error {
						got, err := o.walk(ctx, product, by, first)
						if want := sorted(all, by, l.by); err == nil && !slices.Equal(got, want) {
							err = fmt.Errorf("got  %v\nwant %v", got, want)
						}
						if err != nil {
							return fmt.Errorf("product %s, %+v, pages of %d: %w", product, by, first, err)
						}
						return nil
					})
				}
			}
		}
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	s.stop(t, syscall.SIGTERM)
	t.Logf("%d comments about %d products imported in %s, columns in %s; %d walks in %s: %d pages, %.2f read units and %.2f round trips a page", comments, len(lines),
		imported.Round(time.Millisecond), columns.Round(time.Millisecond), walks, time.Since(began).Round(time.Millisecond), o.pages, o.units/float64(o.pages), float64(o.trips)/float64(o.pages))
	types := map[string]map[string]int{}
	for _, list := range definitions {
		for _, d := range list {
			if types[d.Key] == nil {
				types[d.Key] = map[string]int{}
			}
			types[d.Key][d.Type]++
		}
	}
	for _, attribute := range slices.Sorted(maps.Keys(types)) {
		t.Logf("%s is %v", attribute, types[attribute])
	}
	if walks == 0 || len(types) == 0 {
		t.Error("there was nothing to walk through")
	}
}
