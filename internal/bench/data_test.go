package main

import (
	"fmt"
	"testing"
)

// Two runs must measure the same data, and their filters must leave enough of
// them for the deep page.
func TestCommentsAreTheSameAndEnough(t *testing.T) {
	const n = 12500
	comments := newComments("c", productID, n)
	if again := newComments("c", productID, n); fmt.Sprint(again) != fmt.Sprint(comments) {
		t.Error("they differ from run to run")
	}
	for _, l := range lists {
		found := 0
		for _, c := range comments {
			ok := l.ratings == nil
			for _, r := range l.ratings {
				ok = ok || r == c.Rating
			}
			if ok && (l.language == "" || l.language == c.Language) {
				found++
			}
		}
		if want := (500 + stretch) * pageSize; found < want {
			t.Errorf("%s: %d comments, page 500 needs %d", l.name, found, want)
		}
	}
	bytes := 0
	for _, c := range comments {
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		bytes += len(c.Text)
	}
	if average := bytes / n; average < 300 || average > 450 {
		t.Errorf("texts have %d bytes", average)
	}
}
