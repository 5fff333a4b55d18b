package httpapi

import "strings"

// notModified tells whether If-None-Match names an ETag: a list of them, on one
// line or several, or * for any (RFC 9110 section 13.1.2). It compares weakly,
// which leaves W/ out of account. What is malformed names nothing.
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

// nextTag cuts the next entity tag from a list, without its W/; "" if there is
// none. Quoted, it may contain a comma, so the list cannot just be split.
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
