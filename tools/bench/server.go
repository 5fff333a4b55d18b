package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"product-comments/internal/testing/testkit/child"
)

// pageSize is the number of comments on a page.
const pageSize = 20

// list is a list of comments to page through.
type list struct {
	name, language string // language is empty for any
	ratings        []int  // nil for any
	whole          bool   // also request the total count, and the product's counts by rating
	every          bool   // request every field of a comment that anyone may read
}

var lists = []list{
	{name: "no filter"},
	{name: "language en", language: "en"},
	{name: "ratings 1, 4, 5", ratings: []int{1, 4, 5}},
	{name: "ratings 1, 2, 4, 5", ratings: []int{1, 2, 4, 5}},
	{name: "product page", whole: true}, // the literal server has no counts
}

func isList(name string) bool {
	return slices.ContainsFunc(lists, func(l list) bool { return l.name == name })
}

func listNames() string {
	var names []string
	for _, l := range lists {
		names = append(names, strconv.Quote(l.name))
	}
	return strings.Join(names, ", ")
}

// comment holds the fields that all servers return.
type comment struct {
	CommentID             string
	Rating                int
	Language, Title, Text string
	Author                string
	CreatedAt             time.Time
}

// same reports whether two pages have the same comments.
func same(a, b []comment) bool {
	return slices.EqualFunc(a, b, func(a, b comment) bool {
		at := a.CreatedAt.Equal(b.CreatedAt)
		a.CreatedAt = b.CreatedAt
		return at && a == b
	})
}

// page is an answer with its request.
type page struct {
	Comments []comment
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	exchange exchange
	bytes    int
	units    float64 // read units
	trips    int     // round trips to the table
}

// exchange is a request as sent, and the data of the answer.
type exchange struct{ request, data []byte }

// server is a server of the current part.
type server struct {
	*child.Process
	name, addr string
	literal    bool
	walking    *connection // of [server.fetch]
}

const (
	fields     = `commentId rating language title text author createdAt`
	moreFields = ` id product { id } state heldBy rejectionCode stateReason reply { text createdAt updatedAt } verifiedPurchase helpful helpfulCount unhelpfulCount viewerVote viewerHasReported updatedAt version viewerCanUpdate viewerCanDelete viewerCanVote attributes { value number date day boolean choice { value } definition { key } }`
)

// queryOf returns the query for a page.
func queryOf(l list) string {
	before, counted, more := "", "", ""
	if l.every {
		more = moreFields
	}
	if l.whole {
		before, counted = "stats { ratingCounts { rating count } } ", "totalCount "
	}
	return `query Page($product: ID!, $language: String, $ratings: [Int!], $first: Int, $after: String) { product(id: $product) { ` + before +
		`comments(language: $language, ratings: $ratings, first: $first, after: $after) { ` + counted +
		`nodes { ` + fields + more + ` } pageInfo { hasNextPage endCursor } } } }`
}

// request returns the request for a page of a product's list after a cursor, or for the first page
// if the cursor is empty.
func (s *server) request(product string, l list, first int, cursor string) (*http.Request, error) {
	if s.literal {
		values := url.Values{"first": {strconv.Itoa(first)}, "language": {l.language}, "cursor": {cursor}}
		for _, r := range l.ratings {
			values.Add("rating", strconv.Itoa(r))
		}
		return http.NewRequest(http.MethodGet, "http://"+s.addr+"/products/"+url.PathEscape(product)+"/comments?"+values.Encode(), nil)
	}
	body, err := json.Marshal(map[string]any{"query": queryOf(l), "variables": variables(product, l, first, cursor)})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+s.addr+"/graphql", bytes.NewReader(body))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

func variables(product string, l list, first int, cursor string) map[string]any {
	out := map[string]any{"product": product, "first": first}
	if l.language != "" {
		out["language"] = l.language
	}
	if l.ratings != nil {
		out["ratings"] = l.ratings
	}
	if cursor != "" {
		out["after"] = cursor
	}
	return out
}

// fetch requests a page.
func (s *server) fetch(ctx context.Context, product string, l list, first int, cursor string) (page, error) {
	r, err := s.request(product, l, first, cursor)
	if err != nil {
		return page{}, err
	}
	return s.send(ctx, r)
}

// ask sends a request and returns it as it was sent, and the answer, whose body is valid until the
// next call.
func (s *server) ask(ctx context.Context, r *http.Request) (wire []byte, header http.Header, body []byte, err error) {
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return nil, nil, nil, err
	}
	if s.walking == nil {
		if s.walking, err = dial(ctx, s.addr); err != nil {
			return nil, nil, nil, err
		}
	}
	header, body, err = s.walking.send(b.Bytes())
	return b.Bytes(), header, body, err
}

// send sends a request for a page, and reads the answer.
func (s *server) send(ctx context.Context, r *http.Request) (p page, err error) {
	wire, header, body, err := s.ask(ctx, r)
	if err != nil {
		return p, err
	}
	if s.literal {
		err := json.Unmarshal(body, &p)
		units, unknown := strconv.ParseFloat(header.Get("X-Read-Units"), 64)
		p.exchange, p.bytes, p.units = exchange{wire, slices.Clone(body)}, len(body), units
		return p, errors.Join(err, unknown)
	}
	var answer struct {
		Data struct {
			Product struct {
				Comments struct {
					page
					Nodes []comment
				}
			}
		}
		Errors     json.RawMessage
		Extensions struct {
			Cost struct {
				ReadUnits  float64
				RoundTrips int
			}
		}
	}
	if err = json.Unmarshal(body, &answer); err == nil && len(answer.Errors) > 0 {
		err = fmt.Errorf("it answers %s", answer.Errors)
	}
	p = answer.Data.Product.Comments.page
	p.Comments, p.exchange, p.bytes = answer.Data.Product.Comments.Nodes,
		exchange{wire, slices.Clone(dataOf(body))}, len(body)
	p.units, p.trips = answer.Extensions.Cost.ReadUnits, answer.Extensions.Cost.RoundTrips
	return p, err
}

// maxExtensions is the maximum of bytes of an answer's extensions.
const maxExtensions = 512

// dataOf removes the extensions at the end of a GraphQL answer, because costs may differ between
// equal requests. A text cannot contain the separator, because its quotation marks are escaped.
func dataOf(body []byte) []byte {
	tail := max(0, len(body)-maxExtensions)
	if i := bytes.LastIndex(body[tail:], []byte(`,"extensions":`)); i >= 0 {
		return body[:tail+i]
	}
	return body
}

// connection is a client. It writes prepared bytes, because an http.Client would take as much
// processor time as the servers.
type connection struct {
	net.Conn
	from *bufio.Reader
	body bytes.Buffer
}

// patience is the time limit of a request.
const patience = 10 * time.Second

func dial(ctx context.Context, addr string) (*connection, error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", addr)
	return &connection{Conn: conn, from: bufio.NewReaderSize(conn, 32<<10)}, err
}

// send sends a request and returns the answer; its body is valid until the next call.
func (c *connection) send(request []byte) (http.Header, []byte, error) {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, nil, err
	}
	if _, err := c.Write(request); err != nil {
		return nil, nil, err
	}
	response, err := http.ReadResponse(c.from, nil)
	if err != nil {
		return nil, nil, err
	}
	c.body.Reset()
	_, err = c.body.ReadFrom(response.Body)
	if err = errors.Join(err, response.Body.Close()); err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.300s", response.Status, c.body.Bytes())
	}
	return response.Header, c.body.Bytes(), err
}
