package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"product-comments/internal/site/reviews"
)

// sectionWays are the page caches under which sections are measured: none, and the default.
var sectionWays = []struct {
	name  string
	flags []string
}{{"--page-cache 0s", []string{"--page-cache=0s"}}, {"--page-cache 1s, as it is", nil}}

// measureSection compares the section of reviews that the service renders with the same
// data as GraphQL, each for one client, which asks for the products in turn.
func measureSection(ctx context.Context, b *bench) error {
	sets, err := dataSets(ctx, b.flags)
	if err != nil {
		return err
	}
	t, err := b.fill(ctx, sets[0])
	if err != nil {
		return err
	}
	b.line("The section of reviews, with facets, of %d products for one client:", len(sets[0].products))
	b.columns("service | p50 ms | GraphQL | p99 ms | GraphQL | CPU µs | GraphQL | ratio | bytes")
	for _, w := range sectionWays {
		s, err := b.startService(ctx, w.name, t.name, w.flags...)
		if err != nil {
			return err
		}
		section := &side{server: s, name: w.name, clients: 1, lists: [][]exchange{nil}}
		data := &side{server: s, name: w.name + ", GraphQL", clients: 1, lists: [][]exchange{nil}}
		size := 0
		for _, p := range sets[0].products {
			rendered, asked, err := s.sectionOf(p.id)
			if err != nil {
				return err
			}
			for side, request := range map[*side]*http.Request{section: rendered, data: asked} {
				wire, _, body, err := s.ask(ctx, request)
				if err != nil {
					return err
				}
				side.lists[0] = append(side.lists[0], exchange{wire, bytes.Clone(dataOf(body))})
				if side == section {
					size += len(body)
				}
			}
		}
		reportProgress("sections, %s: measuring", w.name)
		if err := takeTurns(ctx, b.rounds(), section, data); err != nil {
			return err
		}
		b.row("%s | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f | %.2f | %d", w.name, section.percentile(50), data.percentile(50),
			section.percentile(99), data.percentile(99), section.cpuPerPage(), data.cpuPerPage(),
			section.cpuPerPage()/data.cpuPerPage(), size/len(sets[0].products))
	}
	b.end()
	return nil
}

// sectionOf returns the request for a product's section, and the one for its data.
func (s *server) sectionOf(product string) (rendered, data *http.Request, err error) {
	document := ""
	for _, text := range reviews.Operations() {
		if strings.HasPrefix(text, "query ReviewsSection(") {
			document = text
		}
	}
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"product": product, "lang": "en"}})
	if err != nil {
		return nil, nil, err
	}
	address := "http://" + s.addr
	if data, err = http.NewRequest(http.MethodPost, address+"/graphql", bytes.NewReader(body)); err != nil {
		return nil, nil, err
	}
	data.Header.Set("Content-Type", "application/json")
	rendered, err = http.NewRequest(http.MethodGet, address+"/reviews/"+url.PathEscape(product)+"/section", nil)
	return rendered, data, err
}
