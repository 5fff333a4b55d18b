package fastpath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/internal/testing/testkit"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/comment/votes"
	"product-comments/store/key"
	"product-comments/store/key/list"
	storeplan "product-comments/store/read/plan"
)

// shop resolves from memory, the same with and without InterceptField. What it has no method
// for panics, which is an error of the field in both.
type shop struct {
	graph.ResolverRoot
	comments []store.Comment
	noText   map[string]bool // ids of comments whose text cannot be loaded
	noCursor map[string]bool // ids of comments whose cursor cannot be made
	noCount  bool            // whether the total count cannot be read
}

func (s *shop) Query() graph.QueryResolver                         { return shopFields{shop: s} }
func (s *shop) Mutation() graph.MutationResolver                   { return shopFields{shop: s} }
func (s *shop) Product() graph.ProductResolver                     { return productFields{shop: s} }
func (s *shop) CommentConnection() graph.CommentConnectionResolver { return shopFields{shop: s} }
func (s *shop) Comment() graph.CommentResolver                     { return commentFields{} }

type shopFields struct {
	shop *shop
	graph.QueryResolver
	graph.MutationResolver
	graph.CommentConnectionResolver
}

type productFields struct {
	shop *shop
	graph.ProductResolver
}

type commentFields struct{ graph.CommentResolver }

func (commentFields) Attributes(context.Context, *model.Comment) ([]model.Attribute, error) {
	return []model.Attribute{}, nil
}

func (commentFields) ViewerVote(context.Context, *model.Comment) (*votes.Vote, error) {
	return nil, nil
}

func (s *shop) cursorOf(p key.Position) (string, error) {
	if s.noCursor[p.CommentID] {
		return "", fmt.Errorf("no cursor for %s", p.CommentID)
	}
	return "at \"" + p.CommentID + "\"", nil
}

func (s *shop) connection() model.CommentConnection {
	comments := slices.Clone(s.comments)
	page := list.Page[*store.Comment]{Items: make([]*store.Comment, len(comments)), HasNext: true}
	for i := range comments {
		comments[i].TextElsewhere = s.noText[comments[i].ID]
		page.Items[i] = &comments[i]
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

func (f shopFields) Node(context.Context, string) (model.Node, error) {
	if c := f.shop.comment(); c != nil {
		return *c, nil
	}
	return nil, nil
}

func (shopFields) Product(_ context.Context, id string) (*model.Product, error) {
	return &model.Product{ProductID: id}, nil
}

func (f shopFields) Comment(context.Context, string) (*model.Comment, error) {
	return f.shop.comment(), nil
}

func (f shopFields) CreateComment(context.Context, model.CreateCommentInput) (*model.CreateCommentPayload, error) {
	edges := new(f.shop.connection()).Edges()
	if len(edges) == 0 {
		return nil, errors.New("no comment")
	}
	return &model.CreateCommentPayload{Comment: edges[0].Node, CommentEdge: &edges[0]}, nil
}

// UpdateComment returns a comment that panics.
func (shopFields) UpdateComment(context.Context, model.UpdateCommentInput) (*model.CommentPayload, error) {
	return &model.CommentPayload{}, nil
}

func (f productFields) Comments(context.Context, *model.Product, model.CommentsArguments) (*model.CommentConnection, error) {
	return new(f.shop.connection()), nil
}

func (f shopFields) TotalCount(context.Context, *model.CommentConnection) (*int, error) {
	if f.shop.noCount {
		return nil, errors.New("no total count")
	}
	return new(len(f.shop.comments)), nil
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
			Text: strings.Repeat("It came on time\nand works \"as described\". ", 7),
		}
	}
	return list
}
