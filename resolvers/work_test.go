package resolvers_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
)

// mostSpent is what one request may take.
var mostSpent = testkit.Spent{Processor: 500 * time.Millisecond, Bytes: 64 << 20}.Raced()

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
// comments in 130 languages, and choices has 400 attributes of 200 choices each.
func (s *service) evil(t testing.TB) {
	t.Helper()
	var list []store.Comment
	for _, tag := range tagsOf(130) {
		list = append(list, apitest.Rated("evil", tag, [5]int{1})...)
	}
	s.Fill(t, list...)
	s.Project(t)
	var many []attributes.Definition
	for i := range attributes.MaxDefinitions {
		many = append(many, manyChoices(fmt.Sprint("a", i), attributes.MaxOptions, 0))
	}
	for product, definitions := range map[string][]attributes.Definition{
		"choices": many,
		"labels":  {manyChoices("a", attributes.MaxOptions, attributes.MaxLabels)},
	} {
		testkit.Value(s.Store.Attributes().Define(t.Context(), attributes.Change{Scope: attributes.Scope{Product: product}, Definitions: definitions}))(t)
	}
}

// aliased is a field under so many names.
func aliased(field string, n int) string { return testkit.Each(n, "a%d:"+field) }

// usage returns the processor time of this process, and the bytes that it ever allocated.
func usage(t testing.TB) testkit.Spent {
	t.Helper()
	var u syscall.Rusage
	testkit.Must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return testkit.Spent{Processor: time.Duration(u.Utime.Nano() + u.Stime.Nano()), Bytes: int64(m.TotalAlloc + m.StackInuse)}
}

// Every request within the limits stays within half a second and 64 MB, also one that
// asks again and again for lists that no argument bounds.
func TestOneRequestIsBounded(t *testing.T) {
	s := serve(t)
	s.evil(t)
	evil := strings.Repeat(`"evil",`, 100)
	for name, query := range map[string]string{
		"ratings of languages, under many names": `{products(ids:[` + evil + `]){stats{languageCounts{ratingCounts{` + aliased("count", 90) + `}}}}}`,
		"ratings of languages":                   `{products(ids:[` + evil + `]){stats{languageCounts{ratingCounts{count}}}}}`,
		"as many of them as are answered":        `{products(ids:[` + strings.Repeat(`"evil",`, 15) + `]){stats{languageCounts{ratingCounts{rating}}}}}`,
		"names of types":                         `{products(ids:[` + evil + `]){stats{languageCounts{` + aliased("__typename", 7) + `}}}}`,
		"facets":                                 `{products(ids:[` + evil + `]){comments(first:0){facets{languages{ratingCounts{count}}}}}}`,
		"choices, under many names":              `{product(id:"choices"){attributes{` + aliased("choices{value}", 90) + `}}}`,
		"choices":                                `{product(id:"choices"){attributes{` + aliased("choices{value}", 2) + `}}}`,
		"labels":                                 `{product(id:"labels"){` + aliased("attributes{choices{labels{language label}}}", 8) + `}}`,
		"errors":                                 `{product(id:"choices"){attributes{` + aliased(`choices{label(language:"!")}`, 7) + `}}}`,
		"errors of one list":                     `{product(id:"labels"){` + aliased(`attributes{choices{`+aliased(`label(language:"!")`, 40)+`}}`, 2) + `}}`,
		"errors of languages":                    `{products(ids:[` + evil + `]){` + aliased(`comments(first:0,language:"!"){totalCount}`, 4) + `}}`,
		"products":                               `{` + aliased(`products(ids:[`+evil+`]){id}`, 40) + `}`,
		"the schema":                             `{__schema{` + aliased(`types{name fields{name description}}`, 12) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s.Post(t, `{product(id:"choices"){attributes{key}}}`, nil) // what is remembered
			spent := testkit.Least(mostSpent, func() testkit.Spent {
				runtime.GC()
				before := usage(t)
				a := s.Post(t, query, nil)
				after := usage(t)
				spent := testkit.Spent{Processor: after.Processor - before.Processor, Bytes: after.Bytes - before.Bytes}
				t.Logf("%d bytes of query, %d of data, %d errors: %v, %d MB; %.200v; %v", len(query), len(a.Data), len(a.Errors), spent.Processor, spent.Bytes>>20, a.Errors, a.Extensions.Cost)
				return spent
			})
			testkit.Check(t, spent.Within(mostSpent), "%s: %v of processor and %d MB", name, spent.Processor, spent.Bytes>>20)
		})
	}
}
