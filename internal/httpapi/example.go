package httpapi

import (
	"product-comments/access"
	"product-comments/graph/playground"
)

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

// OrdersQuery is the query of the README's that a person asks about themselves.
const OrdersQuery = `# What you ordered and wrote, whether you bought it,
# and what others do not see of it.
query Orders {
  user(username: "demo") {
    orders(
      status: SHIPPED
      shippedAfter: "2026-06-01T00:00:00Z"
    ) {
      nodes {
        orderId
        shippedAt
        lines { quantity product { productId } }
      }
    }
    comments(createdBefore: "2026-07-01T00:00:00Z") {
      nodes {
        title
        verifiedPurchase
        status
        statusReason
      }
    }
  }
}
`

// examples returns the tabs of the playground, of which some need the token of a role.
func examples(tokens map[access.Role]string) (tabs []playground.Tab) {
	for _, query := range openExamples {
		tabs = append(tabs, playground.Tab{Query: query})
	}
	for _, e := range personalExamples {
		if token := tokens[e.as]; token != "" {
			tabs = append(tabs, playground.Tab{Query: e.query, Token: token})
		}
	}
	return tabs
}

// personalExamples are about people and comments of the demo, for whoever has a role.
var personalExamples = []struct {
	as    access.Role
	query string
}{{access.Author, OrdersQuery}, {access.Moderator, `# The orders that wait: placed, and not yet paid.
# This tab has a moderator's token, see Headers.
query OpenOrders {
  openOrders(first: 5) {
    nodes {
      orderId
      placedAt
      user { username }
      lines {
        quantity
        product { productId }
        unitPrice { amount currency }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`}, {access.Service, `# What a program of the shop tells, as often as it
# likes. The comment about product 13 follows: send
# it once more, and it is a buyer's.
mutation Deliver {
  setOrderStatus(input: {
    orderId: "demo-alice-0"
    status: DELIVERED
    at: "2026-06-30T12:00:00Z"
  }) {
    order {
      status
      lines { product { productId } }
      user {
        username
        comments {
          nodes { product { productId } verifiedPurchase }
        }
      }
    }
  }
}
`}, {access.Moderator, `# What waits for a moderator, and why; and what
# is shown although people reported it.
query Queue {
  moderationQueue(first: 10) {
    counts { status count }
    nodes {
      commentId
      statusReason
      title
      text
    }
  }
  shown: moderationQueue(state: PUBLISHED) {
    nodes {
      commentId
      reportCount
      reports { by reason }
      title
      text
    }
  }
}
`}, {access.Moderator, `# Decisions about what Queue shows, and a reply.
# They may be repeated.
mutation Decide {
  approveComment(input: {id: "own-dan-1"}) {
    comment { status }
  }
  rejectComment(input: {
    id: "own-oscar-1"
    reason: "It is an advertisement."
  }) {
    comment {
      status
      history { from to by reason }
    }
  }
  replyToComment(input: {
    id: "own-alice-0"
    text: "It is on its way!"
  }) {
    comment { reply { text } }
  }
}
`}}

// openExamples need no role, but for the mutation, which needs any token. It is about
// another product than the others, so that these still show what the README says.
var openExamples = []string{ExampleQuery, `# The page after that of NewestComments:
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
`, `# A shop's table: any column is its order, and
# ratings, languages and attributes filter it.
query Table {
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
      status
      verifiedPurchase
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
