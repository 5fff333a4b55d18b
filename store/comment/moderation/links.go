package moderation

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/xurls/v2"
)

// domains are the known top-level domains, in lower case.
var domains = map[string]bool{}

func init() {
	for _, domain := range slices.Concat(xurls.TLDs, xurls.PseudoTLDs) {
		domains[domain] = true
	}
}

// longestDomain is an upper bound of the length in bytes of each domain that is not ASCII.
const longestDomain = 40

// linked reports whether a text has a link: in its visible form, in plain form, or with a dot in
// a spelling that hides it from programs.
func linked(text string, f forms) bool {
	return hasAddress(text) || f.plain != text && hasAddress(f.plain) || hasAddress(dotted(f.plain)) ||
		hasScript(f.plain) || isBroken(f.visible)
}

// hasAddress reports whether a text has a web address: a scheme with something behind it, a name with a known
// top-level domain, or an IP address. It is linear and fast: the expressions of xurls take microseconds a byte.
func hasAddress(text string) bool {
	for i, r := range text {
		before, after := text[:i], text[i+1:] // right behind a dot or a colon
		if r == '.' && hasDomain(before, after) || r == ':' && hasScheme(before, after) {
			return true
		}
	}
	return ipAddress.MatchString(text)
}

// hasDomain reports whether the texts before and after a dot are the end of a name and a known top-level domain. One
// in ASCII ends there; others have text behind them in languages without spaces.
func hasDomain(before, after string) bool {
	if last, _ := utf8.DecodeLastRuneInString(before); !unicode.In(last, unicode.L, unicode.M, unicode.N) {
		return false
	}
	ascii := after[:len(after)-len(strings.TrimLeftFunc(after, isASCII))]
	for n := 1; ascii == "" && n <= min(len(after), longestDomain); n++ {
		if domains[after[:n]] {
			return true
		}
	}
	return domains[strings.ToLower(ascii)] || punycode.MatchString(after)
}

// hasScheme reports whether the texts before and after a colon are a scheme and the rest of an address.
func hasScheme(before, after string) bool {
	rest, hasHost := strings.CutPrefix(after, "//")
	name := before[len(strings.TrimRightFunc(before, isASCII)):]
	first, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && !unicode.IsSpace(first) && (hasHost && name != "" || slices.Contains(xurls.SchemesNoAuthority, name))
}

var (
	punycode  = regexp.MustCompile(`^(?i:xn--[a-z0-9-])`)
	ipAddress = regexp.MustCompile(`\b(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|\b)){4}`)
)

// isASCII reports whether a character is a letter, digit or underscore in ASCII.
func isASCII(r rune) bool { return r < utf8.RuneSelf && (isOfWord(r) || r == '_') }

// wrapped is a dot in brackets.
var wrapped = regexp.MustCompile(`\s*[\[({]\s*(?:\.|dot)\s*[\])}]\s*`)

// ideographic is the full stop of Chinese and Japanese, which is a dot in host names (RFC 5895,
// section 2). NFKC turns its other widths into this one.
const ideographic = "。"

// dotted returns a plain text in which the spellings of a dot that readers recognize in an address
// are replaced by dots. It returns "" if there are none.
func dotted(plain string) string {
	out := plain
	if strings.ContainsAny(plain, "[({") {
		out = wrapped.ReplaceAllString(out, ".")
	}
	if parts := strings.Split(out, ideographic); len(parts) > 1 {
		var b strings.Builder
		for i, part := range parts {
			if i > 0 && (betweenWords(parts[i-1], part) || isUnmistakable(part)) {
				b.WriteString(".")
			} else if i > 0 {
				b.WriteString(ideographic)
			}
			b.WriteString(part)
		}
		out = b.String()
	}
	if out == plain {
		return ""
	}
	return out
}

// betweenWords reports whether a full stop between two texts may be a dot in a host name: both
// sides have letters or digits of a script without such a full stop.
func betweenWords(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return isHost(last) && isHost(first)
}

func isHost(r rune) bool {
	return isOfWord(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo)
}

// unmistakable matches common top-level domains that are rarely words, so they do not follow a full
// stop in ordinary lower-case texts.
var unmistakable = regexp.MustCompile(`^(?:com|net|org|info|biz|xyz|ru|cn)(?:[^\p{L}\p{N}-]|$)`)

func isUnmistakable(after string) bool { return unmistakable.MatchString(after) }

// script matches an address that runs a program or contains its own content. JavaScript with a
// colon is also in titles of books, but there a space follows.
var script = regexp.MustCompile(`\b(?:(?:javascript|vbscript):(?:\S|\s+[\w.$]+[(=])|data:[a-z]+/[a-z0-9.+-]+[;,])`)

func hasScript(plain string) bool { return strings.Contains(plain, ":") && script.MatchString(plain) }

// isBroken reports whether an address is broken across lines at a dot. Sentences also end with a
// dot, so the next line must begin with a top-level domain in lower case: one that is not a word,
// or a country's domain that is alone on its line.
func isBroken(visible string) bool {
	if !strings.ContainsFunc(visible, isLineEnd) {
		return false
	}
	before := ""
	for line := range strings.FieldsFuncSeq(visible, isLineEnd) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		after, _, more := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		host, dot := strings.CutSuffix(before, ".")
		domain, dotAfter := strings.CutPrefix(after, ".")
		if dot != dotAfter && (isUnmistakable(domain) || !more && country.MatchString(domain)) &&
			hasAddress(lastWord(host)+"."+domain) {
			return true
		}
		before = line
	}
	return false
}

// country is a country's top-level domain, perhaps with a path.
var country = regexp.MustCompile(`^[a-z]{2}(?:[/:?#].*)?$`)

func isLineEnd(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

// lastWord returns the text after the last white space.
func lastWord(text string) string { return text[strings.LastIndexFunc(text, unicode.IsSpace)+1:] }

// isAddress reports whether a value is one web address and nothing else, like the values of an
// attribute for addresses.
func isAddress(value string) bool {
	u, err := url.Parse(value)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil &&
		!strings.ContainsFunc(value, unicode.IsSpace)
}
