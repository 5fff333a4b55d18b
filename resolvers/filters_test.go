package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
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
	}
	return list
}

// choice is a filter as a client spells it.
type choice struct {
	arguments      string
	filter         string   // the members of the argument filter
	languages      []string // that pass; none is any
	ratings        []int
	text, verified bool
}

func (c choice) has(of store.Comment, languages, ratings, text, verified bool) bool {
	return (!languages || len(c.languages) == 0 || slices.Contains(c.languages, of.Language)) &&
		(!ratings || len(c.ratings) == 0 || slices.Contains(c.ratings, of.Rating)) && (!text || !c.text || of.Text != "") && (!verified || !c.verified || of.IsVerified())
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
			for _, which := range []stats.Which{0, stats.Text, stats.Verified, stats.Text | stats.Verified} {
				c := choice{l.language, l.filter, l.languages, ratings, which.Has(stats.Text), which.Has(stats.Verified)}
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
				out = append(out, c)
			}
		}
	}
	return out
}

// Every combination of languages, regions, ratings, texts and purchases shows and counts exactly
// what passes, in one order under one cursor, and tells what other choices would.
func TestFilters(t *testing.T) {
	s := serve(t)
	list := assorted()
	s.Fill(t, list...)
	s.Project(t)
	slices.SortFunc(list, func(a, b store.Comment) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	type facet struct {
		Language      string
		Rating, Count int
	}
	type connection struct {
		TotalCount int
		Nodes      []struct{ CommentID string }
		PageInfo   struct {
			HasNextPage bool
			EndCursor   string
		}
		Facets struct {
			LanguageCounts, RatingCounts                                    []facet
			WithTextCount, WithoutTextCount, VerifiedCount, UnverifiedCount int
		}
	}
	read := func(t *testing.T, arguments string) (c connection) {
		t.Helper()
		a := s.Post(t, `{product(id:"lamp"){comments(`+arguments+`){totalCount nodes{commentId} pageInfo{hasNextPage endCursor}
			facets{languageCounts{language count} ratingCounts{rating count} withTextCount withoutTextCount verifiedCount unverifiedCount}}}}`, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
		var data struct{ Product struct{ Comments connection } }
		testkit.Must(t, json.Unmarshal(a.Data, &data))
		return data.Product.Comments
	}
	for _, c := range choices() {
		arguments := c.arguments + "filter:{" + c.filter + "},"
		t.Run(arguments, func(t *testing.T) {
			count := func(pass func(store.Comment) bool) (n int) {
				for _, of := range list {
					if pass(of) {
						n++
					}
				}
				return n
			}
			var want, got []string
			for _, of := range list {
				if c.has(of, true, true, true, true) {
					want = append(want, of.ID)
				}
			}
			for after := ""; ; {
				page := read(t, arguments+`first:12,after:"`+after+`"`)
				for _, n := range page.Nodes {
					got = append(got, n.CommentID)
				}
				if more := len(got) < len(want); page.PageInfo.HasNextPage != more || page.TotalCount != len(want) {
					t.Fatalf("after %d of %d: more follow %t, total %d", len(got), len(want), page.PageInfo.HasNextPage, page.TotalCount)
				}
				if !page.PageInfo.HasNextPage {
					break
				}
				after = page.PageInfo.EndCursor
			}
			testkit.Check(t, slices.Equal(got, want), "got %v, want %v", got, want)
			facets := read(t, arguments+"first:0").Facets
			for _, f := range facets.LanguageCounts {
				testkit.Equal(t, count(func(of store.Comment) bool { return of.Language == f.Language && c.has(of, false, true, true, true) }), f.Count, "in %s", f.Language)
			}
			for _, f := range facets.RatingCounts {
				testkit.Equal(t, count(func(of store.Comment) bool { return of.Rating == f.Rating && c.has(of, true, false, true, true) }), f.Count, "rated %d", f.Rating)
			}
			with := count(func(of store.Comment) bool { return of.Text != "" && c.has(of, true, true, false, true) })
			without := count(func(of store.Comment) bool { return of.Text == "" && c.has(of, true, true, false, true) })
			verified := count(func(of store.Comment) bool { return of.IsVerified() && c.has(of, true, true, true, false) })
			others := count(func(of store.Comment) bool { return !of.IsVerified() && c.has(of, true, true, true, false) })
			testkit.Check(t, facets.VerifiedCount == verified && facets.UnverifiedCount == others, "facets %+v, want %d by buyers and %d by others", facets, verified, others)
			if facets.WithTextCount != with || facets.WithoutTextCount != without || len(facets.LanguageCounts) != 4 || len(facets.RatingCounts) != 5 {
				t.Errorf("facets %+v, want %d with a text and %d without", facets, with, without)
			}
		})
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
