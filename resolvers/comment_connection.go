package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// TotalCount resolves CommentConnection.totalCount, which Product.comments has started to read. It
// is null without an error for a list that no statistics count, because an error would make
// clients retry.
func (r commentConnection) TotalCount(ctx context.Context, of *model.CommentConnection) (*int, error) {
	if of.Uncounted {
		return nil, nil
	}
	if n := of.Numbers; !of.Filter.Created.Any() && n != nil {
		if n.Err != nil {
			return nil, n.Err
		}
		return &n.Count, nil
	}
	if of.Filter.Attributes != "" {
		n, ok, err := r.Store.Lists().Count(ctx, of.Filter) // cheaper, and has more comments
		if ok || err != nil {
			return &n, err
		}
		counts, err := loadersOf(ctx).matching(ctx, of.Filter)
		if counts == nil {
			return nil, err
		}
		n, err = model.Total(counts.Statistics(), of.Filter)
		return &n, err
	}
	counts := totalOf(of.Filter, of.Facets)
	statistics, err := loadersOf(ctx).statistics(ctx, counts)
	if err != nil {
		return nil, err
	}
	if isCounted(of.Filter, counts) {
		return new(statistics.Count(of.Filter.Ratings)), nil
	}
	total, err := model.Total(statistics, of.Filter)
	// The statistics of the language are enough.
	if own := totalOf(of.Filter, false); err != nil && isCounted(of.Filter, own) {
		if statistics, err = loadersOf(ctx).statistics(ctx, own); err == nil {
			total = statistics.Count(of.Filter.Ratings)
		}
	}
	if err != nil {
		return nil, err
	}
	return &total, nil
}

// Facets resolves CommentConnection.facets, which Product.comments has started to read. It is null
// without an error for a list that no statistics count and with too many comments to count.
func (commentConnection) Facets(ctx context.Context, of *model.CommentConnection) (*model.CommentFacets, error) {
	if n := of.Numbers; !of.Filter.Created.Any() && n != nil {
		if n.Err != nil {
			return nil, n.Err
		}
		return model.NewCommentFacets(n.Counts.Statistics(), of.Filter)
	}
	if of.Filter.Attributes != "" {
		counts, err := loadersOf(ctx).matching(ctx, of.Filter)
		if counts == nil {
			return nil, err
		}
		return model.NewCommentFacets(counts.Statistics(), of.Filter)
	}
	if of.Uncounted || !counted(of.Filter) {
		return nil, nil
	}
	statistics, err := loadersOf(ctx).statistics(ctx, of.Filter.Unfiltered())
	if err != nil {
		return nil, err
	}
	return model.NewCommentFacets(statistics, of.Filter)
}

// counted reports whether a product's statistics count the comments of a filter.
func counted(f plan.Filter) bool { return f.Attributes == "" && f.Created.Any() }

// totalOf returns the list, of a language or of all, whose statistics count the comments of a filter: of
// its language if only the total is read, otherwise of all languages, which include each one.
func totalOf(f plan.Filter, facets bool) plan.Filter {
	all := f.Unfiltered()
	own := all
	if own.Languages = key.Languages(f.Languages.One()); !facets && isCounted(f, own) {
		return own
	}
	return all
}

// isCounted reports whether a filter matches exactly the comments of a list, apart from ratings.
func isCounted(f, by plan.Filter) bool {
	return f.Languages == by.Languages && !f.Regions && f.Which().All()
}

// loadElsewhere loads what the selected fields of a page need and its list lacks. It reads the
// comments in one batch with those of other pages that are resolved at the same time.
func (r *Resolver) loadElsewhere(ctx context.Context, connection *model.CommentConnection) {
	fields := fieldsOfComments(ctx)
	if slices.Contains(fields, attributesField) && !slices.ContainsFunc(connection.Filter.Products(), func(product string) bool { return r.attributesElsewhere(ctx, product) }) {
		fields = slices.DeleteFunc(fields, func(name string) bool { return name == attributesField })
	}
	indexes, ids := connection.Elsewhere(item.NeedsOf(fields))
	at := loadersOf(ctx).comments(ctx, ids)
	for i, index := range indexes {
		c, err := at(i)
		if c == nil && err == nil {
			err = errs.Errorf(errs.NotFound, "Comment %s was deleted while the page was read", ids[i])
		}
		connection.Load(index, c, err)
	}
}

const attributesField = "attributes"

// fieldsOfComments returns the names of the fields of the connection's comments that the query
// selects. The nodes of photos have other fields, which no comment needs.
func fieldsOfComments(ctx context.Context) (names []string) {
	op := graphql.GetOperationContext(ctx)
	add := func(f graphql.CollectedField) {
		for _, of := range graphql.CollectFields(op, f.Selections, []string{"Comment", "Node"}) {
			names = append(names, of.Name)
		}
	}
	for _, f := range graphql.CollectFieldsCtx(ctx, []string{"CommentConnection", "PhotoConnection"}) {
		switch f.Name {
		case "nodes":
			add(f)
		case "edges":
			for _, in := range graphql.CollectFields(op, f.Selections, []string{"CommentEdge", "PhotoEdge"}) {
				if in.Name == "node" || in.Name == "comment" {
					add(in)
				}
			}
		}
	}
	return names
}

// selects reports whether the query selects one of these fields of the connection.
func selects(ctx context.Context, fields ...string) bool {
	isWanted := func(f graphql.CollectedField) bool { return slices.Contains(fields, f.Name) }
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}), isWanted)
}
