package resolvers

import (
	"product-comments/store/authors"
	"product-comments/store/cursor"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/plan"
)

// commentCursors makes and reads the cursors of the comments that a filter lets
// through.
func (r *Resolver) commentCursors(f plan.Filter) cursor.List[key.Position] {
	kind := cursor.Comments
	if f.Order.Field != plan.ByTime {
		kind = cursor.Ordered
	}
	return cursor.ListOf(r.Cursors, kind, f.Scope())
}

// rankCursors makes and reads the cursors of a language's leaderboard.
func (r *Resolver) rankCursors(language string) cursor.List[key.Rank] {
	return cursor.ListOf(r.Cursors, cursor.Ranks, language)
}

// queueCursors makes and reads the cursors of a part of the queue of moderators.
func (r *Resolver) queueCursors(of moderation.Queue) cursor.List[key.Position] {
	return cursor.ListOf(r.Cursors, cursor.Queues, of.Scope())
}

// orderCursors makes and reads the cursors of a list of orders.
func (r *Resolver) orderCursors(scope string) cursor.List[key.Position] {
	return cursor.ListOf(r.Cursors, cursor.Orders, scope)
}

// authoredCursors makes and reads the cursors of what somebody wrote.
func (r *Resolver) authoredCursors(f authors.Filter) cursor.List[key.Position] {
	return cursor.ListOf(r.Cursors, cursor.Authored, f.Scope())
}
