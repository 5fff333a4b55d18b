package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"strconv"

	"product-comments/store/key"
)

// Headers with the cost of a page.
const (
	unitsHeader   = "X-Read-Units"
	queriesHeader = "X-Queries"
)

const (
	pageSize    = 20
	maxPageSize = 100
)

// handler serves the comments of a table.
func handler(t *table) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /products/{id}/comments", func(w http.ResponseWriter, r *http.Request) {
		q, err := parse(r.PathValue("id"), r.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p, err := t.read(r.Context(), q)
		if err != nil {
			log.Print(err)
			http.Error(w, "a page could not be read", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set(unitsHeader, strconv.FormatFloat(p.units, 'f', -1, 64))
		w.Header().Set(queriesHeader, strconv.Itoa(p.queries))
		if err := json.NewEncoder(w).Encode(p); err != nil {
			log.Print(err)
		}
	})
	return mux
}

func parse(productID string, parameters url.Values) (question, error) {
	q := question{productID: productID, language: parameters.Get("language"), first: pageSize}
	var ratings []int
	for _, text := range parameters["rating"] {
		r, err := strconv.Atoi(text)
		if err != nil {
			return q, errors.New("rating: a number is wanted")
		}
		ratings = append(ratings, r)
	}
	var err error
	if q.ratings, err = key.RatingsOf(ratings...); err != nil {
		return q, err
	}
	if text := parameters.Get("first"); text != "" {
		if q.first, err = strconv.Atoi(text); err != nil || q.first < 1 || q.first > maxPageSize {
			return q, fmt.Errorf("first: a number from 1 to %d is wanted", maxPageSize)
		}
	}
	q.after, err = decode(parameters.Get("cursor"))
	return q, err
}
