package item

import (
	"slices"

	"product-comments/store/errs"
)

// Why says why a comment is not published. The zero value is of a published one.
type Why struct {
	Code Code
	// Reason is the text of the person who decided. Of a pending comment it is the finding
	// of the rule, such as the blocked word.
	Reason string
}

// Code is the part of a Why for programs, with the names of the API. Only pending and rejected
// comments have one; an empty one means Other.
type Code string

// The reasons why a pending comment waits for a moderator.
const (
	HeldByMode       Code = "MODE"
	HeldByEdit       Code = "EDIT"
	HeldByReports    Code = "REPORTS"
	HeldByLink       Code = "LINK"
	HeldByWord       Code = "WORD"
	HeldByPace       Code = "PACE"
	HeldByCharacters Code = "CHARACTERS"
	HeldByPhotos     Code = "PHOTOS"
)

// Other is the code of a pending or rejected comment without a more exact one.
const Other Code = "OTHER"

// Rules are the codes of the rules that look at a comment, its photos and the pace of its author. The mode,
// edits and reports hold comments whatever they say.
var Rules = []Code{HeldByLink, HeldByWord, HeldByPace, HeldByCharacters, HeldByPhotos}

// Codes are the codes of a state.
var Codes = map[State][]Code{
	Pending:  slices.Concat([]Code{HeldByMode, HeldByEdit, HeldByReports}, Rules, []Code{Other}),
	Rejected: {"SPAM", "OFFENSIVE", "PERSONAL_DATA", "OFF_TOPIC", "NOT_A_REVIEW", "NOT_GENUINE", "UNLAWFUL", Other},
}

// ValidateCode checks that a state has a code, which may be empty.
func ValidateCode(field string, state State, code Code) error {
	switch all := Codes[state]; {
	case code == "" || slices.Contains(all, code):
		return nil
	case all == nil:
		return errs.Invalid(field, "a comment that is %s has no code: leave it out", state).For(errs.Contradiction)
	default:
		return errs.Invalid(field, "%.40q is not a code of %s: use one of %v", code, state, all).For(errs.NotAChoice)
	}
}
