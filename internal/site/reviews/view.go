package reviews

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// product is the answer to the operation ReviewsSection.
type product struct {
	ProductID  string      `json:"productId"`
	Attributes []attribute `json:"attributes"`
	Family     *reviewed   `json:"family"`
	reviewed
}

// reviewed is the comments of a product, or of its family.
type reviewed struct {
	Stats *struct {
		TotalCount     int             `json:"totalCount"`
		AverageRating  *float64        `json:"averageRating"`
		RatingCounts   []ratingCount   `json:"ratingCounts"`
		LanguageCounts []languageCount `json:"languageCounts"`
		Timeline       []struct {
			From  time.Time `json:"from"`
			Count int       `json:"count"`
		} `json:"timeline"`
	} `json:"stats"`
	Comments *struct {
		TotalCount *int `json:"totalCount"`
		Facets     *struct {
			LanguageCounts  []languageCount `json:"languageCounts"`
			RatingCounts    []ratingCount   `json:"ratingCounts"`
			WithTextCount   int             `json:"withTextCount"`
			VerifiedCount   *int            `json:"verifiedCount"`
			WithPhotosCount int             `json:"withPhotosCount"`

			IncentivizedCount    int `json:"incentivizedCount"`
			NotIncentivizedCount int `json:"notIncentivizedCount"`
		} `json:"facets"`
		PageCursors *struct {
			Previous, Next, Last *pageNumber
			Around               []pageNumber
		} `json:"pageCursors"`
		PageInfo struct {
			HasNextPage bool   `json:"hasNextPage"`
			EndCursor   string `json:"endCursor"`
		} `json:"pageInfo"`
		Nodes []Comment `json:"nodes"`
	} `json:"comments"`
}

type (
	ratingCount   struct{ Rating, Count int }
	languageCount struct {
		Language string
		Count    int
	}
	pageNumber struct {
		Page      int
		IsCurrent bool
	}
)

// Comment is a comment as pages show it.
type Comment struct {
	ID               string  `json:"id"`
	CommentID        string  `json:"commentId"`
	Rating           int     `json:"rating"`
	Language         string  `json:"language"`
	Title            string  `json:"title"`
	Text             string  `json:"text"`
	Author           string  `json:"author"`
	CreatedAt        string  `json:"createdAt"`
	VerifiedPurchase bool    `json:"verifiedPurchase"`
	Incentive        string  `json:"incentive"`
	ExperiencedAt    string  `json:"experiencedAt"`
	HelpfulCount     int     `json:"helpfulCount"`
	Photos           []photo `json:"photos"`
	Product          struct {
		ProductID string `json:"productId"`
	} `json:"product"` // in lists of families, and of staff
	Reply *struct {
		Text      string `json:"text"`
		CreatedAt string `json:"createdAt"`
	} `json:"reply"`
	Attributes []struct {
		Definition struct{ Key, Label string } // the label in lists of families, whose products may have others
		Value      string
		Number     *float64
		Date, Day  string
		Boolean    *bool
		Choice     *struct{ Value, Label string }
	} `json:"attributes"`
}

// longText is the maximum length, in bytes, of a text that is not folded.
const longText = 600

// Long reports whether the text is folded.
func (c Comment) Long() bool { return len(c.Text) > longText }

// Tenths is the rating in tenths of a star.
func (c Comment) Tenths() int { return 10 * c.Rating }

// section is the data of the templates.
type section struct {
	*Labels
	list      list
	ProductID string
	Product   *product // nil if the API gave no answer
	Averages  []average
	Entry     *Entry // of the catalogue; nil for none
	catalogue *Catalogue
	Address   string // prefix of the paths of links: empty, or such as https://reviews.example
	Script    string // URLs with hashes, after Address
	Style     string
	Canonical string
	Form      *form
	Uploads   bool        // whether a form takes photos
	Strip     []thumbnail // the newest photos of the product
	policy    Policy
}

// choice is a link that changes the list.
type choice struct {
	Text    string
	Href    string
	On      bool
	Count   string
	Percent int // of all
	N       int // rating
}

// toggle returns the link that adds a value of a parameter, or removes it. count may be nil.
func (s *section) toggle(text, parameter, value string, count *int) choice {
	c := choice{Text: text, Href: s.list.toggled(parameter, value).query(), On: s.list.has(parameter, value)}
	if count != nil {
		c.Count = s.Number(*count)
	}
	return c
}

// sorted returns the link to an order of the list; newest first without a name.
func (s *section) sorted(text, name string) choice {
	c := choice{Text: text, Href: s.list.start().without("sort").query(), On: s.list.get("sort") == name}
	if name != "" {
		c.Href = s.list.with("sort", name).query()
	}
	return c
}

// Filtered reports whether the list has a filter, so that a link to all comments is useful.
func (s *section) Filtered() bool { return s.list.filtered() }

// All is the query of all comments.
func (s *section) All() string { return s.list.all().query() }

// Start is the query of the list's first page.
func (s *section) Start() string { return s.list.start().query() }

// Total is the number of comments of the list, -1 if it is not known.
func (s *section) Total() int {
	switch {
	case s.Product.Comments != nil && s.Product.Comments.TotalCount != nil:
		return *s.Product.Comments.TotalCount
	case !s.list.filtered() && s.Product.Stats != nil:
		return s.Product.Stats.TotalCount
	}
	return -1
}

// Stars returns a mean rating in tenths of a star, in steps of five.
func Stars(mean float64) int { return 5 * int(math.Round(mean*2)) }

// Average is the mean rating in tenths of a star, in steps of five; 0 without one.
func (s *section) Average() int {
	if s.Product.Stats == nil || s.Product.Stats.AverageRating == nil {
		return 0
	}
	return Stars(*s.Product.Stats.AverageRating)
}

// Ratings are the ratings of a form.
func (s *section) Ratings() []int { return []int{1, 2, 3, 4, 5} }

// AverageText returns the mean rating as a text.
func (s *section) AverageText() string {
	return s.Text("average", "n", *s.Product.Stats.AverageRating, "most", 5)
}

// Histogram returns a row for each rating, the best first.
func (s *section) Histogram() (rows []choice) {
	var counts []ratingCount
	if s.Product.Stats != nil {
		counts = s.Product.Stats.RatingCounts
	}
	if c := s.Product.Comments; s.list.filtered() {
		if counts = nil; c != nil && c.Facets != nil {
			counts = c.Facets.RatingCounts
		}
	}
	all := 0
	for _, c := range counts {
		all += c.Count
	}
	for n := 5; n >= 1; n-- {
		row := s.toggle("", "rating", strconv.Itoa(n), nil)
		row.N = n
		for _, c := range counts {
			if c.Rating == n {
				row.Count = s.Number(c.Count)
			}
			if c.Rating == n && c.Count > 0 {
				row.Percent = max(1, (200*c.Count+all)/(2*all)) // rounded, and never invisible
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// maxLanguages is the maximum number of languages with links. Others are rare.
const maxLanguages = 8

// Languages returns a link for each frequent language; none if there is only one.
func (s *section) Languages() (links []choice) {
	var counts []languageCount
	if s.Product.Stats != nil {
		counts = s.Product.Stats.LanguageCounts
	}
	if c := s.Product.Comments; c != nil && c.Facets != nil {
		counts = c.Facets.LanguageCounts
	}
	if len(counts) < 2 {
		return nil
	}
	for _, c := range counts {
		link := s.toggle(s.Language(c.Language), "language", c.Language, &c.Count)
		if link.On || len(links) < maxLanguages && c.Count > 0 {
			links = append(links, link)
		}
	}
	return links
}

// OfFamily reports whether the section shows the comments of all products of the family.
func (s *section) OfFamily() bool { return s.list.ofFamily() }

// HasFamily reports whether the section offers the comments of a family.
func (s *section) HasFamily() bool { return s.OfFamily() || s.Entry != nil && s.Entry.Family != "" }

// Variant is the name of the product that a comment of a family is about; empty in other lists.
func (s *section) Variant(c Comment) string {
	if !s.OfFamily() {
		return ""
	}
	if s.catalogue != nil {
		if e := s.catalogue.Entry(c.Product.ProductID); e != nil {
			return e.Name
		}
	}
	return c.Product.ProductID
}

// Switches are the filters that are on or off.
func (s *section) Switches() []choice {
	var text, buyers *int
	if c := s.Product.Comments; c != nil && c.Facets != nil {
		text, buyers = &c.Facets.WithTextCount, c.Facets.VerifiedCount
	}
	all := []choice{s.toggle(s.Text("withText"), "text", "1", text), s.toggle(s.Text("buyers"), "verified", "1", buyers)}
	photos := s.toggle(s.Text("withPhotos"), "photos", "1", s.photos())
	if n := s.photos(); photos.On || n != nil && *n > 0 { // a shop without photos has no use for it
		all = append(all, photos)
	}
	without, some := s.toggle(s.Text("notIncentivized"), "unpaid", "1", nil), false
	if c := s.Product.Comments; c != nil && c.Facets != nil {
		without, some = s.toggle(without.Text, "unpaid", "1", &c.Facets.NotIncentivizedCount), c.Facets.IncentivizedCount > 0
	}
	if without.On || some {
		all = append(all, without)
	}
	if s.HasFamily() {
		all = append(all, s.toggle(s.Text("allVariants"), "family", "1", nil))
	}
	return all
}

// Orders are the orders of the list.
func (s *section) Orders() []choice {
	all := []choice{s.sorted(s.Text("newest"), "")}
	for _, name := range []string{"helpful", "best", "worst", "oldest"} {
		all = append(all, s.sorted(s.Text(name), name))
	}
	for _, a := range s.Product.Attributes {
		if a.Type == "NUMBER" {
			all = append(all, s.sorted(s.Text("descending", "name", a.Label), a.Key+".desc"))
		}
	}
	return all
}

// Signed are the comments of the page that have an author.
func (s *section) Signed() []Comment {
	return slices.DeleteFunc(slices.Clone(s.Product.Comments.Nodes), func(c Comment) bool { return c.Author == "" })
}

// Permalink is the query of the page with a comment.
func (s *section) Permalink(id string) string {
	return s.list.all().with("comment", id).query() + "#comment-" + id
}

// Pages are links to pages; empty for lists without page numbers or with one page.
func (s *section) Pages() (links []choice) {
	c := s.Product.Comments
	if c == nil || c.PageCursors == nil || c.PageCursors.Last == nil || c.PageCursors.Last.Page < 2 {
		return nil
	}
	p := c.PageCursors
	to := func(n int, text string, on bool) {
		links = append(links, choice{Text: text, Href: s.list.numbered(n).query(), On: on, N: n})
	}
	if len(p.Around) > 0 && p.Around[0].Page > 1 {
		to(1, s.Number(1), false)
	}
	for _, one := range p.Around {
		to(one.Page, s.Number(one.Page), one.IsCurrent)
	}
	if n := len(p.Around); n > 0 && p.Around[n-1].Page < p.Last.Page {
		to(p.Last.Page, s.Number(p.Last.Page), false)
	}
	return links
}

// Next is the query of the next page, empty for none.
func (s *section) Next() string {
	c := s.Product.Comments
	switch {
	case c == nil:
		return ""
	case c.PageCursors != nil && c.PageCursors.Next != nil:
		return s.list.numbered(c.PageCursors.Next.Page).query()
	case c.PageCursors == nil && c.PageInfo.HasNextPage:
		return s.list.with("after", c.PageInfo.EndCursor).query()
	}
	return ""
}

// Previous is the query of the previous page; empty on the first page, and for lists without page
// numbers.
func (s *section) Previous() string {
	if c := s.Product.Comments; c != nil && c.PageCursors != nil && c.PageCursors.Previous != nil {
		return s.list.numbered(c.PageCursors.Previous.Page).query()
	}
	return ""
}

// Continued reports whether the page begins after a cursor.
func (s *section) Continued() bool { return s.list.get("after") != "" }

// year is a bar of the chart.
type year struct{ Year, Count, Height, X int }

// chartHeight is the height of a chart's longest bar.
const chartHeight = 40

// Years are the bars of the chart; none for fewer than two years.
func (s *section) Years() (bars []year) {
	if s.Product.Stats == nil || len(s.Product.Stats.Timeline) < 2 {
		return nil
	}
	most := 1
	for _, b := range s.Product.Stats.Timeline {
		most = max(most, b.Count)
	}
	for i, b := range s.Product.Stats.Timeline {
		bars = append(bars, year{b.From.Year(), b.Count, (b.Count*chartHeight + most - 1) / most, i*12 + 5})
	}
	return bars
}

// ChartWidth is the width of the SVG.
func (s *section) ChartWidth() int { return 12 * len(s.Product.Stats.Timeline) }
