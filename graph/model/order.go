package model

import (
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/orders"
	"product-comments/store/ranking"
	"product-comments/store/stats"
)

// Order is an order, with its lines or, from a list, without.
type Order struct{ orders.Order }

// IsNode marks a type of the interface Node.
func (Order) IsNode() {}

// ID returns the global id.
func (o Order) ID() string { return GlobalID(TypeOrder, o.Order.ID) }

// OrderID returns the shop's own id.
func (o Order) OrderID() string { return o.Order.ID }

// User returns who ordered.
func (o Order) User() User { return User{Username: o.Username} }

// PlacedAt returns when the order was placed.
func (o Order) PlacedAt() time.Time { return o.Times.Get(orders.Placed) }

// ShippedAt returns when the order was shipped, nil if that is not known.
func (o Order) ShippedAt() *time.Time { return o.timeOf(orders.Shipped) }

// DeliveredAt returns when the order was delivered, nil if that is not known.
func (o Order) DeliveredAt() *time.Time { return o.timeOf(orders.Delivered) }

func (o Order) timeOf(s orders.Status) *time.Time {
	at := o.Times.Get(s)
	return orNil(&at)
}

// NewOrderLines returns lines of an order.
func NewOrderLines(lines []orders.Line) []OrderLine {
	return mapList(lines, func(l *orders.Line) OrderLine {
		return OrderLine{Product: Product{ProductID: l.ProductID}, Quantity: l.Quantity, UnitPrice: l.Price}
	})
}

// OrderEdge is an order's place in a list.
type OrderEdge struct {
	Edge[Order, key.Position]
}

// OrderConnection is a page of a list of orders.
type OrderConnection struct {
	Connection[Order, OrderEdge]
}

// NewOrderConnection returns the connection of a page of the list that cursorOf belongs to.
func NewOrderConnection(page *orders.Page, cursorOf CursorOf[key.Position]) *OrderConnection {
	return &OrderConnection{NewConnection(page.Page, func(i int) OrderEdge {
		return OrderEdge{NewEdge(Order{page.Items[i]}, page.Position(i), cursorOf)}
	})}
}

// LeaderboardEdge is a product's place in a leaderboard.
type LeaderboardEdge struct {
	Edge[Product, key.Rank]
	Scope stats.Scope // of the statistics that have the product's count
	Score *float64    // that its place is by; nil in a list by another number
}

// LeaderboardConnection is a page of a leaderboard.
type LeaderboardConnection struct {
	Connection[Product, LeaderboardEdge]
}

// NewLeaderboardConnection returns the connection of a page of the leaderboard that
// cursorOf belongs to.
func NewLeaderboardConnection(page list.Page[key.Rank], of store.Board, cursorOf CursorOf[key.Rank]) *LeaderboardConnection {
	return &LeaderboardConnection{NewConnection(page, func(item int) LeaderboardEdge {
		r := page.Items[item]
		edge := LeaderboardEdge{
			Edge:  NewEdge(Product{ProductID: r.ProductID}, r, cursorOf),
			Scope: stats.Scope{ProductID: r.ProductID, Language: of.Language},
		}
		if of.ByScore {
			edge.Score = new(float64(r.Number) / ranking.ScoreUnit)
		}
		return edge
	})}
}
