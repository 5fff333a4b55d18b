package item

import (
	"maps"
	"slices"
	"unicode"

	"github.com/go-json-experiment/json"

	"product-comments/store/errs"
)

// Texts must look like their content: a name with a direction override shows other words
// than it has, and a name of zero-width characters shows nothing. Such input is refused.
// Comments that were stored before the rule stay readable and editable.

// refusedEverywhere are characters that no script needs, by effect: they change the direction
// of the text after them, even outside the comment (Unicode Standard Annex 9, sections 2.1 to
// 2.5), or are not characters at all.
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

// refusedInLine are line separators, refused in texts of one line.
var refusedInLine = span(0x2028, 0x2029)

// invisible are characters without a visible form. Scripts need some of them between other
// characters: the joiners in Persian, Hindi and emoji, the direction marks between Hebrew and
// digits.
var invisible = []*unicode.RangeTable{
	unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	span(0x2800, 0x2800), // the braille pattern without a dot
}

func span(lo, hi uint32) *unicode.RangeTable {
	return &unicode.RangeTable{R32: []unicode.Range32{{Lo: lo, Hi: hi, Stride: 1}}}
}

// readableText returns an error for a text of several lines with deceptive characters.
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

// readableLine is readableText for a text of one line.
func readableLine(field, s string) error {
	for _, r := range s {
		if unicode.Is(refusedInLine, r) {
			return errs.Invalid(field, "it contains U+%04X, a line break", r).For(errs.BadCharacter)
		}
	}
	return readableText(field, s)
}

// readableID also refuses every invisible character: ids that look alike should be equal.
func readableID(field, id string) error {
	for _, r := range id {
		if r >= 0x80 && unicode.IsOneOf(invisible, r) {
			return errs.Invalid(field, "it contains the invisible character U+%04X", r).For(errs.BadCharacter)
		}
	}
	return readableLine(field, id)
}

// readableAttributes checks the names and texts of a flat JSON object, whose names must be
// unique.
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

// readable checks all texts of a new comment.
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

// readableSince checks the changed texts of a comment.
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
