package model

import (
	"product-comments/store/key"
	"product-comments/store/list"
)

// LeaderboardEdge is a product's place in a leaderboard.
type LeaderboardEdge struct {
	Edge[Product, key.Rank]
}

// FiveStarCount returns how many of the product's comments are rated 5.
func (e LeaderboardEdge) FiveStarCount() int { return e.place.FiveStars }

// LeaderboardConnection is a page of a leaderboard.
type LeaderboardConnection struct {
	Connection[Product, LeaderboardEdge]
}

// NewLeaderboardConnection returns the connection of a page of the leaderboard
// that cursorOf belongs to.
func NewLeaderboardConnection(page list.Page[key.Rank], cursorOf CursorOf[key.Rank]) LeaderboardConnection {
	return LeaderboardConnection{NewConnection(page, func(r *key.Rank) LeaderboardEdge {
		return LeaderboardEdge{NewEdge(Product{ProductID: r.ProductID}, *r, cursorOf)}
	})}
}
