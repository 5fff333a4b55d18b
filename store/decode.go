package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store/exec"
	"product-comments/store/key"
)

// decodeComments is an option of a Query call that reads the answer straight
// into the batch in the context. The SDK's own deserializer makes a map with
// an allocated value for every attribute of every item first, which takes as
// long as all the rest of a query does on our side. Endpoint, credentials,
// signature, checksum, retries and errors stay the SDK's.
func decodeComments(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		own := &commentDeserializer{}
		original, err := stack.Deserialize.Swap(own.ID(), own)
		own.original = original
		return err
	})
}

type batchKey struct{}

// decodedBatch is where the deserializer puts what it reads.
type decodedBatch struct {
	productID string
	exec.Batch[Comment]
	done bool
}

// commentDeserializer takes the place of the SDK's deserializer.
type commentDeserializer struct {
	original middleware.DeserializeMiddleware
}

func (*commentDeserializer) ID() string { return "OperationDeserializer" }

func (d *commentDeserializer) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	batch, _ := ctx.Value(batchKey{}).(*decodedBatch)
	response, _ := out.RawResponse.(*smithyhttp.Response)
	if err != nil || batch == nil || response == nil || response.StatusCode != 200 {
		return d.original.HandleDeserialize(ctx, in, received{out, metadata, err}) // it also closes the body
	}
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= largestBody {
			body.Reset()
			bodies.Put(body)
		}
	}()
	_, err = body.ReadFrom(response.Body)
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return out, metadata, fmt.Errorf("read the answer: %w", err)
	}
	batch.Batch = exec.Batch[Comment]{} // a retry starts over
	if err := batch.decode(body.Bytes()); err != nil {
		return out, metadata, err
	}
	batch.done = true
	out.Result = &dynamodb.QueryOutput{}
	return out, metadata, nil
}

// received hands an answer that has come already to a deserializer.
type received struct {
	out      middleware.DeserializeOutput
	metadata middleware.Metadata
	err      error
}

func (r received) HandleDeserialize(context.Context, middleware.DeserializeInput) (middleware.DeserializeOutput, middleware.Metadata, error) {
	return r.out, r.metadata, r.err
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// largestBody keeps one huge answer from staying in memory for good.
const largestBody = 1 << 20

// decode reads the JSON of a QueryOutput.
func (b *decodedBatch) decode(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return members(d, func(name string) error {
		switch name {
		case "Count":
			count, err := d.ReadToken()
			if err != nil {
				return err
			}
			n, err := count.Int()
			if b.Items == nil && n > 0 && n <= 1000 { // it may come first or last
				b.Items = make([]exec.Item[Comment], 0, n)
			}
			return err
		case "ScannedCount":
			evaluated, err := d.ReadToken()
			if err == nil {
				var n int64
				n, err = evaluated.Int()
				b.Evaluated = int(n)
			}
			return err
		case "Items":
			return elements(d, func() error { return b.item(d) })
		case "LastEvaluatedKey":
			return attributes(d, func(name string, _ byte, value string) (err error) {
				switch name {
				case key.GSISK:
					b.Next, err = nextPosition(value)
				case key.SK: // of the table's own partitions; an index's has GSISK
					if p, ok := key.ParseSortKey(value); ok {
						b.Next = &p
					}
				}
				return err
			})
		case "ConsumedCapacity":
			return members(d, func(name string) error {
				if name != "CapacityUnits" {
					return d.SkipValue()
				}
				units, err := d.ReadToken()
				if err == nil {
					b.Units, err = units.Float()
				}
				return err
			})
		}
		return d.SkipValue()
	})
}

func (b *decodedBatch) item(d *jsontext.Decoder) error {
	reader := newItemReader(b.productID)
	if err := attributes(d, reader.attribute); err != nil {
		return err
	}
	c, err := reader.comment()
	if err != nil {
		return damaged(reader.pk, err)
	}
	b.Items = append(b.Items, exec.Item[Comment]{SortKey: reader.sortKey, Rating: c.Rating, Size: c.size, Value: c})
	return nil
}

// attributes reads an item: for each attribute that we know its name, its type
// as S, N, B or T (for BOOL), and its value.
func attributes(d *jsontext.Decoder, each func(name string, kind byte, value string) error) error {
	return members(d, func(name string) error {
		if name == "" {
			return d.SkipValue()
		}
		return members(d, func(kind string) error {
			if kind == "" {
				return d.SkipValue()
			}
			if kind == "B" {
				packed, err := binary(d)
				if err != nil {
					return err
				}
				return each(name, 'B', packed)
			}
			value, err := d.ReadToken()
			if err != nil {
				return err
			}
			if kind == "BOOL" {
				return each(name, 'T', value.String())
			}
			return each(name, kind[0], value.String())
		})
	})
}

// binary reads a value of type B.
func binary(d *jsontext.Decoder) (string, error) {
	quoted, err := d.ReadValue() // base64 has nothing to unquote
	if err != nil {
		return "", err
	}
	if quoted.Kind() != '"' {
		return "", fmt.Errorf("the answer has %v where a string belongs", quoted.Kind())
	}
	b := bytesOf.Get().(*[]byte)
	defer bytesOf.Put(b)
	*b, err = base64.StdEncoding.AppendDecode((*b)[:0], quoted[1:len(quoted)-1])
	return string(*b), err
}

var bytesOf = sync.Pool{New: func() any { return new([]byte) }}

// known are the names that are read, of attributes, of their types and of the
// answer's parts; others are skipped. A name that is looked up here is not
// allocated again with every item.
var known = func() map[string]string {
	names := map[string]string{}
	for _, name := range slices.Concat(projected,
		[]string{key.PK, key.SK, key.GSISK, key.GSI4PK, attrLongText, attrAttributes, attrHelpful, attrVerified},
		[]string{"S", "N", "B", "BOOL"},
		[]string{"Count", "ScannedCount", "Items", "LastEvaluatedKey", "ConsumedCapacity", "CapacityUnits"},
	) {
		names[name] = name
	}
	return names
}()

// members calls each with the name of every member of an object, "" for those
// that are not known; it must read the member's value.
func members(d *jsontext.Decoder, each func(name string) error) error {
	if err := begin(d, '{'); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		quoted, err := d.ReadValue() // names that need unquoting are none of ours
		if err != nil {
			return err
		}
		if err := each(known[string(quoted[1:len(quoted)-1])]); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// elements calls each before every element of an array; it must read it.
func elements(d *jsontext.Decoder, each func() error) error {
	if err := begin(d, '['); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func begin(d *jsontext.Decoder, want jsontext.Kind) error {
	got, err := d.ReadToken()
	if err == nil && got.Kind() != want {
		err = fmt.Errorf("the answer has %v where %v belongs: %w", got.Kind(), want, io.ErrUnexpectedEOF)
	}
	return err
}
