package recent_test

import (
	"fmt"
	"testing"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/own"
	"product-comments/store/recent"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// name is that of a write of one series.
func name(number byte) own.Name { return own.Name([]byte{own.Mark, 1, 2, 3, 4, 5, 0, number}) }

// of returns the titles of what is remembered, by id; "gone" of what is not there.
func of(c *recent.Comments, product string, now time.Time) map[string]string {
	out := map[string]string{}
	comments, _ := c.Of(product, &attributes.Definitions{}, now)
	for _, one := range comments {
		if out[one.ID] = "gone"; one.Whole != nil {
			out[one.ID] = one.Whole.Title
		}
	}
	return out
}

func titled(title string) *item.Stored { return &item.Stored{Comment: item.Comment{Title: title}} }

func left(c *recent.Comments, id string, number byte, generation int, whole *item.Stored, now time.Time) bool {
	return c.Left("42", id, c.Begin(), name(number), generation, whole, whole, now)
}

// A comment is remembered until all of its writes are projected, and a moment longer if
// that may be so for moments only.
func TestUntilColumnsFollow(t *testing.T) {
	c := recent.New()
	left(c, "a", 1, 0, titled("first"), noon)
	left(c, "a", 2, 0, titled("second"), noon)
	left(c, "b", 3, 0, nil, noon)
	want := func(when string, now time.Time, want string) {
		t.Helper()
		if got := fmt.Sprint(of(c, "42", now)); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	want("at once", noon, "map[a:second b:gone]")
	if c.Due("42", noon.Add(100*time.Millisecond)) || c.Due("43", noon.Add(time.Hour)) {
		t.Error("it asks too early, or for nothing")
	}
	now := noon.Add(500 * time.Millisecond)
	for _, who := range []string{"asks", "waits for who asks"} {
		if !c.Due("42", now) {
			t.Errorf("nobody %s", who)
		}
	}
	set := own.Set{}.With(name(2), noon)
	c.Followed("42", set, 0, now)
	want("one write is not projected", now.Add(time.Hour), "map[a:second b:gone]")
	c.Followed("42", set.With(name(1), noon), 0, now)
	want("moments after", now.Add(900*time.Millisecond), "map[a:second b:gone]")
	want("a second after", now.Add(time.Second), "map[b:gone]")
	c.Followed("42", set.With(name(3), noon), 0, now.Add(time.Hour))
	want("nobody looked for an hour", now.Add(time.Hour), "map[]")
	for _, after := range []time.Duration{0, 999 * time.Millisecond, time.Second} {
		_, behind := c.Of("42", nil, now.Add(time.Hour+after))
		if behind != (after < time.Second) {
			t.Errorf("%v later: a replica may lack what is not returned any more: %t", after, behind)
		}
	}
	left(c, "a", 4, 1, titled("third"), noon)
	c.Followed("42", own.Set{}, 2, noon.Add(time.Hour))
	want("all was counted anew", noon.Add(time.Hour), "map[]")
	left(c, "a", 5, 2, titled("fourth"), noon)
	want("the stream has dropped it", noon.Add(own.Age), "map[]")
}

// Of two writes at once nobody knows which came last: the comment is to be read.
func TestWritesAtOnce(t *testing.T) {
	c := recent.New()
	began := c.Begin()
	left(c, "a", 1, 0, titled("a vote"), noon)
	if c.Left("42", "a", began, name(2), 0, titled("an edit"), nil, noon) {
		t.Error("the edit is taken for the last one")
	}
	if !left(c, "a", 2, 0, titled("both"), noon) || fmt.Sprint(of(c, "42", noon)) != "map[a:both]" {
		t.Error(of(c, "42", noon))
	}
}

// Memory is bounded: by comments of a product, and by bytes.
func TestMemoryIsBounded(t *testing.T) {
	c := recent.New()
	for i := range 600 {
		left(c, fmt.Sprint(i), 1, 0, titled("x"), noon)
	}
	if got := of(c, "42", noon); len(got) != 512 || got["599"] == "" || got["0"] != "" {
		t.Errorf("%d are remembered", len(got))
	}
	large := titled(string(make([]byte, 1<<20)))
	for i := range 40 {
		c.Left("43", fmt.Sprint(i), c.Begin(), name(1), 0, large, large, noon)
	}
	if a, b := of(c, "42", noon), of(c, "43", noon); len(a) != 0 || len(b) > 32 || b["39"] == "" {
		t.Errorf("%d and %d are remembered", len(a), len(b))
	}
}

// What a comment shows is as definitions say now, not as they said when it was left.
func TestUnderOtherDefinitions(t *testing.T) {
	c := recent.New()
	whole := titled("x")
	whole.Attributes, whole.Shown = []byte(`{"fit":3,"age":40}`), []byte(`{"age":40}`)
	left(c, "a", 1, 0, whole, noon)
	for version, want := range map[string]string{"fit": `{"fit":3}`, "age": `{"age":40}`, "neither": ""} {
		var of []attributes.Definition
		for _, key := range []string{"fit", "age"} {
			of = append(of, attributes.Definition{Key: key, Type: attributes.Number, Shown: key == version})
		}
		got, _ := c.Of("42", attributes.Effective(version, of, "", nil), noon)
		if len(got) != 1 || string(got[0].Row.Shown) != want {
			t.Errorf("while %s is shown: %+v", version, got)
		}
	}
	if string(whole.Shown) != `{"age":40}` {
		t.Error("what others still read was changed")
	}
}
