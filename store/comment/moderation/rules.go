package moderation

import (
	"encoding/json"
	"maps"
	"slices"

	"product-comments/store/comment/item"
)

// Rules select the comments that go to a moderator in mode Post. The zero value selects none.
type Rules struct {
	Words *Words // blocked words; nil for none
	Links bool   // whether links are blocked
	Pace  int    // maximum number of a user's comments within an hour; 0 for no limit
	// Photos is whether comments with photos wait, and edited ones with other photos than before.
	Photos bool
}

// Violation returns the reason why a comment needs a moderator, empty if no rule applies. seen are the
// photos that it had before, and addresses reports whether an attribute may hold a web address.
func (r Rules) Violation(c *item.Comment, seen []item.Photo, addresses func(attribute string) bool) (why item.Why) {
	if why = r.inTexts(c, addresses); why.Code == "" && r.Photos && slices.ContainsFunc(c.Photos, func(p item.Photo) bool {
		return !slices.ContainsFunc(seen, func(s item.Photo) bool { return s.ID == p.ID })
	}) {
		why.Code = item.HeldByPhotos
	}
	return why
}

// inTexts is Violation of the rules about texts.
func (r Rules) inTexts(c *item.Comment, addresses func(attribute string) bool) (why item.Why) {
	if r.Words == nil && !r.Links {
		return why
	}
	all := append([]said{{text: c.Title}, {text: c.Text}, {text: c.Author}}, attributes(c)...)
	for _, p := range c.Photos {
		all = append(all, said{text: p.Description})
	}
	for _, said := range all {
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
	attribute string // the attribute with the text; empty for title, text and author
	text      string
}

// attributes returns the texts among a comment's attributes, in the order of the attributes' keys.
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
