package resolvers_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/storetest"
)

// assorted makes comments of a lamp in languages with and without region, a third of
// them without a text, with what imports keep.
func assorted() []store.Comment {
	list := slices.Concat(
		apitest.Rated("lamp", "en", [5]int{3, 0, 2, 5, 7}),
		apitest.Rated("lamp", "en-GB", [5]int{0, 1, 0, 0, 3}),
		apitest.Rated("lamp", "de", [5]int{0, 4, 1, 0, 2}),
		apitest.Rated("lamp", "pt-BR", [5]int{1, 1, 1, 1, 3}),
	)
	for i := range list {
		if i%3 > 0 {
			list[i].Text = "A text."
		}
		if i%2 > 0 {
			helpful, verified := i, i%4 == 1
			list[i].Helpful, list[i].VerifiedPurchase = &helpful, &verified
		}
		if i%7 < 2 {
			list[i].Incentive = item.Incentives[1+i%5]
		}
		if i%5 == 0 {
			list[i].Photos = []store.Photo{{ID: storetest.PhotoID(i), Width: 1, Height: 1}}
		}
	}
	return list
}

// orderOf is an order of a list that a range of times goes with, as a client spells it.
type orderOf struct {
	arguments         string
	rating, ascending bool
}

var timeOrders = []orderOf{
	{"", false, false},
	{`orderBy:{field:CREATED_AT,direction:ASC},`, false, true},
	{`orderBy:{field:RATING,direction:DESC},`, true, false},
	{`orderBy:{field:RATING,direction:ASC},`, true, true},
}

// sort sorts comments as the list has them.
func (o orderOf) sort(list []store.Comment) {
	slices.SortFunc(list, func(a, b store.Comment) int {
		n := a.CreatedAt.Compare(b.CreatedAt)
		if n == 0 {
			n = strings.Compare(a.ID, b.ID)
		}
		if o.rating {
			n = cmp.Or(cmp.Compare(a.Rating, b.Rating), n)
		}
		if o.ascending {
			return n
		}
		return -n
	})
}

// choice is a filter as a client spells it.
type choice struct {
	arguments string
	filter    string   // the members of the argument filter
	languages []string // that pass; none is any
	ratings   []int
	which     stats.Which
}

// has reports whether a comment passes, in dimensions but for one.
func (c choice) has(of store.Comment, languages, ratings bool, without stats.Which) bool {
	return (!languages || len(c.languages) == 0 || slices.Contains(c.languages, of.Language)) &&
		(!ratings || len(c.ratings) == 0 || slices.Contains(c.ratings, of.Rating)) && (c.which &^ without).Passes(dimensionsOf(of))
}

func dimensionsOf(c store.Comment) stats.Which {
	return stats.Which(0).With(stats.Text, c.Text != "").With(stats.Verified, c.IsVerified()).With(stats.Photos, len(c.Photos) > 0).
		With(stats.Incentivized, c.Incentive != "").With(stats.NotIncentivized, c.Incentive == "")
}

func choices() (out []choice) {
	for _, l := range []struct {
		language, filter string
		languages        []string
	}{
		{"", "", nil},
		{"", `languages:["de","EN","de"],`, []string{"de", "en"}},
		{"", `languages:["en","fr"],includeRegions:true,`, []string{"en", "en-GB", "fr"}},
		{`language:"pt",`, `includeRegions:true,`, []string{"pt", "pt-BR"}},
		{"", `languages:["en-GB"],includeRegions:true,`, []string{"en-GB"}},
		{`language:"fr",`, "", []string{"fr"}}, // of no comment
	} {
		for _, ratings := range [][]int{nil, {3}, {2, 4, 5}, {1, 2, 3, 4, 5}} {
			for _, which := range []stats.Which{0, stats.Text, stats.Verified, stats.Text | stats.Verified, stats.Photos, stats.Photos | stats.Text, stats.Incentivized, stats.NotIncentivized | stats.Verified} {
				c := choice{l.language, l.filter, l.languages, ratings, which}
				if len(ratings) > 0 {
					r, _ := json.Marshal(ratings)
					c.arguments += "ratings:" + string(r) + ","
				}
				if which.Has(stats.Text) {
					c.filter += "withText:true,"
				}
				if which.Has(stats.Verified) {
					c.filter += "verifiedOnly:true,"
				}
				if which.Has(stats.Photos) {
					c.filter += "withPhotos:true,"
				}
				if which.Has(stats.Incentivized) || which.Has(stats.NotIncentivized) {
					c.filter += fmt.Sprintf("incentivized:%t,", which.Has(stats.Incentivized))
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// facetsAre checks what other choices would show, of a list with these comments.
func (p *numberedPage) facetsAre(t *testing.T, c choice, list []store.Comment) {
	t.Helper()
	count := func(pass func(store.Comment) bool) (n int) {
		for _, of := range list {
			if pass(of) {
				n++
			}
		}
		return n
	}
	f := p.Facets
	testkit.Check(t, len(f.LanguageCounts) == 4 && len(f.RatingCounts) == 5, "facets %+v", f)
	for _, row := range f.LanguageCounts {
		testkit.Equal(t, row.Count, count(func(of store.Comment) bool { return of.Language == row.Language && c.has(of, false, true, 0) }), "%+v in %s", c, row.Language)
	}
	for _, row := range f.RatingCounts {
		testkit.Equal(t, row.Count, count(func(of store.Comment) bool { return of.Rating == row.Rating && c.has(of, true, false, 0) }), "%+v rated %d", c, row.Rating)
	}
	for dimension, counts := range map[stats.Which][2]int{
		stats.Text: {f.WithTextCount, f.WithoutTextCount}, stats.Verified: {f.VerifiedCount, f.UnverifiedCount}, stats.Photos: {f.WithPhotosCount, f.WithoutPhotosCount},
		stats.Incentivized: {f.IncentivizedCount, f.NotIncentivizedCount},
	} {
		besides := dimension
		if dimension == stats.Incentivized {
			besides |= stats.NotIncentivized
		}
		for i, is := range []bool{true, false} {
			want := count(func(of store.Comment) bool {
				return dimensionsOf(of).Has(dimension) == is && c.has(of, true, true, besides)
			})
			testkit.Equal(t, counts[i], want, "%+v with the dimension %d: %t", c, dimension, is)
		}
	}
}

// Every filter shows and counts exactly what passes, and what other choices would, in each order
// that has page numbers: page k is the k-th slice of the list, by its number, by its cursor, and
// around each of its comments. The fast run has each value of each condition.
func TestFilters(t *testing.T) {
	t.Run("of a product", func(t *testing.T) { testFilters(t, `product(id:"lamp")`, "lamp") })
	t.Run("of a family", func(t *testing.T) {
		testFilters(t, `family(id:"lamps")`, "lamp", "lamp #2", "empty", "lamp 3")
	})
}

// testFilters asks for the pages of a subject, which has comments of some products.
func testFilters(t *testing.T, subject string, products ...string) {
	s := serve(t)
	list, all := assorted(), testkit.All(t)
	for i := range list {
		if list[i].ProductID = products[i*i%7%len(products)]; list[i].ProductID == "empty" {
			list[i].ProductID = products[0]
		}
	}
	testkit.Must(t, s.Store.Families().Define(t.Context(), store.Family{ID: "lamps", Products: products}))
	for i := range list { // ties
		list[i].CreatedAt = list[i].CreatedAt.Truncate(3 * time.Minute)
	}
	s.Fill(t, list...)
	s.Fill(t, apitest.Comments(3)...)
	s.Project(t)
	older := slices.Clone(list)
	timeOrders[1].sort(older)
	from, before := older[len(older)/6].CreatedAt, older[len(older)*5/6].CreatedAt
	for n, c := range choices() {
		if !all && n%5 > 0 {
			continue
		}
		o, in := timeOrders[n%len(timeOrders)], list
		if n%3 > 0 { // within times
			c.filter += fmt.Sprintf("createdAfter:%q,createdBefore:%q,", from.Format(time.RFC3339Nano), before.Format(time.RFC3339Nano))
			in = slices.DeleteFunc(slices.Clone(list), func(of store.Comment) bool { return of.CreatedAt.Before(from) || !of.CreatedAt.Before(before) })
		}
		arguments := c.arguments + "filter:{" + c.filter + "}," + o.arguments
		sorted, want := slices.Clone(in), []string(nil)
		o.sort(sorted)
		for _, of := range sorted {
			if c.has(of, true, true, 0) {
				want = append(want, of.ID)
			}
		}
		const length = 4
		page := func(k int, how string) numberedPage { // page k, however it is asked for
			t.Helper()
			what := arguments + how
			p := s.numberedOf(t, subject, what)
			begin := min((k-1)*length, len(want))
			slice := want[begin:min(k*length, len(want))]
			testkit.Check(t, slices.Equal(p.ids(), slice), "%s: %v, not %v", what, p.ids(), slice)
			p.numbersAre(t, what, begin, len(want), length)
			testkit.Check(t, p.PageInfo.HasNextPage == (k*length < len(want)) && p.PageInfo.HasPreviousPage == (k > 1), "%s: %+v", what, p.PageInfo)
			return p
		}
		for k := 1; k <= max(1, (len(want)+length-1)/length)+1; k++ {
			p := page(k, fmt.Sprintf("first:%d,page:%d", length, k))
			if next := p.PageCursors.Next; next != nil {
				page(k+1, fmt.Sprintf("after:%q", next.Cursor)) // its length is the cursor's
				page(k+1, fmt.Sprintf("first:%d,after:%q", length, *p.PageInfo.EndCursor))
				testkit.Check(t, len(next.Cursor) <= 130, "a cursor of %d characters", len(next.Cursor))
			}
			if k == 1 {
				p.facetsAre(t, c, in)
			}
		}
		for i := n % 5; i < len(list); i += 5 {
			id := list[i].ID
			if at := slices.Index(want, id); at >= 0 {
				page(at/length+1, fmt.Sprintf("first:%d,around:%q", length, id))
			} else {
				p := s.numberedOf(t, subject, fmt.Sprintf("%sfirst:%d,around:%q", arguments, length, id))
				testkit.Check(t, p.Offset == nil && p.PageCursors == nil && len(p.Edges) == 0 && *p.TotalCount == len(want), "%saround what is not in it: %+v", arguments, p)
			}
		}
		p := s.numberedOf(t, subject, arguments+"last:5")
		testkit.Check(t, slices.Equal(p.ids(), want[max(0, len(want)-5):]), "%slast:5: %v of %v", arguments, p.ids(), want)
		p.numbersAre(t, arguments+"last:5", max(0, len(want)-5), len(want), 5)
	}
}

// A count without its page reads no page.
func TestCountReadsNoPage(t *testing.T) {
	s := serve(t)
	s.Fill(t, assorted()...)
	s.Project(t)
	for _, c := range []struct {
		query        string
		units, trips float64
	}{
		{`{product(id:"lamp"){comments(first:0){totalCount}}}`, 0.5, 1},
		{`{product(id:"lamp"){comments(first:0,ratings:[4,5],language:"de"){totalCount edges{cursor}}}}`, 0.5, 1},
		{`{product(id:"lamp"){comments(last:0 filter:{languages:["de","en"], withText:true} ratings:[1,2]){totalCount facets{withTextCount languageCounts{count}}}}}`, 0.5, 1},
		{`{product(id:"lamp"){comments(first:0){totalCount pageInfo{hasNextPage}}}}`, 1, 2},
	} {
		a := s.Post(t, c.query, nil)
		cost := a.Extensions.Cost
		testkit.Check(t, len(a.Errors) == 0 && cost != nil && cost.ReadUnits == c.units && cost.RoundTrips == int(c.trips), "%s: %+v, %+v", c.query, cost, a.Errors)
	}
}

// A product page is one page and one batch: its counts cost half a read unit, with
// filters and their controls, too.
func TestProductPageCostsOnePageAndOneBatch(t *testing.T) {
	s := serve(t)
	s.Fill(t, assorted()...)
	s.Project(t)
	const page = `nodes{id rating title text} pageInfo{hasNextPage endCursor}`
	cost := func(query string) (units float64, trips int) {
		t.Helper()
		a := s.Post(t, query, nil)
		testkit.Need(t, len(a.Errors) == 0 && a.Extensions.Cost != nil, "%s: %+v", query, a.Errors)
		return a.Extensions.Cost.ReadUnits, a.Extensions.Cost.RoundTrips
	}
	for _, filter := range []string{"", `language:"en"`, `filter:{languages:["en","de"]}`, `language:"en",filter:{withText:true}`} {
		arguments := "first:20"
		if filter != "" {
			arguments += "," + filter
		}
		cost(`{product(id:"lamp"){comments(` + arguments + `){` + page + `}}}`) // planning remembers what it reads
		alone, trips := cost(`{product(id:"lamp"){comments(` + arguments + `){` + page + `}}}`)
		whole, _ := cost(`{product(id:"lamp"){comments(` + arguments + `){` + page + ` totalCount facets{languageCounts{language count ratingCounts{rating count}} ratingCounts{rating count} withTextCount}}
			stats{totalCount averageRating ratingCounts{rating count} languageCounts{language count ratingCounts{rating count}}}}}`)
		testkit.Check(t, whole <= alone+0.5 && trips == 1, "%q: %g units, the page alone %g in %d round trips", filter, whole, alone, trips)
	}
}

// What an import keeps is read when it is asked for, of pages and of single comments.
func TestWhatAnImportKeeps(t *testing.T) {
	s := serve(t)
	list := apitest.Comments(3)
	yes, no, n := true, false, 12
	list[0].VerifiedPurchase, list[0].Helpful = &yes, &n
	list[1].VerifiedPurchase = &no
	s.Fill(t, list...)
	s.Want(t, `{product(id:"42"){comments{nodes{commentId verifiedPurchase helpful}}}}`,
		`{"product":{"comments":{"nodes":[{"commentId":"c002","verifiedPurchase":null,"helpful":null},{"commentId":"c001","verifiedPurchase":false,"helpful":null},{"commentId":"c000","verifiedPurchase":true,"helpful":12}]}}}`)
	s.Want(t, `{comment(id:"c000"){verifiedPurchase helpful}}`, `{"comment":{"verifiedPurchase":true,"helpful":12}}`)
	a := s.Post(t, `{product(id:"42"){comments{nodes{commentId}}}}`, nil)
	testkit.Check(t, a.Extensions.Cost.ReadUnits == 0.5, "a page without them costs %g", a.Extensions.Cost.ReadUnits)
}

// While statistics are not kept, a language is not taken for one without regions.
func TestRegionsAreKnownOrRefused(t *testing.T) {
	s := serve(t)
	s.Fill(t, assorted()...)
	for _, query := range []string{
		`{product(id:"lamp"){comments(language:"en" filter:{includeRegions:true}){nodes{id}}}}`,
		`{product(id:"lamp"){comments(first:0 filter:{languages:["en","de"]}){totalCount}}}`,
	} {
		a := s.Post(t, query, nil)
		testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "UNAVAILABLE", "%s: %+v", query, a)
	}
	// Beyond what a filter may come to.
	var many []store.Comment
	for region := range strings.FieldsSeq("US GB AU CA NZ IE ZA IN SG PH HK MT JM BZ TT KE NG GH UG TZ ZM ZW BW NA MW LS SZ FJ PG CY LR") {
		many = append(many, apitest.Rated("desk", "en-"+region, [5]int{1})...)
	}
	s.Fill(t, many...)
	s.Project(t)
	s.WantError(t, `{product(id:"desk"){comments(language:"en" filter:{includeRegions:true}){nodes{id}}}}`, "BAD_USER_INPUT", "includeRegions")
}

// A language has one canonical tag in comments and filters, and includes its scripts and regions.
func TestScriptsAndRegionsOfALanguage(t *testing.T) {
	s := serve(t)
	var list []store.Comment
	for i, tag := range []string{"cmn-Hans", "zh-cmn-Hant-TW", "zh-HK", "yue", "sgn-us"} {
		canonical := testkit.Value(item.CanonicalLanguage("language", tag))(t)
		list = append(list, apitest.Rated("lamp", canonical, [5]int{1 << i})...)
	}
	s.Fill(t, list...)
	s.Project(t)
	for arguments, want := range map[string]int{
		`language:"zh",filter:{includeRegions:true}`: 7, `language:"cmn",filter:{includeRegions:true}`: 7,
		`language:"zh-Hant",filter:{includeRegions:true}`: 2, `language:"cmn-Hans"`: 1, `language:"zh"`: 0,
		`filter:{languages:["ase","zh-TW"],includeRegions:true}`: 18, `language:"sgn-US"`: 16,
	} {
		s.Want(t, `{product(id:"lamp"){comments(`+arguments+`){totalCount}}}`, fmt.Sprintf(`{"product":{"comments":{"totalCount":%d}}}`, want))
	}
}
