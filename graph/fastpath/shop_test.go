package fastpath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/internal/testkit"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/key"
	"product-comments/store/list"
	storeplan "product-comments/store/plan"
)

// shop resolves from memory, the same with and without InterceptField. What it has no method
// for panics, which is an error of the field in both.
type shop struct {
	graph.ResolverRoot
	comments []store.Comment
	noText   map[string]bool // ids of comments whose text cannot be loaded
	noCursor map[string]bool // ids of comments whose cursor cannot be made
	noCount  bool            // whether the total count cannot be read
	broken   bool            // whether updateComment returns a comment that panics
}

func (s *shop) Query() graph.QueryResolver                         { return shopQuery{shop: s} }
func (s *shop) Mutation() graph.MutationResolver                   { return shopMutation{shop: s} }
func (s *shop) Product() graph.ProductResolver                     { return shopProduct{shop: s} }
func (s *shop) Comment() graph.CommentResolver                     { return shopComment{} }
func (s *shop) CommentConnection() graph.CommentConnectionResolver { return shopConnection{shop: s} }

type (
	shopQuery struct {
		graph.QueryResolver
		*shop
	}
	shopMutation struct {
		graph.MutationResolver
		*shop
	}
	shopProduct struct {
		graph.ProductResolver
		*shop
	}
	shopConnection struct {
		graph.CommentConnectionResolver
		*shop
	}
	shopComment struct{ graph.CommentResolver }
)

func (shopComment) Attributes(_ context.Context, c *model.Comment) ([]model.Attribute, error) {
	given, err := c.Given()
	return model.NewAttributes(sizes.Values(given)), err
}

func (shopProduct) Attributes(context.Context, *model.Product) ([]model.AttributeDefinition, error) {
	return model.NewAttributeDefinitions(sizes.List()), nil
}

// sizes are the attributes of all products.
var sizes = attributes.Effective("1", []attributes.Definition{
	{Key: "fit", Type: attributes.Number}, {Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}},
}, "", nil)

func (s *shop) cursorOf(p key.Position) (string, error) {
	if s.noCursor[p.CommentID] {
		return "", fmt.Errorf("no cursor for %s", p.CommentID)
	}
	return "at \"" + p.CommentID + "\"", nil
}

func (s *shop) connection() model.CommentConnection {
	page := list.Page[store.Comment]{Items: slices.Clone(s.comments), HasNext: true}
	for i := range page.Items {
		page.Items[i].TextElsewhere = s.noText[page.Items[i].ID]
	}
	c := model.NewCommentConnection(store.Page{Page: page}, storeplan.Filter{ProductID: "42"}, s.cursorOf)
	for i := range s.comments {
		if s.noText[s.comments[i].ID] {
			c.Load(i, nil, fmt.Errorf("no text for %s", s.comments[i].ID))
		}
	}
	return *c
}

// comment returns the first comment, nil in an empty shop.
func (s *shop) comment() *model.Comment {
	if nodes := new(s.connection()).Nodes(); len(nodes) > 0 {
		return &nodes[0]
	}
	return nil
}

func (q shopQuery) Node(context.Context, string) (model.Node, error) {
	if c := q.comment(); c != nil {
		return *c, nil
	}
	return nil, nil
}

func (q shopQuery) Nodes(context.Context, []string) ([]model.Node, error) {
	nodes := []model.Node{nil, model.Product{ProductID: "42"}}
	for _, c := range new(q.connection()).Nodes() {
		nodes = append(nodes, c)
	}
	return nodes, nil
}

func (shopQuery) Product(_ context.Context, id string) (*model.Product, error) {
	return &model.Product{ProductID: id}, nil
}

func (shopQuery) Products(_ context.Context, ids []string) ([]model.Product, error) {
	products := make([]model.Product, len(ids))
	for i, id := range ids {
		products[i].ProductID = id
	}
	return products, nil
}

func (q shopQuery) Comment(context.Context, string) (*model.Comment, error) { return q.comment(), nil }

func (m shopMutation) CreateComment(context.Context, model.CreateCommentInput) (*model.CreateCommentPayload, error) {
	edges := new(m.connection()).Edges()
	if len(edges) == 0 {
		return nil, errors.New("no comment")
	}
	return &model.CreateCommentPayload{Comment: edges[0].Node, CommentEdge: &edges[0]}, nil
}

func (m shopMutation) UpdateComment(context.Context, model.UpdateCommentInput) (*model.UpdateCommentPayload, error) {
	if m.broken {
		return &model.UpdateCommentPayload{}, nil
	}
	c := m.comment()
	if c == nil {
		return nil, errors.New("no comment")
	}
	return &model.UpdateCommentPayload{Comment: *c}, nil
}

func (p shopProduct) Comments(context.Context, *model.Product, model.CommentsArguments) (*model.CommentConnection, error) {
	return new(p.connection()), nil
}

func (c shopConnection) TotalCount(context.Context, *model.CommentConnection) (*int, error) {
	if c.noCount {
		return nil, errors.New("no total count")
	}
	return new(len(c.comments)), nil
}

// execution executes operations with the resolvers of a shop, and with extensions.
type execution struct{ *executor.Executor }

func executionOf(s *shop, around ...graphql.FieldMiddleware) execution {
	e := executor.New(graph.NewExecutableSchema(graph.Config{Resolvers: s}))
	e.SetQueryCache(lru.New[*ast.QueryDocument](10))
	e.SetRecoverFunc(resolvers.Recover(slog.New(slog.DiscardHandler)))
	for _, f := range around {
		e.AroundFields(f)
	}
	return execution{e}
}

// failing is a test of any sort.
type failing interface {
	testkit.Test
	Context() context.Context
}

func (e execution) run(t failing, query string, variables map[string]any) *graphql.Response {
	ctx := graphql.StartOperationTrace(t.Context())
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
	testkit.Need(t, errs == nil, "%v\n%s", errs, query)
	responses, ctx := e.DispatchOperation(ctx, op)
	return responses(ctx)
}

// page makes typical comments, with texts of about 300 bytes.
func page(n int) []store.Comment {
	list := make([]store.Comment, n)
	for i := range list {
		at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC).Add(-time.Duration(i) * time.Minute)
		list[i] = store.Comment{
			ID: fmt.Sprintf("01JGJ5A8Z%017d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", Version: 1,
			Title: "Does what it says", Author: "Ana", CreatedAt: at, UpdatedAt: at,
			Text: fmt.Sprintf("Comment %d.\nIt came on time and works \"as described\". ", i) +
				"The manual is short but clear, and the parts fit without force. After two weeks of daily use " +
				"there is no scratch on it; the lid could close more softly, which I would not have noticed but for the cat. " +
				"I would buy it again.",
		}
	}
	return list
}
