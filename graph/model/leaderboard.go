package model

import (
	"product-comments/store"
	"product-comments/store/key"
)

// LeaderboardConnection is a page of a leaderboard.
type LeaderboardConnection struct {
	page     store.RankPage
	cursorOf CursorOf[key.Rank]
}

// NewLeaderboardConnection wraps a page of the leaderboard that cursorOf belongs to.
func NewLeaderboardConnection(page store.RankPage, cursorOf CursorOf[key.Rank]) LeaderboardConnection {
	return LeaderboardConnection{page: page, cursorOf: cursorOf}
}

func (c LeaderboardConnection) edge(i int) LeaderboardEdge {
	return LeaderboardEdge{rank: c.page.Ranks[i], cursorOf: c.cursorOf}
}

// Edges returns the products with their cursors and counts.
func (c LeaderboardConnection) Edges() []LeaderboardEdge {
	edges := make([]LeaderboardEdge, len(c.page.Ranks))
	for i := range edges {
		edges[i] = c.edge(i)
	}
	return edges
}

// Nodes returns the products alone.
func (c LeaderboardConnection) Nodes() []Product {
	nodes := make([]Product, len(c.page.Ranks))
	for i := range nodes {
		nodes[i] = c.edge(i).Node()
	}
	return nodes
}

// PageInfo tells whether there is more, and where.
func (c LeaderboardConnection) PageInfo() PageInfo {
	info := PageInfo{HasNextPage: c.page.HasNext, HasPreviousPage: c.page.HasPrevious}
	if n := len(c.page.Ranks); n > 0 {
		info.start, info.end = c.edge(0).Cursor, c.edge(n-1).Cursor
	}
	return info
}

// LeaderboardEdge is a product's place in a leaderboard.
type LeaderboardEdge struct {
	rank     key.Rank
	cursorOf CursorOf[key.Rank]
}

// Node returns the product.
func (e LeaderboardEdge) Node() Product { return Product{ProductID: e.rank.ProductID} }

// FiveStarCount returns how many of its comments are rated 5.
func (e LeaderboardEdge) FiveStarCount() int { return e.rank.FiveStars }

// Cursor returns the token for after and before.
func (e LeaderboardEdge) Cursor() (string, error) { return e.cursorOf(e.rank) }
