package httpapi

// ExampleQuery is the query that the playground opens with and the README shows.
const ExampleQuery = `# The newest English comments with 4 or 5 stars.
{
  product(id: "42") {
    comments(language: "en", ratings: [4, 5], first: 3) {
      edges {
        cursor
        node {
          rating
          title
          text
          author
          createdAt
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
`
