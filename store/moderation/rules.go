package moderation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"mvdan.cc/xurls/v2"

	"product-comments/store/item"
)

// Rules send comments to a moderator at once, where the mode is Post. The zero value
// sends none.
type Rules struct {
	Words *Words // that are blocked; nil for none
	Links bool   // whether a comment with a link is sent
	Pace  int    // how many comments somebody may write in an hour; 0 for any number
}

// links finds web addresses, with or without a scheme, in package xurls' relaxed sense:
// anything with a known top-level domain.
var links = xurls.Relaxed()

// Of returns why a comment is to be looked at, "" if nothing speaks for it.
func (r Rules) Of(c *item.Comment) string {
	if r.Words == nil && !r.Links {
		return ""
	}
	for _, text := range append([]string{c.Title, c.Text, c.Author}, attributes(c)...) {
		if word := r.Words.In(text); word != "" {
			return fmt.Sprintf("it has the blocked word %q", word)
		}
		if r.Links && (links.MatchString(text) || links.MatchString(plain(text))) {
			return "it has a link"
		}
	}
	return ""
}

// attributes returns the texts that a comment has as values of attributes, in the order of
// the attributes' keys.
func attributes(c *item.Comment) (texts []string) {
	var values map[string]any
	if len(c.Attributes) == 0 || json.Unmarshal(c.Attributes, &values) != nil { // whoever made it spelled an object
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if text, ok := values[key].(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
