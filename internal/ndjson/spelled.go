package ndjson

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/sortable"
)

// Set gives a comment a field's value from plain text. What text says is taken
// more freely than JSON: times without a time zone are UTC, days are midnight,
// 5.0 is 5, and yes is true; 1,000, which may be 1 or 1000, is refused. It returns a BadUserInput error that names the field
// if there is none, or none that plain text can say, or the text is no value of it.
func Set(c *store.Comment, field, text string) error {
	f := byName[field]
	if f == nil {
		return errs.Invalid(field, "no field has this name%s", Meant(field))
	}
	if f.set == nil {
		return errs.Invalid(field, "plain text cannot say its value")
	}
	return f.set(c, field, text)
}

// CheckDefaults returns a BadUserInput error that names the field if the defaults
// of a Reader could serve no line.
func CheckDefaults(defaults map[string]string) error {
	valid := store.Comment{ProductID: "p", ID: "c", Rating: 1, Language: "en", CreatedAt: time.Unix(0, 0)}
	for field, text := range defaults {
		if field == "commentId" {
			return errs.Invalid(field, "each comment has an id of its own")
		}
		if err := Set(&valid, field, text); err != nil {
			return err
		}
	}
	return valid.Validate()
}

var wholeNumber = regexp.MustCompile(`^([+-]?[0-9]+)(?:[.,]0*)?$`)

func spelledInteger(field, text string, to *int) error {
	text = strings.TrimSpace(text)
	if err := sortable.Ambiguous(text); err != nil {
		return errs.Invalid(field, "%v", err)
	}
	digits := wholeNumber.FindStringSubmatch(text)
	if digits == nil {
		return errs.Invalid(field, "%.40q is not a whole number", text)
	}
	n, err := strconv.ParseInt(digits[1], 10, 32)
	if err != nil {
		return errs.Invalid(field, "%.40q is not an integer of 32 bits", text)
	}
	*to = int(n)
	return nil
}

// truths are the words for true and false, in lower case.
var truths = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "verified": true, "verified_buyer": true, "verified buyer": true, "buyer": true,
	"false": false, "no": false, "n": false, "0": false, "unverified": false, "verified_reviewer": false, "anonymous_user": false, "nothing": false,
}

func spelledBoolean(field, text string, to *bool) error {
	value, ok := truths[strings.ToLower(strings.TrimSpace(text))]
	if !ok {
		return errs.Invalid(field, "%.40q is neither true nor false, yes nor no", text)
	}
	*to = value
	return nil
}

// timeForms are how spreadsheets spell times, beside RFC 3339. Without a zone they
// are UTC.
var timeForms = []string{
	time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
}

func spelledTime(field, text string, to *time.Time) error {
	text = strings.TrimSpace(text)
	for _, form := range timeForms {
		at, err := time.ParseInLocation(form, text, time.UTC) // else this machine's own zone would have a name
		// The name of another zone would be taken for UTC.
		if zone, offset := at.Zone(); err == nil && (offset != 0 || zone == "" || zone == "UTC" || zone == "GMT") {
			*to = at
			return nil
		}
	}
	return errs.Invalid(field, "%.40q is not a time such as 2026-06-30T12:00:00Z, 2026-06-30 12:00:00 or 2026-06-30", text)
}
