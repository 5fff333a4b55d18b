package resolvers

import (
	"context"
	"sync"
	"time"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/read/plan"
)

// Comments resolves Product.comments.
func (r product) Comments(
	ctx context.Context, of *model.Product, in model.CommentsArguments,
) (*model.CommentConnection, error) {
	return r.list(ctx, plan.Filter{ProductID: of.ProductID}, in)
}

// list returns the connection of a list of the comments of a product or a family.
func (r *Resolver) list(ctx context.Context, of plan.Filter, in model.CommentsArguments) (*model.CommentConnection, error) {
	f, wrong := parseFilter(ctx, r.Store, of, in)
	kind := cursor.Comments
	if f.Order.Field != plan.ByTime {
		kind = cursor.Ordered
	}
	positions, starts := cursor.ListOf(r.Cursors, kind, f.Scope()), cursor.ListOf(r.Cursors, cursor.Pages, f.Scope())
	asks := in.Page != nil || !isAbsent(in.Around) || selects(ctx, "offset", "pageCursors") ||
		!f.Created.Any() && selects(ctx, "totalCount", "facets")
	without := r.withoutNumber(ctx, f, asks)
	if wrong != nil { // which cursors and page numbers the list has is not known
		if !isAbsent(in.After) || !isAbsent(in.Before) {
			in.Page, in.Around = nil, nil
		}
		in.After, in.Before, without = nil, nil, ""
	}
	w, from, err := parsePage(in, positions, starts, without)
	if err := errs.Join(wrong, err); err != nil {
		return nil, err
	}
	n, err := r.numbered(ctx, f, from, without)
	if err != nil {
		return nil, err
	}
	c, err := r.commentsOf(ctx, f, w, n, positions.Encode)
	if c != nil && c.Numbers != nil {
		c.Numbers.CursorOf = starts.Encode
	}
	return c, err
}

// withoutNumber returns why a list has no page numbers, empty if it has some. A request that does
// not ask for them reads no settings.
func (r *Resolver) withoutNumber(ctx context.Context, f plan.Filter, asks bool) string {
	switch {
	case f.OfAll():
		return "only lists by CREATED_AT or RATING without filters by attributes have page numbers"
	case asks && r.Store.LeavesPages(ctx):
		return "this shop keeps no page numbers: page with after and endCursor"
	}
	return ""
}

// numbered returns the reader of a page's numbers; nil if none are selected, or if the list has
// none.
func (r *Resolver) numbered(ctx context.Context, f plan.Filter, from *start, without string) (*numbered, error) {
	between := !f.Created.Any()
	n := &numbered{start: from, facets: between && selects(ctx, "facets"),
		count: selects(ctx, "pageCursors") || between && selects(ctx, "totalCount")}
	if without != "" || from == nil && !n.isSelected(ctx) {
		return nil, nil
	}
	if from != nil && r.Store.LeavesPages(ctx) { // by a cursor of a page from before
		return nil, errs.Invalid("after", "this shop keeps no page numbers: page with endCursor").For(errs.Contradiction)
	}
	var err error
	n.list, err = r.Store.Offsets(ctx, f, loadersOf(ctx).numbers(f)...)
	return n, err
}

// commentsOf returns the connection of a page of the filtered comments.
func (r *Resolver) commentsOf(
	ctx context.Context, f plan.Filter, w store.Window, n *numbered, cursorOf model.CursorOf[key.Position],
) (*model.CommentConnection, error) {
	facets := selects(ctx, "facets")
	// Read concurrently with the page, in one batch with those of other pages.
	switch {
	case counted(f) && (facets || selects(ctx, "totalCount")):
		loadersOf(ctx).prefetchStatistics(ctx, totalOf(f, facets))
	case f.Attributes != "" && facets:
		loadersOf(ctx).prefetchMatching(ctx, f)
	}
	var page store.Page
	var err error
	var numbers *model.Numbers
	read := func() { page, err = r.Store.Page(ctx, f, w) }
	if w.Limit == 0 && !selects(ctx, "pageInfo", "plan") { // nothing of the page is selected
		read = func() {}
	}
	if n != nil {
		if err := n.begin(ctx, &w); err != nil {
			return nil, err
		}
		if n.none {
			read = func() {
				page.HasPrevious = n.start.around == "" // a number is after the last page
				page.Plan = plan.Plan{Strategy: plan.Nothing, Limit: w.Limit, Reason: "the list has no such page"}
			}
		}
	}
	if n == nil || !n.isSelected(ctx) {
		read()
	} else {
		var reading sync.WaitGroup
		done := make(chan struct{})
		reading.Go(func() {
			numbers = n.read(ctx, w, func() (int, error) {
				<-done
				return len(page.Items), err
			})
		})
		func() {
			defer close(done)
			read()
		}()
		reading.Wait()
	}
	if err != nil {
		return nil, err
	}
	connection := model.NewCommentConnection(page, f, cursorOf)
	connection.Facets, connection.Numbers = facets, numbers
	connection.ShowPlan = r.authorize(ctx, access.SeePlans, "") == nil
	r.loadElsewhere(ctx, connection)
	return connection, r.setPermissions(ctx, connection)
}

// Stats resolves Product.stats.
func (r product) Stats(
	ctx context.Context, of *model.Product, language *string, includeIncentivized *bool,
) (*model.ProductStats, error) {
	return r.stats(ctx, plan.Filter{ProductID: of.ProductID}, language, includeIncentivized)
}

// stats returns the statistics of a product or a family.
func (*Resolver) stats(
	ctx context.Context, of plan.Filter, language *string, includeIncentivized *bool,
) (*model.ProductStats, error) {
	tag, err := item.AnyLanguage("language", language)
	if err != nil {
		return nil, err
	}
	of.Languages = key.LanguagesOf(tag)
	s := &model.ProductStats{Of: of}
	if includeIncentivized == nil || *includeIncentivized {
		s.Statistics, err = loadersOf(ctx).statistics(ctx, of)
		return s, err
	}
	s.Of.Incentives = plan.WithoutIncentive
	inAny, err := loadersOf(ctx).statistics(ctx, of.Unfiltered())
	if err != nil {
		return nil, err
	}
	var listed bool
	if s.Statistics, listed = inAny.Passing(s.Of.Languages, s.Of.Which()); !listed {
		return nil, model.ErrUnlisted
	}
	return s, nil
}

// VerifiedCount resolves ProductStats.verifiedCount, from the statistics of all languages, which
// alone have it.
func (productStats) VerifiedCount(ctx context.Context, of *model.ProductStats) (*int, error) {
	inAny, err := loadersOf(ctx).statistics(ctx, of.Of.Unfiltered())
	if err != nil {
		return nil, err
	}
	f := of.Of
	f.VerifiedOnly = true
	n, err := model.Total(inAny, f)
	return &n, err
}

// FirstCreatedAt resolves ProductStats.firstCreatedAt.
func (r productStats) FirstCreatedAt(ctx context.Context, of *model.ProductStats) (*time.Time, error) {
	return r.createdAt(ctx, of.Of, true)
}

// LastCreatedAt resolves ProductStats.lastCreatedAt.
func (r productStats) LastCreatedAt(ctx context.Context, of *model.ProductStats) (*time.Time, error) {
	return r.createdAt(ctx, of.Of, false)
}

// createdAt returns when the first comment of a list was created; nil for an empty list.
func (r productStats) createdAt(ctx context.Context, f plan.Filter, ascending bool) (*time.Time, error) {
	f.Order.Ascending = ascending
	page, err := r.Store.Page(ctx, f, store.Window{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return &page.Items[0].CreatedAt, nil
}

// Timeline resolves ProductStats.timeline.
func (r productStats) Timeline(
	ctx context.Context, of *model.ProductStats, by *model.TimeUnit, from, to *time.Time,
) ([]model.TimelineBucket, error) {
	units := model.TimeUnits
	if by != nil {
		units = []model.TimeUnit{*by}
	}
	first, end := item.Border(from), item.Border(to)
	if from != nil && to != nil {
		if to.Before(*from) {
			return nil, errs.Invalid("to", "it is earlier than from").For(errs.Contradiction)
		}
		if _, err := model.NewTimeline(units, nil, first, end); err != nil {
			return nil, err
		}
	}
	if of.Of.Incentives != plan.AnyIncentive || r.Store.LeavesPages(ctx) { // days are counted without dimensions
		return nil, nil
	}
	longest := units[len(units)-1]
	days, err := store.Timeline(ctx, loadersOf(ctx).numbers(of.Of), string(of.Of.Languages), longest.Begin(first), longest.End(end))
	if err != nil {
		return nil, err
	}
	return model.NewTimeline(units, days, first, end)
}
