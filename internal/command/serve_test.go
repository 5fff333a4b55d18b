package command

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/admission"
	"product-comments/internal/testing/testkit"
	"product-comments/store/read/cache"
)

var quiet = slog.New(slog.DiscardHandler)

// A signal ends no request: what runs is finished, what comes is refused.
func TestServeFinishesWhatIsRunning(t *testing.T) {
	listener := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	url := "http://" + listener.Addr().String()
	started, finish := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(started)
		<-finish
		_, _ = io.WriteString(w, "done")
	})
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	servers := serving{log: quiet, drain: func() {}}
	servers.add(listener, newServer(handler, time.Minute, quiet))
	go func() { served <- servers.serve(ctx) }()
	answered := make(chan string, 1)
	go func() {
		response, err := http.Get(url)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answered <- string(body)
	}()
	<-started
	cancel()
	for { // until the listener is closed
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			break
		}
		conn.Close()
	}
	select {
	case err := <-served:
		t.Fatalf("it ended with a request under way: %v", err)
	default:
	}
	close(finish)
	testkit.Equal(t, <-answered, "done", "the request under way")
	testkit.Must(t, <-served)
}

func TestCursorKeys(t *testing.T) {
	secret := base64.StdEncoding.EncodeToString(make([]byte, 32))
	file := write(t, t.TempDir(), "keys", secret+"\n"+secret)
	for _, c := range []struct {
		name, env, file, endpoint string
		want                      string // part of the error; "" is success
	}{
		{"the secret is in the environment", secret, "", "", ""},
		{"the secret is in a file", "", file, "", ""},
		{"a bad secret is not repeated", "c2VjcmV0", "", "", "CURSOR_KEYS: cursor key 1 has 6 bytes"},
		{"the file of the secret is missing", "", file + "x", "", "read the cursor key"},
		{"a store on this machine needs no secret", "", "", "http://127.0.0.1:8000", ""},
		{"a shared store needs a secret", "", "", "", "openssl rand"},
		{"another machine's store needs a secret", "", "", "http://dynamodb.example:8000", "openssl rand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(cursorKeysEnv, c.env)
			t.Setenv(endpointEnv, c.endpoint)
			s := &serveCmd{keyFlags: keyFlags{CursorKeysFile: c.file}}
			s.Engine = engineDynamoDB
			s.DataDir = filepath.Join(t.TempDir(), "data")
			keys, err := s.need(&s.storeFlags)
			testkit.Need(t, (err == nil) == (c.want == "") && (err == nil) == (keys != nil), "%d keys, %v", len(keys), err)
			testkit.Check(t, err == nil || strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "c2VjcmV0"), "%v", err)
		})
	}
}

func TestEngineDefault(t *testing.T) {
	for _, c := range []struct{ flag, endpoint, want string }{
		{"", "", engineEmbedded}, {"", "http://127.0.0.1:8000", engineDynamoDB},
		{engineEmbedded, "http://127.0.0.1:8000", engineEmbedded}, {engineDynamoDB, "", engineDynamoDB},
	} {
		t.Setenv(endpointEnv, c.endpoint)
		testkit.Equal(t, (&storeFlags{Engine: c.flag}).engineName(), c.want, "%+v", c)
	}
}

// Who asks on this machine is limited only by a limit that was given; a limit of 0 is
// none.
func TestWhoIsLimited(t *testing.T) {
	none, some := 0, 6000
	for _, c := range []struct {
		flag           *int
		limited, local bool
	}{{nil, true, false}, {&some, true, true}, {&none, false, true}} {
		l, err := (&limitFlags{RateLimit: c.flag, MaxCost: 5000}).limits(time.Second, admission.Divide(1<<28, 0))
		if err != nil || l.Slots == nil || l.Answers == nil || l.Bodies == nil || (l.CostBudget != nil) != c.limited || l.Local != c.local {
			t.Errorf("%+v: %+v, %v", c, l, err)
		}
	}
}

func TestHostsOfAnAddress(t *testing.T) {
	here := hostsAt(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, []string{"Shop.Example"})
	testkit.Check(t, here.Loopback && here.Names[0] == "shop.example", "%+v", here)
	there := hostsAt(&net.TCPAddr{IP: net.IPv4zero}, nil)
	testkit.Check(t, there.Any(), "%+v", there)
}

func TestMemoryFlag(t *testing.T) {
	f := limitFlags{Memory: cache.Size(1 << 30)}
	m, err := f.memory(512 << 20)
	testkit.Check(t, err == nil && m.Total == 1<<30 && m.Answers == 64<<20, "%+v, %v", m, err)
	testkit.Check(t, testkit.Err(f.memory(600<<20)) != nil, "caches may take more than half of the memory")
	m, err = (&limitFlags{}).memory(0)
	testkit.Check(t, err == nil && m.Total >= admission.LeastMemory, "%+v, %v", m, err)
}

// Visitors may vote where requests are limited. A secret is made there, and nowhere else.
func TestVisitorFlags(t *testing.T) {
	dir := t.TempDir()
	none, some := 0, 60000
	for limit, f := range map[*int]visitorFlags{nil: {AnonymousVotes: true}, &some: {AnonymousVotes: true}, &none: {}} {
		testkit.Must(t, f.checkVisitors(limit))
	}
	c, err := (&visitorFlags{}).visitors(filepath.Join(dir, "none"))
	testkit.Check(t, c == nil && err == nil, "off: %v, %v", c, err)
	testkit.Check(t, testkit.Err(os.Stat(filepath.Join(dir, "none"))) != nil, "a secret is made for nothing")
	made := filepath.Join(dir, "visitor.key")
	c, err = (&visitorFlags{AnonymousVotes: true}).visitors(made)
	testkit.Check(t, c != nil && err == nil, "made: %v, %v", c, err)
	info, err := os.Stat(made)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o600, "%v, %v", info, err)
}

// On Lambda, a function whose handler is serve answers requests, by the flags'
// environment names, and ends when it is asked to.
func TestServeOnLambda(t *testing.T) {
	const event = `{"version":"2.0","rawPath":"/graphql","headers":{"content-type":"application/json","host":"localhost"},
		"requestContext":{"domainName":"localhost","http":{"method":"POST","sourceIp":"192.0.2.1"}},
		"body":"{\"query\":\"{product(id:\\\"42\\\"){comments{nodes{id}}}}\"}"}`
	function := exec.CommandContext(t.Context(), program)
	function.Env = append(environment(), lambdaHandlerEnv+"="+lambdaServes, "DATA_DIR="+t.TempDir())
	text, _ := testkit.OnLambda(t, function, []byte(event))
	var answer struct {
		StatusCode int
		Body       []byte // which is base64
	}
	err := json.Unmarshal([]byte(strings.TrimPrefix(text, "response ")), &answer)
	testkit.Check(t, err == nil, "%v: %s", err, text)
	want := `{"data":{"product":{"comments":{"nodes":[]}}}`
	testkit.Check(t, answer.StatusCode == 200 && strings.HasPrefix(string(answer.Body), want), "%d %s", answer.StatusCode, answer.Body)
}
