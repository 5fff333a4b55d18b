package item

import (
	"maps"
	"slices"
	"unicode"

	"github.com/go-json-experiment/json"

	"product-comments/store/errs"
)

// What is written must be seen as it is: a name that holds an override of the
// direction shows other words than it has, and one of nothing but characters
// without width shows none. Such input is refused when it comes. What was stored
// before is shown, found by its id and changed as ever.

// refusedEverywhere are characters that no script needs, by what they do: they
// turn the direction of what follows, also of a page around them (Unicode
// Standard Annex 9, sections 2.1 to 2.5), or stand for no character at all.
var refusedEverywhere = []struct {
	what string
	in   *unicode.RangeTable
}{
	{"embeds or overrides a direction", span(0x202A, 0x202E)},
	{"isolates a direction", span(0x2066, 0x2069)},
	{"is a deprecated control of formats", span(0x206A, 0x206F)},
	{"marks an annotation", span(0xFFF9, 0xFFFB)},
	{"is not a character", unicode.Noncharacter_Code_Point},
}

// refusedInLine are characters that end a line, of what has one.
var refusedInLine = span(0x2028, 0x2029)

// invisible are characters that leave no mark by themselves. Scripts need some
// of them between others: the joiners in Persian, Hindi and emoji, the marks of
// direction between Hebrew and digits.
var invisible = []*unicode.RangeTable{
	unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	span(0x2800, 0x2800), // the braille pattern without a dot
}

func span(lo, hi uint32) *unicode.RangeTable {
	return &unicode.RangeTable{R32: []unicode.Range32{{Lo: lo, Hi: hi, Stride: 1}}}
}

// readableText refuses what cannot be read as it is written in a text of
// several lines.
func readableText(field, s string) error {
	visible, hidden := false, false
	var previous rune
	for _, r := range s {
		if r < 0x80 {
			visible, previous = visible || r > ' ', r
			continue
		}
		for _, refused := range refusedEverywhere {
			if unicode.Is(refused.in, r) {
				return errs.Invalid(field, "it contains U+%04X, which %s", r, refused.what).For(errs.BadCharacter)
			}
		}
		switch {
		case isTag(r) && !isTag(previous) && previous != blackFlag:
			return errs.Invalid(field, "it contains U+%04X, a tag outside a flag", r).For(errs.BadCharacter)
		case unicode.IsOneOf(invisible, r):
			hidden = true
		default:
			visible = visible || !unicode.IsSpace(r)
		}
		previous = r
	}
	if hidden && !visible {
		return errs.Invalid(field, "it has no visible character").For(errs.Invisible)
	}
	return nil
}

// Flags of regions are spelled by invisible tags after a black flag (Unicode
// Technical Standard 51, annex C); elsewhere they would hide a text.
const blackFlag = '\U0001F3F4'

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

// readableLine is readableText for what has one line.
func readableLine(field, s string) error {
	for _, r := range s {
		if unicode.Is(refusedInLine, r) {
			return errs.Invalid(field, "it contains U+%04X, a line break", r).For(errs.BadCharacter)
		}
	}
	return readableText(field, s)
}

// readableID refuses every invisible character too: two ids that look alike
// should be the same.
func readableID(field, id string) error {
	for _, r := range id {
		if r >= 0x80 && unicode.IsOneOf(invisible, r) {
			return errs.Invalid(field, "it contains the invisible character U+%04X", r).For(errs.BadCharacter)
		}
	}
	return readableLine(field, id)
}

// readableAttributes looks at the names and texts of a flat JSON object, each of which
// must be there once.
func readableAttributes(field string, raw []byte) error {
	var values map[string]any
	if err := json.Unmarshal(raw, &values); err != nil {
		return errs.JSON(field, err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := readableLine(field, name); err != nil {
			return err
		}
		if s, ok := values[name].(string); ok {
			if err := readableText(field, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable looks at everything that a new comment says.
func (c *Comment) readable() error {
	var attributes error
	if c.Attributes != nil {
		attributes = readableAttributes("attributes", c.Attributes)
	}
	return errs.Join(
		readableID("productId", c.ProductID), readableID("commentId", c.ID), readableLine("author", c.Author),
		attributes, c.readableSince(&Comment{}),
	)
}

// readableSince looks at what was changed of a comment.
func (c *Comment) readableSince(before *Comment) error {
	var title, text error
	if c.Title != before.Title {
		title = readableLine("title", c.Title)
	}
	if c.Text != before.Text {
		text = readableText("text", c.Text)
	}
	return errs.Join(title, text)
}
