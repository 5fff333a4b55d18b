// Package contact checks how people are reached: addresses of mail.
package contact

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"product-comments/store/errs"
)

// Most bytes of an address, and of what is before its @ (RFC 5321, section 4.5.3.1: a path of 256 has
// two brackets; 320 of RFC 3696 is corrected by its erratum 1690).
const (
	MaxAddress = 254
	maxLocal   = 64
)

var (
	// local is a Dot-string (RFC 5321, section 4.1.2). A quoted one may hold anything, line breaks
	// included, and no provider gives it to people.
	local = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$")
	// public is how a name of the public Internet ends: not an IP address, not the name of a machine.
	public  = regexp.MustCompile(`\.[a-z][a-z0-9-]*[a-z0-9]$`)
	domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))
)

// Address returns the one spelling of an address such as alice@example.org: its domain in lower case,
// and in ASCII (RFC 5891). It accepts neither a display name nor other characters than ASCII before
// the @, which many mail servers refuse (RFC 6531). The errors are about field, and do not quote the
// address.
func Address(field, text string) (string, error) {
	invalid := func(why string) (string, error) {
		return "", errs.Invalid(field, "%s: give one address such as alice@example.org", why).For(errs.WrongType)
	}
	if text == "" {
		return "", errs.Invalid(field, "it is empty: give one address such as alice@example.org").For(errs.Required)
	}
	at := strings.LastIndexByte(text, '@')
	switch {
	case len(text) > MaxAddress:
		return tooLong(field, len(text))
	case at < 0:
		return invalid("it has no @")
	case at > maxLocal:
		return invalid(fmt.Sprintf("it has %d bytes before the @, the limit is %d", at, maxLocal))
	case !local.MatchString(text[:at]):
		return invalid("it has characters before the @ that mail servers do not accept everywhere, such as spaces, quotes and accents")
	}
	domain, err := domains.ToASCII(text[at+1:])
	if err != nil || !utf8.ValidString(text) || !public.MatchString(domain) {
		return invalid("what is after the @ is not the name of a domain")
	}
	if n := at + 1 + len(domain); n > MaxAddress {
		return tooLong(field, n)
	}
	return text[:at+1] + domain, nil
}

func tooLong(field string, n int) (string, error) {
	return "", errs.Invalid(field, "it has %d bytes, the limit is %d", n, MaxAddress).For(errs.TooLong).Past(n, MaxAddress)
}
