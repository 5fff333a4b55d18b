package attributes

import (
	"strconv"
	"strings"
)

// revisions are what a version names: the revision of a product's own definitions, and
// that of its group's; 0 is none.
type revisions struct {
	own       int
	inherited int
	group     string
}

// version spells them: 3, or 3.7.shoes; empty for neither.
func (r revisions) version() string {
	switch {
	case r.inherited > 0:
		return strconv.Itoa(r.own) + "." + strconv.Itoa(r.inherited) + "." + r.group
	case r.own > 0:
		return strconv.Itoa(r.own)
	}
	return ""
}

// parseVersion is the inverse of version; ok is false for any other text.
func parseVersion(s string) (r revisions, ok bool) {
	parts := strings.SplitN(s, ".", 3)
	var err error
	if r.own, err = strconv.Atoi(parts[0]); err != nil && s != "" {
		return r, false
	}
	if len(parts) == 3 {
		if r.inherited, err = strconv.Atoi(parts[1]); err != nil {
			return r, false
		}
		r.group = parts[2]
	}
	return r, r.version() == s
}
