package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"product-comments/internal/ndjson"
	"product-comments/store/errs"
)

// Targets of columns that are no fields.
const (
	attributes = "attributes" // or attributes.NAME
	published  = "published"
	leftOut    = "-"
)

// rule says what a column holds.
type rule struct {
	column string
	target string
	ready  bool // it is part of a ready map, whose columns need not be there
}

// Map says what columns hold. The zero value knows the fields' own names.
type Map struct {
	rules []rule // the first that fits a column, or claims a field, counts
	dates Dates  // how the ready map's source spells dates
}

// Dates is whether days or months come first in dates such as 02/03/2025.
type Dates string

// The orders of dates.
const (
	DatesUnknown Dates = "" // they are refused
	DayFirst     Dates = "day-first"
	MonthFirst   Dates = "month-first"
)

// ParseMap reads the entries of a map: COLUMN=TARGET, or the name of a ready map.
// What is given by entries wins over ready maps. Its error names the entry.
func ParseMap(entries []string) (m Map, err error) {
	var known []rule
	for _, entry := range entries {
		at := strings.LastIndexByte(entry, '=')
		if at < 0 {
			found, ok := ready[strings.ToLower(entry)]
			if !ok {
				return m, fmt.Errorf("%q is neither COLUMN=FIELD nor the name of a ready map: %s", entry, strings.Join(ReadyMaps(), ", "))
			}
			known, m.dates = append(known, found.rules()...), found.dates
			continue
		}
		r := rule{column: strings.TrimSpace(entry[:at]), target: strings.TrimSpace(entry[at+1:])}
		if err := checkTarget(r.target); err != nil {
			return m, fmt.Errorf("%q: %w", entry, err)
		}
		m.rules = append(m.rules, r)
	}
	m.rules = append(m.rules, known...)
	return m, nil
}

// ReadyMaps returns the names of the maps that ParseMap knows, in order.
func ReadyMaps() []string { return slices.Sorted(maps.Keys(ready)) }

func checkTarget(target string) error {
	name, isAttribute := strings.CutPrefix(target, attributes+".")
	switch {
	case target == published, target == leftOut, target == attributes, isAttribute && name != "", ndjson.IsPlain(target):
		return nil
	default:
		return errs.Invalid(target, "unknown field%s", ndjson.Meant(target))
	}
}

// readyMap is what is known of a review app's files: of its exports, and of the
// form in which it takes imports, which others write, too. Each word is
// COLUMN=TARGET; columns are recognized by their letters and digits, so that
// review_title is "Review Title", too. Where several columns hold one field, the
// first that a file has counts, and the others are attributes. Addresses of people
// and of their machines are left out.
type readyMap struct {
	columns string
	dates   Dates
}

func (m readyMap) rules() (rules []rule) {
	for _, word := range strings.Fields(m.columns) {
		column, target, _ := strings.Cut(word, "=")
		rules = append(rules, rule{column: column, target: target, ready: true})
	}
	return rules
}

var ready = map[string]readyMap{
	"judge.me": {dates: DayFirst, columns: `
		product_id=productId product_handle=productId rating=rating review_date=createdAt
		title=title body=text reviewer_name=author curated=published
		reviewer_email=- ip_address=- metaobject_handle=-
		reply=attributes reply_date=attributes picture_urls=attributes
		source=attributes location=attributes product_url=attributes`},
	"yotpo": {columns: `
		review_id=commentId product_id=productId product_handle=productId review_score=rating
		review_creation_date=createdAt date=createdAt review_title=title review_content=text
		reviewer_display_name=author display_name=author
		reviewer_type=verifiedPurchase user_type=verifiedPurchase verified_purchase=verifiedPurchase
		review_status=published published=published
		reviewer_email=- email=- order_id=- appkey=- unpublished_image_urls=- unpublished_image_url=-
		product_title=- product_url=- product_description=- product_image_url=-
		published_image_urls=attributes published_image_url=attributes
		comment_content=attributes comment_public=attributes comment_created_at=attributes
		review_type=attributes customer_country=attributes`},
	"loox": {columns: `
		id=commentId product_id=productId handle=productId product_handle=productId rating=rating
		date=createdAt created_at=createdAt title=title review=text body=text
		nickname=author author=author verified_purchase=verifiedPurchase status=published
		email=- full_name=- order_id=-
		img=attributes photo_url=attributes variant=attributes incentivized=attributes
		reply=attributes replied_at=attributes`},
	"stamped": {columns: `
		review_id=commentId product_id=productId product_handle=productId rating=rating
		created_at=createdAt title=title body=text author=author published=published
		email=- product_url=- product_image_url=- product_title=-
		photo_filenames=attributes location=attributes reply=attributes replied_at=attributes`},
}

// publishedWords are what a column says of a row that is published, in lower case.
// A cell without a word says nothing against it.
var publishedWords = []string{"ok", "true", "yes", "1", "active", "published", "approved", "enabled"}
