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

// The limits of a comment's fields. Together they keep an item under 160 KB, well below
// DynamoDB's limit of 400 KB.
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

// ValidateProductID returns an error for an id that is empty, too long, or has control
// characters.
func ValidateProductID(field, id string) error { return ValidateID(field, id, MaxProductID) }

// ValidateCommentID returns an error for an id that is empty, too long, or has control
// characters.
func ValidateCommentID(field, id string) error { return ValidateID(field, id, MaxCommentID) }

// ValidateID returns an error for an id that is empty, has more bytes than the limit, or has
// control characters.
func ValidateID(field, id string, limit int) error {
	switch {
	case id == "":
		return errs.Invalid(field, "it is empty").For(errs.Required)
	case len(id) > limit:
		return errs.Invalid(field, "it has %d bytes, the limit is %d", len(id), limit).For(errs.TooLong).
			Past(len(id), limit)
	}
	return validateCharacters(field, id, "")
}

// validateCharacters returns an error for invalid UTF-8, and for control characters that are
// not in allowed.
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

// ValidateName checks a name like an id, and refuses invisible characters.
func ValidateName(field, name string, limit int) error {
	return errs.Join(ValidateID(field, name, limit), readableID(field, name))
}

// ValidateLine returns an error for an empty text, for one with more characters than the limit,
// and for characters that a line must not have.
func ValidateLine(field, s string, limit int) error {
	if s == "" {
		return errs.Invalid(field, "it is empty").For(errs.Required)
	}
	return errs.Join(validateText(field, s, limit, ""), readableLine(field, s))
}

// ValidateCharacters returns an error for a text of several lines with deceptive characters.
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

// ValidateIdempotencyKey returns an error for a key that is empty, too long, or has control
// characters.
func ValidateIdempotencyKey(field, k string) error { return ValidateID(field, k, MaxIdempotencyKey) }

// ValidateRatings returns the set of ratings of a filter; no ratings mean any.
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

// Printable removes control characters from a text for messages.
func Printable(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, []byte(s)))
}

// Said returns a text, or "" if it has only white space.
func Said(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// Validate checks a new comment and returns an error for every invalid field. It makes the
// language canonical, the times UTC, and texts of only white space empty.
func (c *Comment) Validate() error {
	c.Author, c.Title, c.Text = Said(c.Author), Said(c.Title), Said(c.Text)
	canonical, err := CanonicalLanguage("language", c.Language)
	if err := errs.Join(c.validateContent(), c.readable(), err); err != nil {
		return err
	}
	c.Language = canonical
	return nil
}

// ValidateChange is Validate for an edited comment. It does not normalize the language, and
// unchanged fields may violate newer rules.
func (c *Comment) ValidateChange(before *Comment) error {
	if c.Title != before.Title {
		c.Title = Said(c.Title)
	}
	if c.Text != before.Text {
		c.Text = Said(c.Text)
	}
	return errs.Join(c.validateContent(), c.readableSince(before))
}

// validateContent checks the rules that every comment satisfies, however old.
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

// validateImported is validateContent for the fields that only imports set.
func (c *Comment) validateImported() (err error) {
	if err := ValidateTime("createdAt", c.CreatedAt); err != nil {
		return err
	}
	if err := c.validateDisclosure(); err != nil {
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

// ValidateTime returns an error for a time that sort keys and cursors cannot represent.
func ValidateTime(field string, at time.Time) error {
	if bound := min(max(at.UTC().Year(), minTime.Year()), maxTime.Year()-1); bound != at.UTC().Year() {
		return errs.Invalid(field, "%s is not in the years %d to %d", at.Format(time.RFC3339), minTime.Year(),
			maxTime.Year()-1).For(errs.OutOfRange).Past(at.UTC().Year(), bound)
	}
	return nil
}

// Border returns a time that limits a list, in the range that ValidateTime accepts; zero for nil.
func Border(at *time.Time) time.Time {
	switch {
	case at == nil:
		return time.Time{}
	case at.Before(minTime):
		return minTime
	case at.After(maxTime):
		return maxTime
	}
	return *at
}

// flatObject returns the JSON object without white space, nil for an empty one.
func flatObject(field string, raw json.RawMessage) (json.RawMessage, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || values == nil {
		return nil, errs.Invalid(field, "it is not a JSON object").For(errs.WrongType)
	}
	for name, v := range values {
		if v[0] == '{' || v[0] == '[' {
			return nil, errs.Invalid(field,
				"%q has an object or a list as its value: use a string, a number or a boolean", Printable(name)).
				For(errs.WrongType)
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
		return nil, errs.Invalid(field, "they have %d bytes of JSON, the limit is %d", b.Len(), MaxAttributes).
			For(errs.TooLong).Past(b.Len(), MaxAttributes)
	}
	return b.Bytes(), nil
}

// The maximum lengths of reasons and replies, in characters.
const (
	MaxReason = 500
	MaxReply  = 2000
)

// ValidateReason checks the one-line reason of a decision or report; if needed is set, it must
// not be empty.
func ValidateReason(field, reason string, needed bool) error {
	if needed && reason == "" {
		return errs.Invalid(field, "it is empty: give a reason").For(errs.Required)
	}
	return errs.Join(validateText(field, reason, MaxReason, ""), readableLine(field, reason))
}

// ValidateReply checks the text of a reply, which may be empty.
func ValidateReply(field, text string) error {
	return errs.Join(validateText(field, text, MaxReply, "\n\r\t"), readableText(field, text))
}
