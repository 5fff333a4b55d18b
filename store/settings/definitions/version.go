package definitions

import (
	"fmt"
	"strconv"
	"strings"
)

// revisions are the parts of a version: the revision of the product's own definitions, the
// revision of its group's (0 is none), how often the product was assigned, and its group. So
// different definitions of a product never have the same version.
type revisions struct {
	own       int
	inherited int
	assigned  int
	group     string
}

// version spells the revisions: 3, or 3.7.1.shoes; empty for a product that never had
// definitions.
func (r revisions) version() string {
	switch {
	case r.assigned > 0 || r.inherited > 0:
		return fmt.Sprintf("%d.%d.%d.%s", r.own, r.inherited, r.assigned, r.group)
	case r.own > 0:
		return strconv.Itoa(r.own)
	}
	return ""
}

// parseVersion is the inverse of version; ok is false for any other text.
func parseVersion(s string) (r revisions, ok bool) {
	parts := strings.SplitN(s, ".", 4)
	var err error
	if r.own, err = strconv.Atoi(parts[0]); err != nil && s != "" {
		return r, false
	}
	if len(parts) == 4 {
		var wrong error
		r.inherited, err = strconv.Atoi(parts[1])
		r.assigned, wrong = strconv.Atoi(parts[2])
		if err != nil || wrong != nil {
			return r, false
		}
		r.group = parts[3]
	}
	return r, r.version() == s
}

// mostBetween bounds the versions that Between returns.
const mostBetween = 16

// Between returns the versions, other than from and to, under which other processes may write
// comments during a backfill from one version to a later one: their cached revisions of the
// product's and the group's definitions may be of different ages. ok is false if there are too
// many such versions, or if the product was assigned to a group in between.
func Between(from, to string) (versions []string, ok bool) {
	a, known := parseVersion(from)
	b, alsoKnown := parseVersion(to)
	if !known || !alsoKnown || a.assigned != b.assigned || (b.own-a.own+1)*(b.inherited-a.inherited+1) > mostBetween {
		return nil, false
	}
	for own := a.own; own <= b.own; own++ {
		for inherited := a.inherited; inherited <= b.inherited; inherited++ {
			if r := (revisions{own, inherited, b.assigned, b.group}); r != a && r != b {
				versions = append(versions, r.version())
			}
		}
	}
	return versions, true
}
