package moderation

import (
	"encoding/json"
	"fmt"
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

// reasonSwollen is why a comment waits that has too many characters of the kind that each
// stand for several to be looked through.
const reasonSwollen = "it has too many characters, such as ligatures, that stand for several others"

// Violation returns why a comment is to be looked at, "" if nothing speaks for it. An attribute of
// which addresses says so may hold a web address.
func (r Rules) Violation(c *item.Comment, addresses func(attribute string) bool) string {
	if r.Words == nil && !r.Links {
		return ""
	}
	for _, said := range append([]said{{text: c.Title}, {text: c.Text}, {text: c.Author}}, attributes(c)...) {
		f, ok := formsOf(said.text)
		if !ok {
			return reasonSwollen
		}
		if word := r.Words.findPlain(f.plain); word != "" {
			return fmt.Sprintf("it has the blocked word %q", word)
		}
		isLink := said.attribute == "" || !addresses(said.attribute) || !isAddress(said.text)
		if r.Links && isLink && linked(said.text, f) {
			return "it has a link"
		}
	}
	return ""
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
