package httpapi

import "product-comments/graph/playground"

// ExampleQuery is the query that the playground opens with and the README shows.
const ExampleQuery = `# The newest English comments with 4 or 5 stars.
query NewestComments {
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

// GridQuery is the query of the README's that has an order and a filter by attributes.
const GridQuery = `# The most comfortable green ones, and what else
# their comments say. Equals are newest first.
query Grid {
  product(id: "42") {
    comments(
      orderBy: {field: ATTRIBUTE, attribute: "comfort", direction: DESC}
      attributes: [{key: "colour", equals: ["green"]}]
      first: 2
    ) {
      totalCount
      nodes {
        rating
        title
        attributes {
          definition { label }
          value
        }
      }
    }
  }
}
`

// exampleQueries are the tabs of the playground. The mutation is about another
// product than the others, so that these still show what the README says.
var exampleQueries = []string{ExampleQuery, `# The page after that of NewestComments:
# after takes the endCursor of its answer.
query NextPage {
  product(id: "42") {
    comments(language: "en", ratings: [4, 5], first: 3,
      after: "` + playground.EndCursor + `") {
      nodes {
        rating
        title
        createdAt
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        endCursor
      }
    }
  }
}
`, `# Critics in two languages, and the counts
# that controls of such a filter show.
query Filters {
  product(id: "42") {
    comments(languages: ["en", "de"], ratings: [1, 2],
      withText: true, first: 5) {
      totalCount
      facets {
        languages { language count }
        ratings { rating count }
        withText
      }
      nodes {
        rating
        language
        title
      }
    }
  }
}
`, GridQuery, `# The comments that most visitors found helpful.
# voteHelpful is the mutation that counts there.
query MostHelpful {
  product(id: "42") {
    comments(orderBy: {field: HELPFUL, direction: DESC}, first: 5) {
      nodes {
        helpfulCount
        unhelpfulCount
        rating
        title
      }
    }
    attributeStats(key: "comfort") {
      average
      histogram { from count }
    }
  }
}
`, `# A moderator's table: any column is its order,
# and ratings, languages and attributes filter it.
query Moderation {
  product(id: "42") {
    attributes { key type label }
    comments(
      orderBy: {field: ATTRIBUTE, attribute: "bought", direction: ASC}
      ratings: [1, 2]
      first: 10
    ) {
      nodes {
        commentId
        rating
        language
        title
        attributes { definition { key } value }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}
`, `# Counts are kept, not counted when asked for.
query Statistics {
  product(id: "42") {
    stats {
      totalCount
      averageRating
      ratingCounts { rating count }
      languageCounts { language count }
    }
    comments(language: "en", ratings: [4, 5], first: 0) {
      totalCount
    }
  }
  leaderboard(first: 5) {
    edges {
      fiveStarCount
      node { productId }
    }
  }
}
`, `# Writing needs a token: see Headers, below.
# The key makes it safe to send again.
mutation WriteComment {
  createComment(input: {
    productId: "7"
    rating: 5
    language: "en"
    title: "Written in the playground"
    text: "It took one click."
    author: "Ada"
    idempotencyKey: "playground"
  }) {
    comment {
      commentId
      createdAt
      product { stats { totalCount } }
    }
  }
}
`, `# How a page was read, what that cost, and
# why other ways lost. Servers show it with
# --explain; the demo does.
query Plan {
  product(id: "42") {
    comments(language: "en", ratings: [1, 4, 5], first: 20) {
      plan {
        strategy
        actual { readUnits queries }
        lines
      }
    }
  }
}
`}
