// Command shop walks all pages of some ratings with the client that genqlient wrote.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/Khan/genqlient/graphql"
)

func main() {
	client := graphql.NewClient(os.Args[1], http.DefaultClient)
	ratings, found := []int{4, 5}, 0
	var after *string
	for {
		answer, err := Reviews(context.Background(), client, "42", ratings, after)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		page := answer.Product.Comments
		found += len(page.Nodes)
		if !page.PageInfo.HasNextPage {
			break
		}
		after = page.PageInfo.EndCursor
	}
	if found != 20 {
		fmt.Fprintln(os.Stderr, found, "comments, want 20")
		os.Exit(1)
	}
}
