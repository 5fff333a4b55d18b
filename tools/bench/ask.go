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
	"slices"
	"strconv"
	"time"

	"product-comments/store"
	"product-comments/store/item"
)

// pageSize is the comments of a page.
const pageSize = 20

// list is a list of comments to page through.
type list struct {
	name, product, language string  // no language is any
	ratings                 []int   // none are any
	attribute               string  // whose values are the order, descending; none is by time
	batch                   bool    // the literal server reads rows together
	least                   float64 // pages a second by part 3's; 0 for any
}

var lists = []list{
	{name: "no filter", product: productID, least: 1.2},
	{name: "language en", product: productID, language: "en"},
	{name: "ratings 1, 4, 5", product: productID, ratings: []int{1, 4, 5}, least: 1.6},
	{name: "ratings 1, 2, 4, 5", product: productID, ratings: []int{1, 2, 4, 5}},
}

// comment is what both servers show of one.
type comment struct {
	CommentID             string
	Rating                int
	Language, Title, Text string
	Author                string
	CreatedAt             time.Time
}

// shown returns what lists show of comments: an index does not carry long texts.
func shown(comments []store.Comment) []comment {
	out := make([]comment, len(comments))
	for i, c := range comments {
		out[i] = comment{c.ID, c.Rating, c.Language, c.Title, c.Text, c.Author, c.CreatedAt}
		if len(c.Text) > item.InlineText {
			out[i].Text = ""
		}
	}
	return out
}

// same tells whether two lists show the same.
func same(a, b []comment) bool {
	return slices.EqualFunc(a, b, func(a, b comment) bool {
		at := a.CreatedAt.Equal(b.CreatedAt)
		a.CreatedAt = b.CreatedAt
		return at && a == b
	})
}

// page is an answer.
type page struct {
	Comments []comment
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}

	exchange exchange
	bytes    int
	units    float64 // read units
	queries  int     // only the literal server tells
}

// asker is how one of the servers is asked for the comments of a list after a
// cursor, or from its start if that is empty, and how it answers.
type asker struct {
	request func(l list, first int, cursor string) (*http.Request, error)
	parse   func(body []byte) (page, error)
}

const query = `query Page($product: ID!, $language: String, $ratings: [Int!], $orderBy: CommentOrder, $first: Int, $after: String) {
  product(id: $product) {
    comments(language: $language, ratings: $ratings, orderBy: $orderBy, first: $first, after: $after) {
      nodes { commentId rating language title text author createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
}`

// ours asks our server at an address.
func ours(addr string) asker {
	return asker{func(l list, first int, cursor string) (*http.Request, error) {
		body, err := json.Marshal(map[string]any{"query": query, "variables": variables(l, first, cursor)})
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/graphql", bytes.NewReader(body))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
		}
		return r, err
	}, parseOurs}
}

// persisted asks our server in the way that caches may answer: by GET, with the
// hash of the query in its place, and with the document itself if the server
// does not know it yet.
func persisted(addr string, document bool) asker {
	return asker{func(l list, first int, cursor string) (*http.Request, error) {
		text, err := json.Marshal(variables(l, first, cursor))
		values := url.Values{"variables": {string(text)}, "extensions": {fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(query)))}}
		if document {
			values.Set("query", query)
		}
		if err != nil {
			return nil, err
		}
		return http.NewRequest(http.MethodGet, "http://"+addr+"/graphql?"+values.Encode(), nil)
	}, parseOurs}
}

func variables(l list, first int, cursor string) map[string]any {
	out := map[string]any{"product": l.product, "first": first}
	if l.language != "" {
		out["language"] = l.language
	}
	if l.ratings != nil {
		out["ratings"] = l.ratings
	}
	if l.attribute != "" {
		out["orderBy"] = map[string]any{"field": "ATTRIBUTE", "attribute": l.attribute, "direction": "DESC"}
	}
	if cursor != "" {
		out["after"] = cursor
	}
	return out
}

func parseOurs(body []byte) (page, error) {
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

// theirs asks the literal server at an address.
func theirs(addr string) asker {
	return asker{func(l list, first int, cursor string) (*http.Request, error) {
		values := url.Values{"first": {strconv.Itoa(first)}, "language": {l.language}, "cursor": {cursor}}
		if l.attribute != "" {
			values.Set("attribute", l.attribute)
			values.Set("batch", strconv.FormatBool(l.batch))
		}
		for _, r := range l.ratings {
			values.Add("rating", strconv.Itoa(r))
		}
		return http.NewRequest(http.MethodGet, "http://"+addr+"/products/"+url.PathEscape(l.product)+"/comments?"+values.Encode(), nil)
	}, func(body []byte) (p page, err error) {
		err = json.Unmarshal(body, &p)
		return p, err
	}}
}

// plain asks without compression, which would measure the compressor.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: patience}

// ask asks for one page.
func (a asker) ask(l list, first int, cursor string) (p page, err error) {
	r, err := a.request(l, first, cursor)
	if err != nil {
		return p, err
	}
	response, err := plain.Do(r)
	if err != nil {
		return p, err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return p, err
	}
	if response.StatusCode != http.StatusOK {
		return p, fmt.Errorf("%s: %s: %.300s", r.URL, response.Status, body)
	}
	if p, err = a.parse(body); err != nil {
		return p, fmt.Errorf("%s: %w", r.URL, err)
	}
	if units := response.Header.Get("X-Read-Units"); units != "" { // ours says it in the answer
		var failed [2]error
		p.units, failed[0] = strconv.ParseFloat(units, 64)
		p.queries, failed[1] = strconv.Atoi(response.Header.Get("X-Queries"))
		err = errors.Join(failed[:]...)
	}
	if r, again := a.request(l, first, cursor); err == nil && again == nil { // its body was read
		p.exchange, err = newExchange(r, body)
	}
	p.bytes = len(body)
	return p, err
}
