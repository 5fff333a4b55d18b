package moderation

import (
	"encoding/json"
	"maps"
	"slices"

	"product-comments/store/item"
)

// Rules send comments to a moderator at once, where the mode is Post. The zero value
// sends none.
type Rules struct {
	Words *Words // that are blocked; nil for none
	Links bool   // whether a comment with a link is sent
	Pace  int    // how many comments a user may write in an hour; 0 for any number
}

// Violation returns why a comment needs a moderator; it is empty if no rule says so. An attribute of
// which addresses says so may hold a web address.
func (r Rules) Violation(c *item.Comment, addresses func(attribute string) bool) (why item.Why) {
	if r.Words == nil && !r.Links {
		return why
	}
	for _, said := range append([]said{{text: c.Title}, {text: c.Text}, {text: c.Author}}, attributes(c)...) {
		f, ok := formsOf(said.text)
		if !ok {
			return item.Why{Code: item.HeldByCharacters}
		}
		if word := r.Words.findPlain(f.plain); word != "" {
			return item.Why{Code: item.HeldByWord, Reason: word}
		}
		isLink := said.attribute == "" || !addresses(said.attribute) || !isAddress(said.text)
		if r.Links && isLink && linked(said.text, f) {
			return item.Why{Code: item.HeldByLink}
		}
	}
	return why
}

// said is a text of a comment.
type said struct {
	attribute string // whose value it is; empty for title, text and author
	text      string
}

// attributes returns the texts that a comment has as values of attributes, in the order of
// the attributes' keys.
func attributes(c *item.Comment) (texts []said) {
	var values map[string]any
	// the object was marshaled by this program
	if len(c.Attributes) == 0 || json.Unmarshal(c.Attributes, &values) != nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if text, ok := values[key].(string); ok {
			texts = append(texts, said{key, text})
		}
	}
	return texts
}
