package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// pageSize is the comments of a page.
const pageSize = 20

// list is a list of comments to page through.
type list struct {
	name     string
	product  string
	language string // "" is any
	ratings  []int  // none are any
}

var lists = []list{
	{name: "no filter", product: productID},
	{name: "language en", product: productID, language: "en"},
	{name: "ratings 1, 4, 5", product: productID, ratings: []int{1, 4, 5}},
	{name: "ratings 1, 2, 4, 5", product: productID, ratings: []int{1, 2, 4, 5}},
}

// side is one of the two servers: how it is asked, and what it answers.
type side interface {
	// request asks for the first comments after a cursor, or of the whole list
	// if it is empty.
	request(l list, first int, cursor string) (*http.Request, error)
	parse(body []byte) (page, error)
}

// page is an answer.
type page struct {
	Comments []comment
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}

	body    []byte
	units   float64 // read units
	queries int     // only the literal server tells
}

// ours is our server at an address.
type ours string

const query = `query Page($product: ID!, $language: String, $ratings: [Int!], $first: Int, $after: String) {
  product(id: $product) {
    comments(language: $language, ratings: $ratings, first: $first, after: $after) {
      nodes { commentId rating language title text author createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
}`

func (addr ours) request(l list, first int, cursor string) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables(l, first, cursor)})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+string(addr)+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

func variables(l list, first int, cursor string) map[string]any {
	out := map[string]any{"product": l.product, "first": first}
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

func (ours) parse(body []byte) (page, error) {
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
			Cost struct{ ReadUnits float64 }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return page{}, err
	}
	if len(answer.Errors) > 0 {
		return page{}, fmt.Errorf("it answers %s", answer.Errors)
	}
	p := answer.Data.Product.Comments.page
	p.Comments, p.units = answer.Data.Product.Comments.Nodes, answer.Extensions.Cost.ReadUnits
	return p, nil
}

// persisted is our server at an address, asked in the way that caches may
// answer: by GET, with the hash of the query in its place.
type persisted string

func (addr persisted) request(l list, first int, cursor string) (*http.Request, error) {
	return addr.get(l, first, cursor, false)
}

// get makes the request, with the document if the server does not know it yet.
func (addr persisted) get(l list, first int, cursor string, document bool) (*http.Request, error) {
	values := url.Values{}
	for name, value := range map[string]any{
		"variables":  variables(l, first, cursor),
		"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": fmt.Sprintf("%x", sha256.Sum256([]byte(query)))}},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values.Set(name, string(text))
	}
	if document {
		values.Set("query", query)
	}
	return http.NewRequest(http.MethodGet, "http://"+string(addr)+"/graphql?"+values.Encode(), nil)
}

func (addr persisted) parse(body []byte) (page, error) { return ours(addr).parse(body) }

// theirs is the literal server at an address.
type theirs string

func (addr theirs) request(l list, first int, cursor string) (*http.Request, error) {
	values := url.Values{"first": {strconv.Itoa(first)}}
	if l.language != "" {
		values.Set("language", l.language)
	}
	for _, r := range l.ratings {
		values.Add("rating", strconv.Itoa(r))
	}
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	return http.NewRequest(http.MethodGet, "http://"+string(addr)+"/products/"+url.PathEscape(l.product)+"/comments?"+values.Encode(), nil)
}

func (theirs) parse(body []byte) (p page, err error) {
	err = json.Unmarshal(body, &p)
	return p, err
}

// plain asks without compression, which would measure the compressor.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 10 * time.Second}

// ask asks one page.
func ask(s side, l list, first int, cursor string) (page, error) {
	r, err := s.request(l, first, cursor)
	if err != nil {
		return page{}, err
	}
	return send(s, r)
}

// send sends a request to a side.
func send(s side, r *http.Request) (page, error) {
	response, err := plain.Do(r)
	if err != nil {
		return page{}, err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return page{}, err
	}
	if response.StatusCode != http.StatusOK {
		return page{}, fmt.Errorf("%s: %s: %.300s", r.URL, response.Status, body)
	}
	p, err := s.parse(body)
	if err != nil {
		return page{}, fmt.Errorf("%s: %w", r.URL, err)
	}
	p.body = body
	if units := response.Header.Get("X-Read-Units"); units != "" { // ours says it in the answer
		if p.units, err = strconv.ParseFloat(units, 64); err == nil {
			p.queries, err = strconv.Atoi(response.Header.Get("X-Queries"))
		}
	}
	return p, err
}
