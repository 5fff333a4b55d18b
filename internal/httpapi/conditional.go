package httpapi

import "strings"

// notModified reports whether the header If-None-Match names this ETag. The header
// is a list of tags, on one line or several, or * for any (RFC 9110 section
// 13.1.2). The comparison is weak: it ignores W/. Malformed text matches nothing.
func notModified(ifNoneMatch []string, etag string) bool {
	for _, rest := range ifNoneMatch {
		if strings.Trim(rest, " \t") == "*" {
			return true
		}
		for {
			var tag string
			if tag, rest = nextTag(rest); tag == "" {
				break
			}
			if tag == strings.TrimPrefix(etag, "W/") {
				return true
			}
		}
	}
	return false
}

// nextTag cuts the next entity tag from a list, without its W/; it is "" if there
// is none. A tag may contain a comma between its quotes, so the list cannot simply
// be split.
func nextTag(list string) (tag, rest string) {
	list = strings.TrimPrefix(strings.TrimLeft(list, " \t,"), "W/")
	if !strings.HasPrefix(list, `"`) {
		return "", ""
	}
	end := strings.IndexByte(list[1:], '"')
	if end < 0 {
		return "", ""
	}
	return list[:end+2], list[end+2:]
}
