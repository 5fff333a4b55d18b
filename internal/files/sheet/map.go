package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"product-comments/internal/files/ndjson"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
)

// Targets of columns that hold no field.
const (
	attributes  = "attributes" // or attributes.NAME
	published   = string(ndjson.Published)
	unpublished = string(ndjson.Unpublished)
	pictures    = ndjson.Photos
	leftOut     = "-"
)

// rule maps a column to its target.
type rule struct {
	column string
	target string
	ready  bool // of a ready map, whose columns are optional
}

// Map maps columns to fields and attributes. The zero value has no entries.
type Map struct {
	rules []rule       // the first match of a column or a field counts
	dates ndjson.Dates // in the files of the ready map
}

// ParseMap parses the entries of a map: COLUMN=TARGET, or the name of a ready map. COLUMN=TARGET
// takes precedence over ready maps. The error names the entry.
func ParseMap(entries []string) (m Map, err error) {
	var known []rule
	for _, entry := range entries {
		at := strings.LastIndexByte(entry, '=')
		if at < 0 {
			found, ok := ready[strings.ToLower(entry)]
			if !ok {
				return m, fmt.Errorf("%q is neither COLUMN=FIELD nor the name of a ready map: %s", entry, strings.Join(slices.Sorted(maps.Keys(ready)), ", "))
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

func checkTarget(target string) error {
	name, isAttribute := strings.CutPrefix(target, attributes+".")
	switch {
	case target == published, target == unpublished, target == leftOut, target == pictures, target == attributes, isAttribute && name != "",
		ndjson.IsPlain(target):
		return nil
	default:
		return errs.Invalid(target, "unknown field%s", ndjson.Meant(target))
	}
}

// readyMap describes the files of a review app: its exports, and its import format, which other
// apps write, too. Each word is COLUMN=TARGET; columns are compared by letters and digits, so that
// review_title is "Review Title", too. If several columns hold one field, the first one of the map
// counts; the others are attributes, and fill the field in rows where the first one is empty.
// E-mail and IP addresses are left out.
type readyMap struct {
	columns string
	dates   ndjson.Dates
}

func (m readyMap) rules() (rules []rule) {
	for _, word := range strings.Fields(m.columns) {
		column, target, _ := strings.Cut(word, "=")
		rules = append(rules, rule{column: column, target: target, ready: true})
	}
	return rules
}

var ready = map[string]readyMap{
	"judge.me": {dates: ndjson.DayFirst, columns: `
		product_id=productId product_handle=productId rating=rating review_date=createdAt
		title=title body=text reviewer_name=author curated=published
		reviewer_email=- ip_address=- metaobject_handle=-
		reply=attributes reply_date=attributes picture_urls=photos
		source=attributes location=attributes product_url=attributes`},
	"yotpo": {columns: `
		review_id=commentId product_id=productId product_handle=productId review_score=rating
		review_creation_date=createdAt date=createdAt review_title=title review_content=text
		reviewer_display_name=author display_name=author thumbs_up=helpful thumbs_down=unhelpfulVotes
		reviewer_type=verifiedPurchase user_type=verifiedPurchase verified_purchase=verifiedPurchase
		review_status=published published=published
		reviewer_email=- email=- order_id=- order_date=- appkey=-
		status_details=- sentiment_score=- profanity_flag=- pushed_to_social=- reviewer_device_type=-
		unpublished_image_urls=- unpublished_image_url=- unpublished_video_urls=- unpublished_video_url=-
		product_title=- product_name=- product_url=- product_description=- product_image_url=-
		product_group=- product_category=- product_upc=- product_sku=- product_brand=- product_mpn=- product_isbn=-
		published_image_urls=photos published_image_url=photos
		published_video_urls=attributes published_video_url=attributes
		comment_content=attributes comment_public=attributes comment_date=attributes comment_created_at=attributes
		review_type=attributes review_source=attributes review_tags=attributes
		reviewer_country=attributes customer_country=attributes`},
	"loox": {columns: `
		id=commentId product_id=productId handle=productId product_handle=productId rating=rating
		date=createdAt created_at=createdAt title=title review=text body=text
		nickname=author author=author verified_purchase=verifiedPurchase status=published
		email=- full_name=- order_id=-
		img=photos photo_url=photos variant=attributes incentivized=incentive
		reply=attributes replied_at=attributes`},
	"stamped": {columns: `
		review_id=commentId product_id=productId product_handle=productId rating=rating
		created_at=createdAt title=title body=text author=author published=published
		email=- product_url=- product_image_url=- product_title=-
		photo_filenames=photos location=attributes reply=attributes replied_at=attributes`},
}

// incentiveOf returns the incentive that a cell names: in any case, and a discount for yes, since review
// apps that tell no more give discounts.
func incentiveOf(value string) string {
	var c store.Comment
	if ndjson.Letters(value) == "na" {
		return string(item.NoIncentive)
	}
	if ndjson.Set(&c, "verifiedPurchase", value) != nil {
		return strings.ReplaceAll(strings.ToUpper(strings.TrimSpace(value)), " ", "_")
	}
	if c.IsVerified() {
		return "DISCOUNT"
	}
	return string(item.NoIncentive)
}

// purchaseWords are the words of review apps, by their letters, for whether a purchase is verified;
// empty if a word says nothing about it.
var purchaseWords = map[string]string{
	"verified": "true", "buyer": "true", "verifiedbuyer": "true", "confirmedbuyer": "true", "verifiedpurchase": "true",
	"unverified": "false", "notverified": "false", "reviewer": "false", "verifiedreviewer": "false",
	"verifieduser": "false", "anonymous": "false", "anonymoususer": "false", "email": "false", "nothing": "false",
	"sitereview": "", "productreview": "", "na": "", "unknown": "",
}
