package model

import (
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/stats"
)

// LeaderboardEdge is a product's place in a leaderboard.
type LeaderboardEdge struct {
	Edge[Product, key.Rank]
	Scope stats.Scope // of the statistics that have the product's count
}

// LeaderboardConnection is a page of a leaderboard.
type LeaderboardConnection struct {
	Connection[Product, LeaderboardEdge]
}

// NewLeaderboardConnection returns the connection of a page of the leaderboard of
// a language, or of any if it is empty, that cursorOf belongs to.
func NewLeaderboardConnection(page list.Page[key.Rank], language string, cursorOf CursorOf[key.Rank]) *LeaderboardConnection {
	return &LeaderboardConnection{NewConnection(page, func(item int) LeaderboardEdge {
		r := page.Items[item]
		return LeaderboardEdge{
			Edge:  NewEdge(Product{ProductID: r.ProductID}, r, cursorOf),
			Scope: stats.Scope{ProductID: r.ProductID, Language: language},
		}
	})}
}
