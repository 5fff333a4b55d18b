package command

import (
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
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
	go func() { served <- servers.until(ctx) }()
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
		{"environment", secret, "", "", ""},
		{"file", "", file, "", ""},
		{"a bad secret is not repeated", "c2VjcmV0", "", "", "CURSOR_KEYS: cursor key 1 has 6 bytes"},
		{"no such file", "", file + "x", "", "read the cursor key"},
		{"a store on this machine", "", "", "http://127.0.0.1:8000", ""},
		{"a shared store", "", "", "", "openssl rand"},
		{"another machine's store", "", "", "http://dynamodb.example:8000", "openssl rand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(cursorKeysEnv, c.env)
			s := &serve{CursorKeysFile: c.file}
			s.DataDir = filepath.Join(t.TempDir(), "data")
			codec, err := s.cursors(c.endpoint, quiet)
			testkit.Need(t, (err == nil) == (c.want == "") && (err == nil) == (codec != nil), "%v, %v", codec, err)
			if err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "c2VjcmV0")) {
				t.Errorf("%v", err)
			}
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

func TestExplainDefault(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		flag       *bool
		demo, want bool
	}{{nil, false, false}, {nil, true, true}, {&yes, false, true}, {&no, true, false}} {
		testkit.Equal(t, (&serve{Explain: c.flag, Demo: c.demo}).explains(), c.want, "%+v", c)
	}
}
