package table

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// reader is a client that makes the first attempt of each read by itself: it sends a request like
// one that the SDK has sent with success, with the SDK's serializer, credentials, signer and
// transport. The SDK's middlewares take about a tenth of a page's processor time.
//
// If the attempt fails, the SDK takes over with its response, as if that were the response to the
// SDK's own first attempt: the SDK reads the error, corrects the clock, pauses and retries.
type reader struct {
	*dynamodb.Client
	options dynamodb.Options
	retryer aws.RetryerV2
	sample  atomic.Pointer[sample] // nil until the SDK's first success, and after a failure
}

func newReader(c *dynamodb.Client) *reader {
	r := &reader{Client: c, options: c.Options()}
	r.retryer, _ = r.options.Retryer.(aws.RetryerV2)
	return r
}

// The operations of a reader.
var (
	getItem      = smithy.NewOperationSchema(schemas.GetItem, schemas.GetItemInput, schemas.GetItemOutput)
	query        = smithy.NewOperationSchema(schemas.Query, schemas.QueryInput, schemas.QueryOutput)
	batchGetItem = smithy.NewOperationSchema(schemas.BatchGetItem, schemas.BatchGetItemInput, schemas.BatchGetItemOutput)
)

func (r *reader) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return read(ctx, r, getItem, r.Client.GetItem, in, new(dynamodb.GetItemOutput))
}

func (r *reader) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return read(ctx, r, query, r.Client.Query, in, new(dynamodb.QueryOutput))
}

func (r *reader) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return read(ctx, r, batchGetItem, r.Client.BatchGetItem, in, new(dynamodb.BatchGetItemOutput))
}

// read returns the output of a call without metadata.
func read[In smithy.Serializable, Out smithy.Deserializable](ctx context.Context, r *reader, operation *smithy.OperationSchema,
	call func(context.Context, In, ...func(*dynamodb.Options)) (Out, error), in In, out Out) (Out, error) {
	first := r.attempt(ctx, operation, in, func(response *http.Response, body []byte) error {
		if answer, ok := ctx.Value(answerKey{}).(*decodedAnswer); ok {
			return answer.from(body, any(out).(*dynamodb.QueryOutput))
		}
		return r.options.Protocol.DeserializeResponse(ctx, operation, dynamodb.TypeRegistry, &smithyhttp.Response{Response: response}, out)
	})
	if first != nil && first.done {
		return out, nil
	}
	out, err := call(ctx, in, func(o *dynamodb.Options) { o.HTTPClient = &continued{o.HTTPClient, r, first} })
	if err != nil {
		r.sample.Store(nil)
	}
	return out, err
}

// attempt is the outcome of a request.
type attempt struct {
	done     bool // with an output
	response *http.Response
	err      error
}

// attempt makes an attempt, and passes the body of a successful response to decode. It returns nil
// if there is no sample for the request.
func (r *reader) attempt(ctx context.Context, operation *smithy.OperationSchema, in smithy.Serializable,
	decode func(*http.Response, []byte) error) *attempt {
	request := r.request(ctx, operation, in)
	if request == nil {
		return nil
	}
	release, err := r.retryer.GetAttemptToken(ctx)
	if err != nil {
		return nil // the SDK reports it
	}
	response, err := r.options.HTTPClient.Do(request)
	if err != nil {
		return &attempt{err: err}
	}
	body := bodies.Get().(*bytes.Buffer)
	if err := readBody(response, body); err != nil {
		return &attempt{err: err}
	}
	if response.StatusCode != http.StatusOK || decode(response, body.Bytes()) != nil {
		response.Body = io.NopCloser(body) // from its beginning
		return &attempt{response: response}
	}
	_ = release(nil)
	if body.Cap() <= largestBody {
		body.Reset()
		bodies.Put(body)
	}
	return &attempt{done: true}
}

// readBody reads the body of a response, and leaves it in the response. It checks what the SDK does
// not: the checksum, and that a success has a body. If a check fails, its error makes the SDK retry.
func readBody(response *http.Response, body *bytes.Buffer) error {
	_, err := body.ReadFrom(response.Body)
	err = errors.Join(err, response.Body.Close())
	sum := response.Header.Get("X-Amz-Crc32")
	if sum != "" && sum != strconv.FormatUint(uint64(crc32.ChecksumIEEE(body.Bytes())), 10) || response.StatusCode == http.StatusOK && body.Len() == 0 {
		err = errors.Join(err, io.ErrUnexpectedEOF)
	}
	response.Body = io.NopCloser(bytes.NewReader(body.Bytes()))
	return err
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// largestBody keeps buffers of exceptionally large responses out of the pool.
const largestBody = 1 << 20

// sample is a request that the SDK has sent with success.
type sample struct {
	url, host              string
	header                 http.Header
	keyID, region, service string        // of its signature
	skew                   time.Duration // of the store's clock, to a second
}

var signature = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/]+)/[^/]+/([^/]+)/([^/]+)/aws4_request,`)

// newSample returns a request that was sent at a time as a sample, or nil if its signature is none
// that the reader can make.
func newSample(r *http.Request, at time.Time) *sample {
	of := signature.FindStringSubmatch(r.Header.Get("Authorization"))
	signed, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if of == nil || err != nil {
		return nil
	}
	header := http.Header{} // without ids of a call, which are the SDK's
	for _, name := range []string{"Accept-Encoding", "Content-Type", "User-Agent"} {
		header[name] = r.Header[name]
	}
	return &sample{r.URL.String(), r.Host, header, of[1], of[2], of[3], signed.Sub(at)}
}

// request returns a signed request like the sample, or nil if there is no sample for the present
// credentials.
func (r *reader) request(ctx context.Context, operation *smithy.OperationSchema, in smithy.Serializable) *http.Request {
	like := r.sample.Load()
	if like == nil || r.retryer == nil {
		return nil
	}
	credentials, err := r.options.Credentials.Retrieve(ctx)
	message := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	err = errors.Join(err, r.options.Protocol.SerializeRequest(ctx, operation, in, message))
	if err != nil || credentials.AccessKeyID != like.keyID {
		return nil
	}
	body, _ := io.ReadAll(message.GetStream()) // a stream of bytes in memory
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, like.url, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	request.Host, request.Header = like.host, like.header.Clone()
	request.Header["X-Amz-Target"] = message.Header["X-Amz-Target"]
	hash := sha256.Sum256(body)
	if r.options.HTTPSignerV4.SignHTTP(ctx, credentials, request, hex.EncodeToString(hash[:]), like.service, like.region, time.Now().Add(like.skew)) != nil {
		return nil
	}
	return request
}

// continued is the SDK's transport for a call whose first attempt may have been made.
type continued struct {
	dynamodb.HTTPClient
	reader *reader
	first  *attempt
}

// Do implements dynamodb.HTTPClient.
func (c *continued) Do(request *http.Request) (*http.Response, error) {
	if first := c.first; first != nil {
		c.first = nil
		return first.response, first.err
	}
	at := time.Now()
	response, err := c.HTTPClient.Do(request)
	if err == nil {
		err = readBody(response, new(bytes.Buffer))
	}
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		c.reader.sample.Store(newSample(request, at))
	}
	return response, nil
}
