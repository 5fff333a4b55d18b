package resolvers_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
)

// maxSpent is what one request may take.
var maxSpent = testkit.Spent{Processor: 500 * time.Millisecond, Bytes: 64 << 20}.Raced()

// tagsOf makes so many tags.
func tagsOf(n int) (tags []string) {
	for _, language := range strings.Fields("ar cs da de el en es fi fr he hu it ja ko nl no pl pt ro ru sv tr uk zh") {
		for _, region := range strings.Fields("AT AU BE CA CH DE ES FR GB IE IT US") {
			tags = append(tags, language+"-"+region)
		}
	}
	return tags[:n]
}

// manyChoices makes an attribute with so many choices, each with labels in so many
// languages.
func manyChoices(key string, n, labels int) attributes.Definition {
	of := func(text string) (list []attributes.Label) {
		for _, tag := range tagsOf(labels) {
			list = append(list, attributes.Label{Language: tag, Text: text})
		}
		return list
	}
	d := attributes.Definition{Key: key, Type: attributes.Choice, Labels: of(key)}
	for i := range n {
		value := fmt.Sprint("choice ", i)
		d.Options = append(d.Options, attributes.Option{Value: value, Labels: of(value)})
	}
	return d
}

// evil fills a service with products whose lists are as long as they may be: evil has
// comments in 130 languages, and choices has 400 attributes of 200 choices each. Other products
// have texts of each size.
func (s *service) evil(t testing.TB) {
	t.Helper()
	var list []store.Comment
	for _, tag := range tagsOf(130) {
		list = append(list, apitest.Rated("evil", tag, [5]int{1})...)
	}
	list = append(list, numberedComments(6000)...)
	list = append(list, s.sizedComments(t)...)
	for part := range slices.Chunk(list, 1000) { // one flush of all lasts too long on a busy machine
		s.Fill(t, part...)
		s.Project(t)
	}
	var many []attributes.Definition
	for i := range attributes.MaxDefinitions {
		many = append(many, manyChoices(fmt.Sprint("a", i), attributes.MaxOptions, 0))
	}
	for product, list := range map[string][]attributes.Definition{
		"choices": many,
		"labels":  {manyChoices("a", attributes.MaxOptions, attributes.MaxLabels)},
	} {
		testkit.Value(s.Store.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: product}, Definitions: list}))(t)
	}
}

// sizes are texts of comments, each of products of its own: many short ones and few long ones.
var sizes = []struct {
	name            string
	comments, bytes int
}{{"no text", 3000, 0}, {"50 bytes", 3000, 50}, {"300 bytes", 1500, 300}, {"5 KB", 600, 5000}, {"the longest", 150, 80_000}}

// sizedComments makes comments of each of the sizes, with two attributes, and defines those.
func (s *service) sizedComments(t testing.TB) (list []store.Comment) {
	random := rand.NewChaCha8([32]byte{})
	for _, size := range sizes {
		testkit.Value(s.Store.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: size.name}, Definitions: []attributes.Definition{
			{Key: "fit", Type: attributes.Number, Shown: true}, {Key: "width", Type: attributes.Number},
		}}))(t)
		testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), size.name, true, nil))
		for i, c := range apitest.Comments(size.comments) {
			c.ProductID, c.ID, c.Text = size.name, fmt.Sprint(size.name, i), sized(random, size.bytes)
			c.Attributes = fmt.Appendf(nil, `{"fit":%d,"width":%d}`, i, i)
			list = append(list, c)
		}
	}
	return list
}

// sized makes a text of so many bytes, which compression leaves as it is.
func sized(random *rand.ChaCha8, bytes int) string {
	if bytes == 80_000 { // in as many characters as a text may have
		return strings.Repeat("𝒜", bytes/4)
	}
	noise := make([]byte, bytes/4*3)
	_, _ = random.Read(noise)
	return base64.StdEncoding.EncodeToString(noise)
}

// ofSizes are queries of a product with texts of one size, by what they ask for.
var ofSizes = map[string]string{
	"counts by an attribute":   testkit.Each(90, `a%[1]d:comments(first:0,filter:{attributes:[{key:"fit",min:"%[1]d.5"}]}){totalCount}`),
	"facets by an attribute":   testkit.Each(90, `a%[1]d:comments(first:0,filter:{attributes:[{key:"fit",max:"2%02[1]d"}]}){facets{withTextCount}}`),
	"facets by two":            testkit.Each(90, `a%[1]d:comments(first:0,filter:{attributes:[{key:"fit",max:"9%02[1]d"},{key:"width",min:"%[1]d"}]}){facets{withTextCount}}`),
	"pages by an attribute":    testkit.Each(90, `a%[1]d:comments(first:1,filter:{attributes:[{key:"fit",max:"9%02[1]d"}]}){nodes{id}}`),
	"pages by two":             testkit.Each(90, `a%[1]d:comments(first:1,filter:{attributes:[{key:"fit",max:"9%02[1]d"},{key:"width",min:"850"}]}){nodes{id}}`),
	"ordered by an attribute":  testkit.Each(50, `a%[1]d:comments(first:60,orderBy:{field:ATTRIBUTE,attribute:"width",direction:ASC},filter:{createdAfter:"2026-01-01T00:%02[1]d:00Z"}){__typename}`),
	"pages of few of many":     testkit.Each(60, `a%[1]d:comments(first:1,filter:{verifiedOnly:true,createdAfter:"2026-01-01T00:%02[1]d:00Z"}){nodes{id}}`),
	"pages":                    testkit.Each(60, `a%[1]d:comments(first:100,filter:{createdAfter:"2026-01-01T00:%02[1]d:00Z"}){__typename}`),
	"pages of ratings":         testkit.Each(60, `a%[1]d:comments(first:100,ratings:[1,3,5],filter:{createdAfter:"2026-01-01T00:%02[1]d:00Z"}){__typename}`),
	"a text under many names":  `comments(first:90){nodes{` + aliased("text", 9) + `}}`,
	"a page of every text":     `comments(first:100){nodes{id title text}}`,
	"texts of many pages":      testkit.Each(50, `a%[1]d:comments(first:14,filter:{createdAfter:"2026-01-01T00:%02[1]d:00Z"}){nodes{text}}`),
	"fields under many names":  `comments(first:100){nodes{` + aliased("id", 40) + `}}`,
	"attributes of many pages": testkit.Each(9, `a%[1]d:comments(first:70,filter:{createdAfter:"2026-01-01T00:%02[1]d:00Z"}){nodes{attributes{value}}}`),
	"votes":                    `comments(first:100){nodes{helpfulCount viewerVote viewerHasReported}}`,
}

// numberedComments makes so many comments of a product, in 191 languages, an hour apart.
func numberedComments(n int) []store.Comment {
	list, tags := apitest.Comments(n), tagsOf(191)
	for i := range list {
		list[i].ProductID, list[i].ID, list[i].Language = "numbers", fmt.Sprint("n", i), tags[i*37%191]
		list[i].CreatedAt, list[i].Rating = oldestNumbered.Add(time.Duration(i)*time.Hour), 1+i%5
	}
	return list
}

var oldestNumbered = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// between is arguments for the n-th of some ranges of numberedComments.
func between(n int) string {
	at := func(hours int) string {
		return oldestNumbered.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339)
	}
	return fmt.Sprintf("filter:{createdAfter:%q,createdBefore:%q}", at(n*59%2900), at(6000-n*61%2900))
}

// eachBetween is a list of comments between so many times.
func eachBetween(n int, rest string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d:comments("+rest, i, between(i))
	}
	return b.String()
}

// numbered selects fields of numberedComments, so often.
func numbered(times int, fields string) string {
	return `{products(ids:[` + strings.Repeat(`"numbers",`, times) + `]){` + fields + `}}`
}

// aliased is a field under so many names.
func aliased(field string, n int) string { return testkit.Each(n, "a%d:"+field) }

// Every request within the limits stays within half a second and 64 MB, also one that
// asks again and again for lists that no argument bounds, with texts of any size. The bytes are all
// that the process allocates for it, garbage too, as if the collector never ran.
func TestOneRequestIsBounded(t *testing.T) {
	testkit.Long(t, "it measures time of the processor")
	// Like production, it reads the engine itself.
	s := serve(t, func(c *httpapi.Config) {
		c.Store = store.New(storetest.Client(t), c.Store.Projector().Table().Name(), store.Options{})
	})
	s.evil(t)
	evil := strings.Repeat(`"evil",`, 100)
	queries := map[string]string{
		"ratings of languages, under many names": `{products(ids:[` + evil + `]){stats{languageCounts{ratingCounts{` + aliased("count", 90) + `}}}}}`,
		"ratings of languages":                   `{products(ids:[` + evil + `]){stats{languageCounts{ratingCounts{count}}}}}`,
		"as many of them as are answered":        `{products(ids:[` + strings.Repeat(`"evil",`, 15) + `]){stats{languageCounts{ratingCounts{rating}}}}}`,
		"names of types":                         `{products(ids:[` + evil + `]){stats{languageCounts{` + aliased("__typename", 7) + `}}}}`,
		"facets":                                 `{products(ids:[` + evil + `]){comments(first:0){facets{languageCounts{ratingCounts{count}}}}}}`,
		"choices, under many names":              `{product(id:"choices"){attributes{` + aliased("choices{value}", 90) + `}}}`,
		"choices":                                `{product(id:"choices"){attributes{` + aliased("choices{value}", 2) + `}}}`,
		"labels":                                 `{product(id:"labels"){` + aliased("attributes{choices{labels{language label}}}", 8) + `}}`,
		"errors":                                 `{product(id:"choices"){attributes{` + aliased(`choices{label(language:"!")}`, 7) + `}}}`,
		"errors of one list":                     `{product(id:"labels"){` + aliased(`attributes{choices{`+aliased(`label(language:"!")`, 40)+`}}`, 2) + `}}`,
		"errors of languages":                    `{products(ids:[` + evil + `]){` + aliased(`comments(first:0,language:"!"){totalCount}`, 4) + `}}`,
		"products":                               `{` + aliased(`products(ids:[`+evil+`]){id}`, 40) + `}`,
		"counts between times":                   numbered(80, eachBetween(5, `first:0,%s){totalCount}`)),
		"the same of a language":                 numbered(80, eachBetween(5, `first:0,language:"de-AT",%s){totalCount}`)),
		"counts between many times":              numbered(4, eachBetween(90, `first:0,%s){totalCount}`)),
		"facets between times":                   numbered(1, eachBetween(30, `first:0,%s){facets{languageCounts{count}}}`)),
		"facets between many times":              numbered(4, eachBetween(90, `first:0,%s){facets{withTextCount}}`)),
		"timelines":                              numbered(100, `stats{timeline(by:YEAR){count}}`),
		"pages":                                  numbered(2, testkit.Each(99, `a%d:comments(page:1%02[1]d1,first:1){nodes{id}}`)),
		"pages by rating":                        numbered(1, testkit.Each(99, `a%d:comments(page:1%02[1]d1,first:1,orderBy:{field:RATING,direction:ASC}){offset nodes{id}}`)),
		"pages around":                           numbered(1, testkit.Each(50, `a%d:comments(around:"n%[1]d71",first:1,orderBy:{field:RATING,direction:ASC}){offset pageCursors{first{page}} nodes{id}}`)),
		"the schema":                             `{__schema{` + aliased(`types{name fields{name description}}`, 12) + `}}`,
	}
	for _, size := range sizes {
		for name, fields := range ofSizes {
			queries[name+", "+size.name] = fmt.Sprintf(`{product(id:%q){%s}}`, size.name, fields)
		}
		text := sized(rand.NewChaCha8([32]byte{}), size.bytes)
		queries["mutations, "+size.name] = "mutation{" + testkit.Each(5, `a%d:createComment(input:{productId:"written",rating:5,language:"en",text:"`+text+`"}){comment{id text}}`) + "}"
	}
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			s.Post(t, `{product(id:"choices"){attributes{key}}}`, nil) // what is remembered
			spent := testkit.Least(maxSpent, func() testkit.Spent {
				var a apitest.Answer
				spent := testkit.Measure(t, func() { a = s.Post(t, query, nil) })
				t.Logf("%d bytes of query, %d of data, %d errors: %v, %d MB; %.200v; %v", len(query), len(a.Data), len(a.Errors), spent.Processor, spent.Bytes>>20, a.Errors, a.Extensions.Cost)
				return spent
			})
			testkit.Check(t, spent.Within(maxSpent), "%s: %v of processor and %d MB", name, spent.Processor, spent.Bytes>>20)
		})
	}
}

// wantKeys fails unless a request reads so many keys, in one batch or a few.
func (s *service) wantKeys(t *testing.T, what, query string, keys int) {
	t.Helper()
	sum := 0
	batches := s.Batches.Fewest(func() {
		a := s.Post(t, query, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", what, a.Errors)
	})
	for _, n := range batches {
		sum += n
	}
	testkit.Check(t, sum == keys && len(batches) <= 1+keys/5, "%s: batches of %v, want %d keys", what, batches, keys)
}

// Reads of sibling fields are put into batches, usually into one.
func TestLoaders(t *testing.T) {
	s := serve(t)
	list := apitest.Comments(120)
	for i := range list {
		list[i].ProductID = fmt.Sprint(i % 3)
		if i%2 == 0 {
			list[i].Text = strings.Repeat("long", item.InlineText)
		}
	}
	s.Fill(t, list...)
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "Comment:c%03d", i))))
	}
	s.wantKeys(t, "nodes", `{nodes(ids:[`+strings.Join(ids, ",")+`]){id}}`, 100)
	s.wantKeys(t, "comments", `{a:comment(id:"c001"){id product{id}} b:comment(id:"c001"){text} c:comment(id:"c002"){id}}`, 2)
	const pages = `{products(ids:["0","1","2"]){comments(first:10){%s}}}`
	s.wantKeys(t, "long texts", fmt.Sprintf(pages, "nodes{text}"), 15)
	s.wantKeys(t, "long texts through fragments", fmt.Sprintf(pages, "edges{node{...F}}")+`
		fragment F on Comment{...on Node{...on Comment{t:text}}}`, 15)
	s.wantKeys(t, "no texts", fmt.Sprintf(pages, "nodes{title} edges{node{text @skip(if:true)}}"), 0)
	a := s.Post(t, `{product(id:"0"){comments(first:2){nodes{commentId text}}}}`, nil)
	for i := range 2 {
		id, text := a.At(t, "product", "comments", "nodes", i, "commentId").(string),
			a.At(t, "product", "comments", "nodes", i, "text").(string)
		for _, c := range list {
			testkit.Check(t, c.ID != id || c.Text == text, "%s: %d of %d bytes", id, len(text), len(c.Text))
		}
	}
}

func TestCostOfListsAndStatistics(t *testing.T) {
	s := serve(t)
	wantCost := func(query string, want int) {
		t.Helper()
		a := s.WantError(t, query, "BAD_USER_INPUT", "")
		e := a.Errors[0].Extensions
		testkit.Check(t, e["reason"] == "cost" && e["value"] == float64(want), "%.60s… costs %v, want %d", query, e["value"], want)
	}
	ids := func(n int) string { return strings.Repeat(`"1",`, n) }
	// A leaderboard costs 20, and for each of 100 products 1 and what is selected of
	// it. Statistics cost 5 and their fields.
	wantCost(`{leaderboard(first:100){nodes{stats{totalCount averageRating} comments(first:30){nodes{id}}}}}`,
		20+100*(1+1+5+2+20+30*3))
	// A total count costs 5 for each page, not for each comment on it.
	wantCost(`{products(ids:[`+ids(100)+`]){comments(first:40){totalCount nodes{id}}}}`, 100*(20+5+40*3))
	wantCost(`{products(ids:[`+ids(100)+`]){a:comments(first:0){...F} b:comments(first:50){...F}}}
		fragment F on CommentConnection{totalCount pageInfo{endCursor} nodes{id}}`,
		100*((20+5+2)+(20+5+2+50*3)))
	wantCost(`{products(ids:[`+ids(100)+`]){`+strings.Repeat(`a:stats{totalCount} `, 20)+`}}`, 100*20*6)
	// An order with several ranges costs twice its reads.
	wantCost(`{products(ids:[`+ids(100)+`]){comments(first:50,orderBy:{field:RATING,direction:ASC}){nodes{id}}}}`, 100*(40+50*3))
	// Whatever is selected of a page, its items are read; a text weighs under each name.
	wantCost(`{products(ids:[`+ids(100)+`]){comments(first:100){__typename}}}`, 100*(20+100+1))
	wantCost(`{product(id:"42"){comments(first:100){nodes{a:text b:text c:text d:text e:text f:text g:text h:text i:text j:text}}}}`,
		1+20+100*(1+1+100))
	// What front ends ask for is allowed.
	s.Project(t)
	for _, query := range []string{
		`{leaderboard(first:100){edges{cursor fiveStarCount
			node{id productId stats{totalCount averageRating ratingCounts{rating count} languageCounts{language count}}}}
			pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`,
		`{products(ids:[` + ids(100) + `]){productId stats{totalCount averageRating ratingCounts{rating count}
			languageCounts{language count}}}}`,
		`{products(ids:[` + ids(20) + `]){productId stats{totalCount averageRating}
			comments{nodes{id rating language title text author createdAt} pageInfo{endCursor hasNextPage} totalCount}}}`,
		`{product(id:"42"){comments(first:100){totalCount
			edges{cursor node{id commentId product{id productId} rating language title text author createdAt updatedAt version}}
			pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`,
	} {
		a := s.Post(t, query, nil)
		testkit.Check(t, len(a.Errors) == 0, "%.60s: %+v", query, a.Errors)
	}
}

func TestMain(m *testing.M) { storetest.Main(m) }

// service is apitest's, with the queries of this package's tests.
type service struct{ *apitest.Service }

func serve(t testing.TB, change ...func(*httpapi.Config)) *service {
	t.Helper()
	return &service{apitest.Serve(t, change...)}
}
