package errs

// The reasons why an input field is invalid, for programs: extensions.reason of a BadUserInput
// error that names a field. They are part of the API and stay the same in all releases.
const (
	Required         = "REQUIRED"          // it is missing, null or empty
	WrongType        = "WRONG_TYPE"        // it is not of its type
	UnknownField     = "UNKNOWN_FIELD"     // the input has no field of this name
	UnknownOperation = "UNKNOWN_OPERATION" // the document has no operation of this name
	TooLong          = "TOO_LONG"          // it has more characters (for ids and keys: bytes) than limit
	TooMany          = "TOO_MANY"          // it has more elements than limit, or its product has too many languages
	OutOfRange       = "OUT_OF_RANGE"      // the number is below or above limit
	NotALanguage     = "NOT_A_LANGUAGE"    // it is no BCP 47 tag, or has extensions or private parts
	NotACursor       = "NOT_A_CURSOR"      // it is no cursor, or one of another product, filter, order or list
	OtherKind        = "OTHER_KIND"        // it is the global id of another kind of object
	GlobalID         = "GLOBAL_ID"         // it reads as a global id where an own id is expected
	BadCharacter     = "BAD_CHARACTER"     // it holds a control, a line break in a title, or an override of the direction
	Invisible        = "INVISIBLE"         // it has no visible character
	Contradiction    = "CONTRADICTION"     // it excludes another field, such as first and last
	NotAnAttribute   = "NOT_AN_ATTRIBUTE"  // the product has no attribute with this key
	NotAChoice       = "NOT_A_CHOICE"      // it is none of the attribute's choices
	NotAnInvitation  = "NOT_AN_INVITATION" // it is no invitation of this service, or damaged
	NotAPhoto        = "NOT_A_PHOTO"       // it is no photo that the viewer uploaded within a day
	Expired          = "EXPIRED"           // the invitation is no longer valid
)

// Reasons are all reasons.
var Reasons = []string{
	Required, WrongType, UnknownField, UnknownOperation, TooLong, TooMany, OutOfRange, NotALanguage, NotACursor,
	OtherKind, GlobalID, BadCharacter,
	Invisible, Contradiction, NotAnAttribute, NotAChoice, NotAnInvitation, NotAPhoto, Expired,
}

// For sets the reason of an error about a field, one of Reasons.
func (e *Error) For(reason string) *Error {
	e.Reason = reason
	return e
}

// Past sets the limit that the field exceeds.
func (e *Error) Past(value, limit int) *Error {
	e.Limit = &Limit{Value: int64(value), Most: int64(limit)}
	return e
}
