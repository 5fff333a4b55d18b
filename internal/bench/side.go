package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"product-comments/store/key"
)

// pageSize is the comments of a page.
const pageSize = 20

// list is a list of comments to page through.
type list struct {
	name     string
	language string // "" is any
	ratings  []int  // none are any
}

var lists = []list{
	{name: "no filter"},
	{name: "language en", language: "en"},
	{name: "ratings 1, 4, 5", ratings: []int{1, 4, 5}},
	{name: "ratings 1, 2, 4, 5", ratings: []int{1, 2, 4, 5}},
}

// side is one of the two servers: how it is asked, and what it answers.
type side interface {
	// request asks for the page after a cursor, for the first page if it is empty.
	request(l list, cursor string) (*http.Request, error)
	parse(body []byte) (page, error)
}

// page is an answer.
type page struct {
	Comments []comment
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}

	body  []byte
	units float64 // the literal server tells
}

// comment is what both servers show of one.
type comment struct {
	CommentID string
	Rating    int
	Language  string
	Title     string
	Text      string
	Author    string
	CreatedAt time.Time
}

// end is the place of the last comment.
func (p page) end() *key.Position {
	last := p.Comments[len(p.Comments)-1]
	return &key.Position{CreatedAt: last.CreatedAt, CommentID: last.CommentID}
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

func (addr ours) request(l list, cursor string) (*http.Request, error) {
	variables := map[string]any{"product": productID, "first": pageSize}
	if l.language != "" {
		variables["language"] = l.language
	}
	if l.ratings != nil {
		variables["ratings"] = l.ratings
	}
	if cursor != "" {
		variables["after"] = cursor
	}
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
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
		Errors json.RawMessage
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return page{}, err
	}
	if len(answer.Errors) > 0 {
		return page{}, fmt.Errorf("it answers %s", answer.Errors)
	}
	p := answer.Data.Product.Comments.page
	p.Comments = answer.Data.Product.Comments.Nodes
	return p, nil
}

// theirs is the literal server at an address.
type theirs string

func (addr theirs) request(l list, cursor string) (*http.Request, error) {
	values := url.Values{"first": {strconv.Itoa(pageSize)}}
	if l.language != "" {
		values.Set("language", l.language)
	}
	for _, r := range l.ratings {
		values.Add("rating", strconv.Itoa(r))
	}
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	return http.NewRequest(http.MethodGet, "http://"+string(addr)+"/products/"+productID+"/comments?"+values.Encode(), nil)
}

func (theirs) parse(body []byte) (p page, err error) {
	err = json.Unmarshal(body, &p)
	return p, err
}

// plain asks without compression, which would measure the compressor.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 10 * time.Second}

// ask asks one page.
func ask(s side, l list, cursor string) (page, error) {
	r, err := s.request(l, cursor)
	if err != nil {
		return page{}, err
	}
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
	p.units, _ = strconv.ParseFloat(response.Header.Get("X-Read-Units"), 64) // ours says nothing
	return p, nil
}
