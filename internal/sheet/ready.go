package sheet

import "strings"

// readyMap is what is known of a review app's files: of its exports, and of the
// form in which it takes imports, which others write, too. Each word is
// COLUMN=TARGET; columns are told by their letters and digits, so that
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
