package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestDataOf(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":{"a":1},"extensions":{"cost":{"readUnits":1.5}}}`: `{"data":{"a":1}`,
		`{"data":{"a":1}}`:                     `{"data":{"a":1}}`,
		`{"data":{"a":"x\",\"extensions\":"}}`: `{"data":{"a":"x\",\"extensions\":"}}`,
		``:                                     ``,
	} {
		if got := string(dataOf([]byte(body))); got != want {
			t.Errorf("%s: got %s", body, got)
		}
	}
}

func TestPersistedRequest(t *testing.T) {
	r, err := persisted("127.0.0.1:1").get(lists[2], 20, "token", false)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExchange(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := r.URL.Query()
	if r.Method != http.MethodGet || values.Has("query") || !strings.Contains(values.Get("extensions"), `"sha256Hash":"`) ||
		values.Get("variables") != `{"after":"token","first":20,"product":"42","ratings":[1,4,5]}` || !strings.HasPrefix(string(e.request), "GET /graphql?") {
		t.Errorf("%s", e.request)
	}
	if r, err = persisted("127.0.0.1:1").get(lists[0], 20, "", true); err != nil || r.URL.Query().Get("query") != query {
		t.Errorf("%v: the document is not in %s", err, r.URL)
	}
}

func TestOurUnits(t *testing.T) {
	for body, want := range map[string]float64{
		`{"data":{},"extensions":{"cost":{"complexity":9,"readUnits":2.5,"roundTrips":1}}}`: 2.5,
		`{"data":{}}`: 0,
	} {
		if p, err := ours("").parse([]byte(body)); err != nil || p.units != want {
			t.Errorf("%s: %g units, %v", body, p.units, err)
		}
	}
}
