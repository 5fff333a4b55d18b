package definitions

import (
	"slices"
	"testing"

	"product-comments/internal/testing/testkit"
)

func TestVersionsAreReadBack(t *testing.T) {
	for _, r := range []revisions{{}, {own: 3}, {own: 3, inherited: 7, assigned: 2, group: "g.1"}, {inherited: 1, assigned: 1, group: "g"}, {own: 1, assigned: 3}} {
		got, ok := parseVersion(r.version())
		testkit.Check(t, ok && got == r, "%+v came back as %+v from %q", r, got, r.version())
	}
	for _, s := range []string{"x", "03", "1.2", "1.0.0.g", "1.x.1.g", "1.2.g", "-"} {
		r, ok := parseVersion(s)
		testkit.Check(t, !ok, "%q was read as %+v", s, r)
	}
}

// Between two versions lie all that anybody may write under, who knows a product's own
// definitions and its group's by themselves; not if it was assigned in the meantime.
func TestVersionsBetweenOthers(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     []string
		ok       bool
	}{
		{"1", "2", nil, true},
		{"1", "4", []string{"2", "3"}, true},
		{"1.4.1.g", "2.5.1.g", []string{"1.5.1.g", "2.4.1.g"}, true},
		{"1.4.1.g", "1.4.3.g", nil, false},
		{"1", "99", nil, false},
		{"x", "2", nil, false},
	} {
		got, ok := Between(c.from, c.to)
		testkit.Check(t, ok == c.ok && slices.Equal(got, c.want), "between %q and %q are %q, %t", c.from, c.to, got, ok)
	}
}
