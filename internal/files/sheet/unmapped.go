package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"product-comments/internal/files/ndjson"
	"product-comments/store/errs"
)

// usual are the names of columns that many programs write.
var usual = readyMap{columns: `
	review_id=commentId
	score=rating stars=rating star_rating=rating review_rating=rating review_score=rating review_stars=rating
	lang=language locale=language review_language=language
	date=createdAt created=createdAt date_created=createdAt review_date=createdAt review_created_at=createdAt submitted_at=createdAt
	name=author reviewer=author reviewer_name=author author_name=author review_author=author nickname=author display_name=author
	review_title=title headline=title
	body=text content=text review=text review_text=text review_body=text review_content=text
	verified=verifiedPurchase is_verified=verifiedPurchase verified_buyer=verifiedPurchase is_verified_buyer=verifiedPurchase
	verified_purchaser=verifiedPurchase is_verified_purchase=verifiedPurchase
	incentivized=incentive is_incentivized=incentive incentivised=incentive is_incentivized_review=incentive
	date_of_experience=experiencedAt experience_date=experiencedAt`}

// fieldOf returns the field or attribute that a column without a mapping holds by its name; empty if
// there is none. In strict mode the name is exact.
func (r *Reader) fieldOf(header string) string {
	switch {
	case ndjson.IsPlain(header), strings.HasPrefix(header, attributes+"."):
		return header
	case r.o.Strict:
		return ""
	}
	if field := ndjson.Like(header); field != "" {
		return field
	}
	for _, r := range usual.rules() {
		if ndjson.Letters(r.column) == ndjson.Letters(header) {
			return r.target
		}
	}
	return ""
}

// assignByName sets the targets of the columns that the map does not mention. It returns a
// BadUserInput error if two of them may hold one field.
func (r *Reader) assignByName() error {
	mapped := maps.Clone(r.headers)
	for i := range r.columns {
		c := &r.columns[i]
		if c.target != "" {
			c.visibility = ndjson.Visibility(c.target)
			continue
		}
		c.visibility = ndjson.VisibilityOf(c.header)
		field := r.fieldOf(c.header)
		if field == "" || mapped[field] != "" {
			continue
		}
		switch other, taken := r.headers[field]; {
		case !taken:
			c.target, c.visibility, c.usual = field, "", c.header != field
			r.claim(c)
		case other != c.header:
			return errs.Errorf(errs.BadUserInput, "the columns %q and %q may both be %s: say which one is, with --map '%s=%s' or '%s=%[3]s'",
				other, c.header, field, other, field, c.header)
		}
	}
	return nil
}

// UsualNames returns what columns hold because of usual names, such as `"body" as text`.
func (r *Reader) UsualNames() (all []string) {
	for _, c := range r.columns {
		if c.usual {
			all = append(all, fmt.Sprintf("%.60q as %s", c.header, c.target))
		}
	}
	return all
}

// maxShown is the maximum of a column's values in an error.
const maxShown = 5

// Observe notes values for Undecided, unless Read refuses the row whatever its cells are.
func (r *Reader) Observe(row []byte, line int64) {
	values, err := r.values(row, line)
	if err != nil {
		return
	}
	for i := range r.columns {
		c := &r.columns[i]
		if value, _ := r.value(values[i]); !c.visibility.Shows(value) && len(c.hides) < maxShown {
			if shown := fmt.Sprintf("%.40q", value); !slices.Contains(c.hides, shown) {
				c.hides = append(c.hides, shown)
			}
		}
	}
}

// Undecided returns a BadUserInput error if a column that no map mentions says that observed rows
// are not published; of a file that was not observed, if there is such a column.
func (r *Reader) Undecided(observed bool) error {
	var all []string
	for _, c := range r.columns {
		if c.visibility == "" || c.target != "" || observed && len(c.hides) == 0 {
			continue
		}
		has := "may say that rows are not published, which cannot be checked in an input that is read once"
		if observed {
			has = "has " + strings.Join(c.hides, ", ")
		}
		all = append(all, fmt.Sprintf("the column %.60q %s: refuse rows that are not published with --map '%s=%s', or import all of them with --map '%[3]s=-'",
			c.header, has, c.header, c.visibility))
	}
	if all == nil {
		return nil
	}
	return errs.Errorf(errs.BadUserInput, "%s", strings.Join(all, "; "))
}
