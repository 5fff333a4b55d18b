package lambda

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/storetest"
)

// ask hands a request to a handler as Lambda's runtime does, and returns the
// answer as AWS sees it.
func ask(t *testing.T, handler http.HandlerFunc, event string) (answer events.LambdaFunctionURLResponse, body string) {
	t.Helper()
	out := testkit.Value(awslambda.NewHandler(NewWeb(handler, quiet).Handle).Invoke(t.Context(), []byte(event)))(t)
	testkit.Must(t, json.Unmarshal(out, &answer))
	plain, err := base64.StdEncoding.DecodeString(answer.Body)
	testkit.Need(t, err == nil && answer.IsBase64Encoded, "%+v: %v", answer, err)
	return answer, string(plain)
}

// A request looks as if the client had reached a server itself.
func TestRequests(t *testing.T) {
	const event = `{"version":"2.0","rawPath":"/a%2Fb/gr%C3%A4phql","rawQueryString":"query=%7Ba%7D&b=1&b=2",
		"cookies":["c=1","d=2"],
		"headers":{"content-type":"application/json","x-two":"1,2","host":"api.shop.example","x-forwarded-for":"6.6.6.6"},
		"requestContext":{"domainName":"abc.lambda-url.eu-central-1.on.aws","http":{"method":"POST","path":"/","sourceIp":"2001:db8::7"}},
		"body":"eyJhIjoxfQ==","isBase64Encoded":true}`
	answer, body := ask(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		testkit.Check(t, err == nil && string(body) == `{"a":1}` && r.ContentLength == 7, "the body is %q (%d), %v", body, r.ContentLength, err)
		cookie, err := r.Cookie("d")
		testkit.Check(t, err == nil && cookie.Value == "2", "the cookie is %v, %v", cookie, err)
		for what, got := range map[string]string{
			"POST": r.Method, "/a/b/gräphql": r.URL.Path, "/a%2Fb/gr%C3%A4phql": r.URL.EscapedPath(),
			"/a%2Fb/gr%C3%A4phql?query=%7Ba%7D&b=1&b=2": r.RequestURI, "{a}": r.URL.Query().Get("query"),
			"application/json": r.Header.Get("Content-Type"), "1,2": r.Header.Get("X-Two"),
			"api.shop.example": r.Host, "[2001:db8::7]:0": r.RemoteAddr,
		} {
			testkit.Equal(t, got, what, "it")
		}
		http.SetCookie(w, &http.Cookie{Name: "e", Value: "3"})
		http.SetCookie(w, &http.Cookie{Name: "f", Value: "4"})
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Accept")
		w.WriteHeader(http.StatusAccepted)
		w.Header().Set("X-Late", "1")
		_, _ = w.Write([]byte("\x00\xff"))
	}, event)
	want := map[string]string{"Vary": "Origin, Accept"}
	testkit.Check(t, answer.StatusCode == 202 && body == "\x00\xff" && maps.Equal(answer.Headers, want), "got %+v", answer)
	if want := []string{"e=3", "f=4"}; strings.Join(answer.Cookies, " ") != strings.Join(want, " ") {
		t.Errorf("the cookies are %q", answer.Cookies)
	}
}

const plain = `{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"GET","sourceIp":"192.0.2.1"}}}`

func TestAnswers(t *testing.T) {
	large := bytes.Repeat([]byte("x"), MaxAnswer/2+1)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		event   string
		status  int
		body    string // which the answer's begins with
	}{
		"nothing":      {func(http.ResponseWriter, *http.Request) {}, plain, 200, ""},
		"an early one": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(404) }, plain, 404, ""},
		"a panic": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half"))
			panic("fault")
		}, plain, 500, "internal error\n"},
		"no base64":  {nil, strings.Replace(plain, `{"v`, `{"body":"%","isBase64Encoded":true,"v`, 1), 400, "the body is not base64"},
		"a bad path": {func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }, strings.Replace(plain, `"/"`, `"/%zz"`, 1), 200, "/%zz"},
		"too much": {func(w http.ResponseWriter, _ *http.Request) {
			for range 2 {
				n, err := w.Write(large)
				testkit.Check(t, (err == nil) == (n > 0), "wrote %d, %v", n, err)
			}
		}, plain, 500, "The answer exceeds 4500000 bytes"},
	} {
		answer, body := ask(t, c.handler, c.event)
		testkit.Check(t, answer.StatusCode == c.status && strings.HasPrefix(body, c.body) && (c.body == "") == (body == ""), "%s: %d %.100s", name, answer.StatusCode, body)
	}
}

// What is allowed fits into what Lambda passes on, with its headers.
func TestLargestAnswer(t *testing.T) {
	out, err := awslambda.NewHandler(NewWeb(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Header", strings.Repeat("x", 64<<10))
		_, _ = w.Write(make([]byte, MaxAnswer))
	}), quiet).Handle).Invoke(t.Context(), []byte(plain))
	testkit.Check(t, err == nil && len(out) <= 6<<20 && len(out) >= MaxAnswer, "%d bytes, %v", len(out), err)
	_, err = NewWeb(nil, quiet).Handle(t.Context(), events.LambdaFunctionURLRequest{})
	testkit.Fails(t, err, "function URL")
}

// With these the test binary is the function.
const (
	endpointEnv = "TEST_FUNCTION_ENDPOINT"
	tableEnv    = "TEST_FUNCTION_TABLE"
)

func startOn(endpoint, table string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	client := dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
	Start(ctx, New(store.New(client, table, store.Options{}).Projector(), slog.New(slog.NewTextHandler(os.Stderr, nil))).Handle)
}

// A process takes an event from Lambda's runtime API, answers it, and ends in
// good order when it is asked to.
func TestStart(t *testing.T) {
	s := open(t, storetest.Remote(t), storetest.TableName(t)) // another process reaches it
	function := exec.CommandContext(t.Context(), os.Args[0])
	function.Env = append(os.Environ(), endpointEnv+"="+storetest.Endpoint(t), tableEnv+"="+s.Table())
	answer, log := testkit.OnLambda(t, function, recorded(t, "comments", s.Table()))
	testkit.Check(t, answer == "response "+allWell && !strings.Contains(log, "WARNING"), "the server answered %s, it logged %s", answer, log)
	want(t, open(t, storetest.Remote(t), s.Table()), map[string]stats.Tally{"42": {3: 1}})
}
