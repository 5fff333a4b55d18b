package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
)

// Walking through an order by an attribute shows every comment with a value once, the
// greatest first, equal ones as they are by time: row by row and in batches.
func TestOrdersEqualTheModel(t *testing.T) {
	comments := someComments(11, 60)
	value := func(i int) int { return i * 7 % 12 }
	var want []int
	for i := range comments {
		if i%4 > 0 {
			comments[i].Attributes = json.RawMessage(fmt.Sprintf(`{"fit":%d.5,"other":"x"}`, value(i)))
			want = append(want, i)
		}
	}
	slices.SortStableFunc(want, func(a, b int) int { return value(b) - value(a) })
	server, s := newServer(t, comments)
	var took bytes.Buffer
	at := &table{storetest.Client(t), s.Table()}
	if err := at.makeIndex(t.Context(), []string{"fit"}, &took); err != nil {
		t.Fatal(err)
	}
	if took.String() != `{"entries":45,"units":45}`+"\n" {
		t.Errorf("the index took %s", &took)
	}
	for _, batch := range []string{"", "true"} {
		parameters := url.Values{"attribute": {"fit"}, "first": {"7"}, "batch": {batch}}
		var got []string
		for more := true; more; {
			p, units := get(t, server, parameters)
			for _, c := range p.Comments {
				got = append(got, c.CommentID)
			}
			if n := len(p.Comments); units < 0.5+float64(n)/2 {
				t.Errorf("a page of %d comments took %g read units", n, units)
			}
			if more = p.PageInfo.HasNextPage; more {
				parameters.Set("cursor", *p.PageInfo.EndCursor)
			}
		}
		if wanted := idsOfAll(comments, want); !slices.Equal(got, wanted) {
			t.Errorf("batch %q\ngot  %v\nwant %v", batch, got, wanted)
		}
	}
}

func idsOfAll(comments []store.Comment, places []int) (ids []string) {
	for _, i := range places {
		ids = append(ids, comments[i].ID)
	}
	return ids
}

func TestSortStrings(t *testing.T) {
	ordered := []any{json.Number("0"), json.Number("2.5"), json.Number("10"), json.Number("100.25")}
	for i := range ordered[1:] {
		if a, b := sortString(ordered[i]), sortString(ordered[i+1]); a >= b {
			t.Errorf("%s does not come before %s", a, b)
		}
	}
	if sortString(true) != "true" || sortString("2026-01-02") != "2026-01-02" {
		t.Error("truths and texts are not as they are")
	}
	if _, err := entriesOf(nil, nil); err == nil {
		t.Errorf("an entry of no comment, %s", key.PK)
	}
}
