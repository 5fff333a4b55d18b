package model

import (
	"time"

	"product-comments/graph/globalid"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/orders"
)

// Order is the schema's type Order; from a list it has no lines.
type Order struct{ orders.Order }

// IsNode marks a type of the interface Node.
func (Order) IsNode() {}

// ID returns the global id.
func (o Order) ID() string { return globalid.Of(globalid.Order, o.Order.ID) }

// OrderID returns the text of the shop's own id.
func (o Order) OrderID() string { return globalid.Text(globalid.Order, o.Order.ID) }

// User returns the user of the order.
func (o Order) User() User { return User{Subject: o.Username} }

// PlacedAt returns when the order was placed.
func (o Order) PlacedAt() time.Time { return o.Times.Get(orders.Placed) }

// ShippedAt returns when the order was shipped; nil if that is unknown.
func (o Order) ShippedAt() *time.Time { return orNil(new(o.Times.Get(orders.Shipped))) }

// DeliveredAt returns when the order was delivered; nil if that is unknown.
func (o Order) DeliveredAt() *time.Time { return orNil(new(o.Times.Get(orders.Delivered))) }

// OrderPayload is the payload of mutations that change an order.
type OrderPayload struct {
	Order Order
	Query Query
}

// OrderEdge is an order in a list.
type OrderEdge struct {
	Edge[Order, key.Position]
}

// OrderConnection is a page of a list of orders.
type OrderConnection struct {
	Connection[Order, OrderEdge]
}

// NewOrderConnection returns the connection of a page of orders, whose cursors cursorOf makes.
func NewOrderConnection(page *orders.Page, cursorOf CursorOf[key.Position]) *OrderConnection {
	return &OrderConnection{NewConnection(page.Page, func(i int) OrderEdge {
		return OrderEdge{NewEdge(Order{page.Items[i]}, page.Position(i), cursorOf)}
	})}
}

// LeaderboardEdge is a product in a leaderboard.
type LeaderboardEdge struct {
	Edge[Product, key.Rank]
	Scope store.Scope // of the statistics with the product's counts
	Score *float64    // nil in a leaderboard that is not by score
}

// LeaderboardConnection is a page of a leaderboard.
type LeaderboardConnection struct {
	Connection[Product, LeaderboardEdge]
}

// NewLeaderboardConnection returns the connection of a page of the leaderboard, whose cursors
// cursorOf makes.
func NewLeaderboardConnection(
	page list.Page[key.Rank], of store.Board, cursorOf CursorOf[key.Rank],
) *LeaderboardConnection {
	return &LeaderboardConnection{NewConnection(page, func(item int) LeaderboardEdge {
		r := page.Items[item]
		edge := LeaderboardEdge{
			Edge:  NewEdge(Product{ProductID: r.ProductID}, r, cursorOf),
			Scope: store.Scope{ProductID: r.ProductID, Language: of.Language},
		}
		if of.ByScore {
			edge.Score = new(float64(r.Number) / store.ScoreUnit)
		}
		return edge
	})}
}
