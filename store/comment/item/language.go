package item

import (
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/language"

	"product-comments/store/errs"
)

// signed are the languages of signs whose tag was made of a country, which x/text leaves as they
// are (IANA's registry of subtags, type redundant).
var signed = map[string]string{
	"BR": "bzs", "CO": "csn", "DE": "gsg", "DK": "dsl", "ES": "ssp", "FR": "fsl", "GB": "bfi", "GR": "gss", "IE": "isg",
	"IT": "ise", "JP": "jsl", "MX": "mfs", "NI": "ncs", "NL": "dse", "NO": "nsi", "PT": "psr", "SE": "swl", "US": "ase",
	"ZA": "sfs",
}

// canonical returns the canonical form of a tag: the one of x/text, with zh for cmn and likewise, so
// that all comments of a language meet. Norwegian stays unchanged: no means both forms, nb is one of them.
func canonical(tag language.Tag) language.Tag {
	parts := strings.Split(tag.String(), "-")
	switch base := parts[0]; {
	case base == "sgn" && len(parts) == 2 && signed[parts[1]] != "":
		return language.Raw.Make(signed[parts[1]])
	case base == "nb":
		return tag
	}
	plain, _ := language.Macro.Canonicalize(tag) // it was parsed
	return plain
}

// AnyLanguage is CanonicalLanguage for an optional tag: it returns the empty language, which matches
// any, for nil and for an empty one.
func AnyLanguage(field string, tag *string) (string, error) {
	if tag == nil || *tag == "" {
		return "", nil
	}
	return CanonicalLanguage(field, *tag)
}

// canonicalTags has canonical tags that were parsed: each takes microseconds, and an answer may have
// hundreds of labels in a language. It keeps the first ones, because few are used.
var (
	canonicalTags sync.Map
	keptTags      atomic.Int64
)

const mostKeptTags = 1000

// CanonicalLanguage returns the canonical form of a BCP 47 tag: pt_br becomes pt-BR, iw becomes
// he, cmn becomes zh. It accepts only registered languages, scripts, regions and variants. Extensions and
// private-use subtags are refused, since anyone can invent any number of them, and each
// language of a product has its own statistics.
func CanonicalLanguage(field, tag string) (string, error) {
	if tag == "" {
		return "", errs.Invalid(field, "it is empty: give a BCP 47 tag such as en or pt-BR").For(errs.Required)
	}
	if len(tag) > MaxLanguage {
		return "", errs.Invalid(field, "it has %d characters, the limit is %d", len(tag), MaxLanguage).
			For(errs.TooLong).Past(len(tag), MaxLanguage)
	}
	if c, ok := canonicalTags.Load(tag); ok {
		return c.(string), nil
	}
	parsed, err := language.Parse(tag)
	if err != nil {
		return "", errs.Invalid(field, "%q is not a BCP 47 language tag such as en or pt-BR", Printable(tag)).
			For(errs.NotALanguage)
	}
	if len(parsed.Extensions()) > 0 || privateUse(parsed) {
		return "", errs.Invalid(field, "%q has a private-use part or an extension: use a plain tag such as en or pt-BR", Printable(tag)).For(errs.NotALanguage)
	}
	c := canonical(parsed).String()
	if len(c) <= MaxLanguage {
		if tag == c && keptTags.Add(1) <= mostKeptTags {
			c = strings.Clone(c) // a tag may be a piece of a long document
			canonicalTags.Store(c, c)
		}
		return c, nil
	}
	return "", errs.Invalid(field, "its canonical form has %d characters, the limit is %d", len(c), MaxLanguage).
		For(errs.TooLong).Past(len(c), MaxLanguage)
}

// PlainLanguage removes extensions and private-use subtags from a tag that CanonicalLanguage
// refuses: en for en-x-shop, und if nothing remains.
func PlainLanguage(tag string) string {
	if plain, err := CanonicalLanguage("", tag); err == nil {
		return plain
	}
	parsed, _ := language.Parse(tag)
	base, script, region := parsed.Raw()
	var parts []any
	if isRegistered(base.String()) {
		parts = append(parts, base)
		if script.String() != "Zzzz" {
			parts = append(parts, script)
		}
		if region.String() != "ZZ" {
			parts = append(parts, region)
		}
	}
	composed, err := language.Compose(parts...)
	if err != nil {
		return language.Und.String()
	}
	plain, err := CanonicalLanguage("", composed.String())
	if err != nil {
		return language.Und.String()
	}
	return plain
}

func isRegistered(base string) bool { return base < "qaa" || base > "qtz" || len(base) != 3 }

// privateUse reports whether a subtag lies in a range that ISO keeps for private
// use (RFC 5646, section 2.2): languages qaa to qtz, scripts Qaaa to Qabx,
// regions AA, QM to QZ, XA to XZ and ZZ.
func privateUse(tag language.Tag) bool {
	base, script, region := tag.Raw()
	r, s := region.String(), script.String()
	given := tag.String()
	return !isRegistered(base.String()) ||
		s >= "Qaaa" && s <= "Qabx" ||
		r == "AA" || len(r) == 2 && (r >= "QM" && r <= "QZ" || r >= "XA" && r <= "XZ" && r != "XK") ||
		r == "ZZ" && hasSubtag(given, "ZZ")
}

// hasSubtag reports whether a tag contains a subtag explicitly: x/text also returns ZZ for a
// tag without a region.
func hasSubtag(tag, subtag string) bool {
	n := len(tag) - len(subtag)
	return n > 0 && (tag[n:] == subtag || strings.Contains(tag, "-"+subtag+"-"))
}
