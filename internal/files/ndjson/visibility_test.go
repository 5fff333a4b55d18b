package ndjson

import (
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Names say whether a comment is published, and values of them that it is.
func TestVisibility(t *testing.T) {
	for v, names := range map[Visibility][]string{
		Published: {"Published", "Status", "Approved", "State", "is_approved", "Visible", "isPublished", "review_status", "Review State",
			"comment_approved", "status_id", "moderation_status", "Visibility", "ACTIVE", "curated", "moderation"},
		Unpublished: {"hidden", "Is Hidden", "unpublished", "spam", "deleted", "deleted_at", "is_draft", "rejected", "comment_removed"},
		"":          {"", "#", "published_at", "estate", "statistics", "order_status", "publisher", "title", "hidden_gem", "stats"},
	} {
		for _, name := range names {
			testkit.Check(t, VisibilityOf(name) == v, "%q is %q", name, VisibilityOf(name))
		}
	}
	for value, shows := range map[string][2]bool{ // with Published, with Unpublished
		"TRUE": {true, false}, "yes": {true, false}, "1": {true, false}, "1.0": {true, false}, " Approved ": {true, false}, "publish": {true, false},
		"FALSE": {false, true}, "no": {false, true}, "0": {false, true}, "0.0": {false, true},
		"pending": {false, false}, "hidden": {false, false}, "not approved": {false, false}, "2": {false, false}, "2025-03-02": {false, false},
		"": {true, true}, " ": {true, true},
	} {
		got := [2]bool{Published.Shows(value), Unpublished.Shows(value)}
		testkit.Check(t, got == shows && Visibility("").Shows(value), "%q: %v", value, got)
	}
}

// A line that says that the comment is not published is refused, if it says so with another member
// than "moderation".
func TestHiddenLines(t *testing.T) {
	for member, refused := range map[string]bool{
		`"status":"pending"`: true, `"published":false`: true, `"is_approved":0`: true, `"hidden":true`: true, `"state":{"x":1}`: true,
		`"status":"approved"`: false, `"published":true`: false, `"is_approved":1`: false, `"hidden":false`: false, `"state":null`: false, `"state":""`: false,
		`"moderation":{"status":"PENDING"}`: false,
	} {
		_, err := Parse([]byte(`{` + least + `,` + member + `}`))
		testkit.Check(t, (err != nil) == refused && (!refused || strings.Contains(err.Error(), `says that the comment is not published: write that as "moderation", or leave the member out`)), "%s: %v", member, err)
	}
}
