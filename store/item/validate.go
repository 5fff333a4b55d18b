package item

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"product-comments/store/errs"
	"product-comments/store/key"
)

// The limits of what a comment holds. Together they keep an item under 160 KB,
// far from the 400 KB that DynamoDB takes.
const (
	MaxProductID      = 128   // bytes
	MaxCommentID      = 64    // bytes: a cursor must hold it
	MaxIdempotencyKey = 128   // bytes
	MaxLanguage       = 35    // characters; RFC 5646, section 4.4.1 asks for room for 35
	MaxTitle          = 300   // characters
	MaxAuthor         = 100   // characters
	MaxText           = 20000 // characters
	MaxAttributes     = 65536 // bytes of JSON
)

// The creation times that sort keys and cursors can hold.
var (
	minTime = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	maxTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// ValidateProductID refuses an id that is empty, too long, or holds control characters.
func ValidateProductID(field, id string) error { return ValidateID(field, id, MaxProductID) }

// ValidateCommentID refuses an id that is empty, too long, or holds control characters.
func ValidateCommentID(field, id string) error { return ValidateID(field, id, MaxCommentID) }

// ValidateID refuses an id that is empty, has more bytes than the limit, or holds control
// characters.
func ValidateID(field, id string, limit int) error {
	switch {
	case id == "":
		return errs.Invalid(field, "it is empty").For(errs.Required)
	case len(id) > limit:
		return errs.Invalid(field, "it has %d bytes, the limit is %d", len(id), limit).For(errs.TooLong).Past(len(id), limit)
	}
	return validateCharacters(field, id, "")
}

// validateCharacters refuses what is not UTF-8, and control characters that
// are not among those allowed.
func validateCharacters(field, s, allowed string) error {
	if !utf8.ValidString(s) {
		return errs.Invalid(field, "it is not valid UTF-8").For(errs.BadCharacter)
	}
	for _, r := range s {
		if unicode.IsControl(r) && !bytes.ContainsRune([]byte(allowed), r) {
			return errs.Invalid(field, "it contains the control character U+%04X", r).For(errs.BadCharacter)
		}
	}
	return nil
}

// ValidateName refuses the name of something as ValidateProductID does an id, and
// characters that cannot be seen.
func ValidateName(field, name string, limit int) error {
	return errs.Join(ValidateID(field, name, limit), readableID(field, name))
}

// ValidateLine refuses an empty text, one with more characters than the limit or with
// such as a line cannot have.
func ValidateLine(field, s string, limit int) error {
	if s == "" {
		return errs.Invalid(field, "it is empty").For(errs.Required)
	}
	return errs.Join(validateText(field, s, limit, ""), readableLine(field, s))
}

// ValidateCharacters refuses what cannot be read as it is written in a text of
// several lines.
func ValidateCharacters(field, s string) error {
	return errs.Join(validateCharacters(field, s, "\n\r\t"), readableText(field, s))
}

func validateText(field, s string, limit int, allowed string) error {
	if n := utf8.RuneCountInString(s); n > limit {
		return errs.Invalid(field, "it has %d characters, the limit is %d", n, limit).For(errs.TooLong).Past(n, limit)
	}
	return validateCharacters(field, s, allowed)
}

// ValidateRating refuses a rating that is not from 1 to 5.
func ValidateRating(field string, rating int) error {
	if bound := min(max(rating, 1), 5); bound != rating {
		return errs.Invalid(field, "%d is not a rating from 1 to 5", rating).For(errs.OutOfRange).Past(rating, bound)
	}
	return nil
}

// ValidateIdempotencyKey refuses a key that is empty, too long, or holds control characters.
func ValidateIdempotencyKey(field, k string) error { return ValidateID(field, k, MaxIdempotencyKey) }

// ValidateRatings makes the set of a filter; none at all is any rating.
func ValidateRatings(field string, ratings []int) (key.Ratings, error) {
	for _, r := range ratings {
		if err := ValidateRating(field, r); err != nil {
			return 0, err
		}
	}
	set, err := key.RatingsOf(ratings...)
	if err != nil {
		return 0, errs.Invalid(field, "%v", err)
	}
	return set.Canonical(), nil
}

// Printable keeps control characters out of messages.
func Printable(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, []byte(s)))
}

// Said returns a text, or none for white space alone, which says as little.
func Said(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// Validate checks a whole new comment, names every field at fault, and makes its
// language canonical, its times UTC, and what is white space alone absent.
func (c *Comment) Validate() error {
	c.Author, c.Title, c.Text = Said(c.Author), Said(c.Title), Said(c.Text)
	canonical, err := CanonicalLanguage("language", c.Language)
	if err := errs.Join(c.validateContent(), c.readable(), err); err != nil {
		return err
	}
	c.Language = canonical
	return nil
}

// ValidateChange is Validate for a comment that was another one before. Its
// language does not change, and what was not changed may be older than the rules.
func (c *Comment) ValidateChange(before *Comment) error {
	if c.Title != before.Title {
		c.Title = Said(c.Title)
	}
	if c.Text != before.Text {
		c.Text = Said(c.Text)
	}
	return errs.Join(c.validateContent(), c.readableSince(before))
}

// validateContent is what holds of every comment, however old.
func (c *Comment) validateContent() error {
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	return errs.Join(
		ValidateProductID("productId", c.ProductID),
		ValidateCommentID("commentId", c.ID),
		ValidateRating("rating", c.Rating),
		validateText("title", c.Title, MaxTitle, ""),
		validateText("text", c.Text, MaxText, "\n\r\t"),
		validateText("author", c.Author, MaxAuthor, ""),
		c.validateImported(),
	)
}

// validateImported is validateContent for what only imports can say.
func (c *Comment) validateImported() (err error) {
	if err := ValidateTime("createdAt", c.CreatedAt); err != nil {
		return err
	}
	if c.Helpful != nil && *c.Helpful < 0 {
		return errs.Invalid("helpful", "%d is negative", *c.Helpful)
	}
	if c.Up < 0 {
		return errs.Invalid("helpfulVotes", "%d is negative", c.Up)
	}
	if c.Down < 0 {
		return errs.Invalid("unhelpfulVotes", "%d is negative", c.Down)
	}
	if c.Attributes != nil {
		if c.Attributes, err = flatObject("attributes", c.Attributes); err != nil {
			return err
		}
	}
	return nil
}

// ValidateTime refuses a time that sort keys and cursors cannot hold.
func ValidateTime(field string, at time.Time) error {
	if bound := min(max(at.UTC().Year(), minTime.Year()), maxTime.Year()-1); bound != at.UTC().Year() {
		return errs.Invalid(field, "%s is not in the years %d to %d", at.Format(time.RFC3339), minTime.Year(), maxTime.Year()-1).For(errs.OutOfRange).Past(at.UTC().Year(), bound)
	}
	return nil
}

// Border returns a time as a border of others that ValidateTime takes: the first or the
// last that there can be for what is beyond them.
func Border(at time.Time) time.Time {
	switch {
	case at.Before(minTime):
		return minTime
	case at.After(maxTime):
		return maxTime
	}
	return at
}

// flatObject returns the JSON object without white space, nil for an empty one.
func flatObject(field string, raw json.RawMessage) (json.RawMessage, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || values == nil {
		return nil, errs.Invalid(field, "it is not a JSON object").For(errs.WrongType)
	}
	for name, v := range values {
		if v[0] == '{' || v[0] == '[' {
			return nil, errs.Invalid(field, "%q has an object or a list as its value: use a string, a number or a boolean", Printable(name)).For(errs.WrongType)
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, errs.Invalid(field, "it is not a JSON object").For(errs.WrongType)
	}
	if b.Len() > MaxAttributes {
		return nil, errs.Invalid(field, "they have %d bytes of JSON, the limit is %d", b.Len(), MaxAttributes).For(errs.TooLong).Past(b.Len(), MaxAttributes)
	}
	return b.Bytes(), nil
}

// How long what moderators and reporters write may be, in characters.
const (
	MaxReason = 500
	MaxReply  = 2000
)

// ValidateReason checks why something was done to a comment, in one line; needed
// refuses an empty one.
func ValidateReason(field, reason string, needed bool) error {
	if needed && reason == "" {
		return errs.Invalid(field, "it is empty: give a reason").For(errs.Required)
	}
	return errs.Join(validateText(field, reason, MaxReason, ""), readableLine(field, reason))
}

// ValidateReply checks the text of a reply; empty is none.
func ValidateReply(field, text string) error {
	return errs.Join(validateText(field, text, MaxReply, "\n\r\t"), readableText(field, text))
}
