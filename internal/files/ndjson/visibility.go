package ndjson

import (
	"regexp"
	"slices"
	"strings"
)

// Visibility is what a column or a member says about a comment: that it is published, or that it
// is not.
type Visibility string

// The two ways to say it. The empty Visibility is that of other columns.
const (
	Published   Visibility = "published"
	Unpublished Visibility = "unpublished"
)

// Names that say whether a comment is published, by their letters.
var (
	publishedNames = regexp.MustCompile(`^(?:is|was|review|comment)*(?:(?:moderation|publication|publish|published|publishing|approval|visibility|display)?(?:status|state)(?:id)?|` +
		`publish|published|approved|approval|accepted|visible|visibility|public|active|enabled|displayed|live|curated|moderation)$`)
	unpublishedNames = regexp.MustCompile(`^(?:is|was|review|comment)*(?:hidden|unpublished|unapproved|rejected|withdrawn|spam|(?:deleted|removed|trashed|archived|hidden)(?:at)?|draft|pending|private|disabled)$`)
)

// VisibilityOf returns what a column or a member with the name says, case and punctuation aside.
func VisibilityOf(name string) Visibility {
	switch letters := Letters(name); {
	case publishedNames.MatchString(letters):
		return Published
	case unpublishedNames.MatchString(letters):
		return Unpublished
	}
	return ""
}

// publishedWords are the values, in lower case, of a published comment, besides those for true.
var publishedWords = []string{"ok", "active", "published", "publish", "approved", "accepted", "enabled", "visible", "public", "live"}

// Shows reports whether a comment with the value is published. So is one
// without a value, and any comment if a column says something else.
func (v Visibility) Shows(value string) bool {
	if v != Published && v != Unpublished {
		return true
	}
	value = strings.ToLower(strings.TrimSpace(value))
	if is, known := booleanWords[value]; known || value == "" {
		return !known || is == (v == Published)
	}
	return v == Published && slices.Contains(publishedWords, value)
}
