package main

import (
	"testing"

	"product-comments/store/key"
)

func TestPassing(t *testing.T) {
	comments := someOf("a", 200)
	some, err := key.RatingsOf(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	got := passing(comments, some)
	for _, c := range got {
		if c.Rating != 1 && c.Rating != 5 {
			t.Errorf("rating %d passed", c.Rating)
		}
	}
	if len(got) == 0 || len(got) == len(comments) || len(passing(comments, 0)) != len(comments) {
		t.Errorf("%d of %d passed", len(got), len(comments))
	}
}

func TestAgain(t *testing.T) {
	comments := someOf("a", 40)
	if page := shown(comments[19:39]); !again(page, comments[:20]) || again(page, comments[:19]) || again(page, nil) {
		t.Error("it does not tell whether the page begins with the last comment of the one before")
	}
}
