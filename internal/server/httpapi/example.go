package httpapi

import (
	"embed"

	"product-comments/access"
	"product-comments/internal/site/playground"
)

// queries are the documents of the playground's tabs.
//
//go:embed examples/*.graphql
var queries embed.FS

// Example returns the document of a tab. The playground opens with newest-comments.
func Example(name string) string {
	text, err := queries.ReadFile("examples/" + name + ".graphql")
	if err != nil { // the files are embedded
		panic(err)
	}
	return string(text)
}

// tabs are the tabs of the playground. Some show people and comments of the demo, and need a token
// of a role. Of the others only write-comment needs a token. It is about another product, so that
// the other tabs still show the results in the README.
var tabs = []struct {
	name string
	as   access.Role // Anonymous for any viewer
}{
	{name: "newest-comments"}, {name: "next-page"}, {name: "page-numbers"}, {name: "critics-in-two-languages"},
	{name: "most-comfortable-green"}, {name: "most-helpful"}, {name: "critics-by-purchase-date"},
	{name: "counts-and-top-products"}, {name: "write-comment"}, {name: "how-a-page-is-read"},
	{"my-orders-and-comments", access.Author}, {"unpaid-orders", access.Moderator}, {"mark-as-delivered", access.Service},
	{"comments-to-moderate", access.Moderator}, {"approve-reject-reply", access.Moderator},
}

// examples returns the tabs that need no token, or a token in tokens.
func examples(tokens map[access.Role]string) (list []playground.Tab) {
	for _, tab := range tabs {
		if token := tokens[tab.as]; token != "" || tab.as == access.Anonymous {
			list = append(list, playground.Tab{Query: Example(tab.name), Token: token})
		}
	}
	return list
}
