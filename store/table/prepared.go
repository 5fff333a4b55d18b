package table

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/tracing"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// prepared is a client whose reads use its own middlewares, such as those for endpoint,
// credentials, signature, checksum, retries and errors. The client puts them together again for
// each call, which takes more processor time than to sign the request; prepared uses them again.
type prepared struct {
	*dynamodb.Client
	getItem      func(context.Context, *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error)
	query        func(context.Context, *dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
	batchGetItem func(context.Context, *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error)
}

func prepare(c *dynamodb.Client) API {
	return &prepared{
		c,
		prepareCall(c.GetItem, smithy.NewOperationSchema(schemas.GetItem, schemas.GetItemInput, schemas.GetItemOutput)),
		prepareCall(c.Query, smithy.NewOperationSchema(schemas.Query, schemas.QueryInput, schemas.QueryOutput)),
		prepareCall(c.BatchGetItem, smithy.NewOperationSchema(schemas.BatchGetItem, schemas.BatchGetItemInput, schemas.BatchGetItemOutput)),
	}
}

func (p *prepared) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return p.getItem(ctx, in)
}

func (p *prepared) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return p.query(ctx, in)
}

func (p *prepared) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return p.batchGetItem(ctx, in)
}

// prepareCall returns the same call without metadata.
func prepareCall[In, Out any](
	call func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), schema *smithy.OperationSchema,
) func(context.Context, *In) (*Out, error) {
	idle := sync.Pool{New: func() any { return newMiddlewares(call, schema) }}
	return func(ctx context.Context, in *In) (*Out, error) {
		m := idle.Get().(*middlewares)
		if m.err != nil {
			return nil, m.err
		}
		out, _, err := m.first.HandleInitialize(withValues{ctx, m.values}, middleware.InitializeInput{Parameters: in})
		idle.Put(m)
		if err != nil {
			return nil, &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: middleware.GetOperationName(m.values), Err: err}
		}
		return out.Result.(*Out), nil
	}
}

// middlewares are the middlewares of a call. They serve one call at a time.
type middlewares struct {
	first  middleware.InitializeHandler
	values context.Context // has the SDK's own values
	err    error
}

// newMiddlewares calls the client to receive its middlewares, before these do anything.
func newMiddlewares[In, Out any](
	call func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), schema *smithy.OperationSchema,
) *middlewares {
	m := &middlewares{}
	keep := middleware.InitializeMiddlewareFunc("Keep", func(ctx context.Context, _ middleware.InitializeInput,
		next middleware.InitializeHandler) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
		// With a span of its own, no look-up of one goes through all values of a request.
		_, span := tracing.NopTracerProvider{}.Tracer("").StartSpan(ctx, "")
		m.first, m.values = next, tracing.WithSpan(ctx, span)
		return middleware.InitializeOutput{Result: new(Out)}, metadata, nil
	})
	_, m.err = call(context.Background(), nil, func(o *dynamodb.Options) {
		deserialize := &deserializer[Out]{o.Protocol, schema}
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			if _, err := stack.Deserialize.Swap(deserialize.ID(), deserialize); err != nil {
				return err
			}
			return stack.Initialize.Add(keep, middleware.Before)
		})
	})
	return m
}

// withValues is a context with further values.
type withValues struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (c withValues) Value(name any) any {
	if value := c.values.Value(name); value != nil {
		return value
	}
	return c.Context.Value(name)
}

// deserializer replaces the SDK's, which has one output for all uses of its middlewares.
type deserializer[Out any] struct {
	protocol smithyhttp.ClientProtocol
	schema   *smithy.OperationSchema
}

// ID implements middleware.DeserializeMiddleware.
func (*deserializer[Out]) ID() string { return "OperationDeserializer" }

// HandleDeserialize implements middleware.DeserializeMiddleware.
func (d *deserializer[Out]) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput,
	next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	response, ok := out.RawResponse.(*smithyhttp.Response)
	if !ok && err == nil {
		err = &smithy.DeserializationError{Err: fmt.Errorf("an answer of type %T", out.RawResponse)}
	}
	if !ok {
		return out, metadata, err
	}
	defer func() { smithyhttp.CloseResponseBody(ctx, response, false, err) }()
	if err != nil {
		return out, metadata, err
	}
	if answer, ok := ctx.Value(answerKey{}).(*decodedAnswer); ok && response.StatusCode == 200 {
		out.Result, err = answer.from(response.Body)
		return out, metadata, err
	}
	result := new(Out)
	err = d.protocol.DeserializeResponse(ctx, d.schema, dynamodb.TypeRegistry, response, any(result).(smithy.Deserializable))
	out.Result = result
	return out, metadata, err
}
