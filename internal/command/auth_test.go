package command

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"product-comments/access"
	"product-comments/graph/playground"
)

func TestWhereWritesAreOpenWithoutAuthentication(t *testing.T) {
	var none *authentication
	for addr, want := range map[string]access.Writes{
		"127.0.0.1:8080": access.ByAnybody, "localhost:0": access.ByAnybody, "[::1]:80": access.ByAnybody,
		":8080": access.ByNobody, "0.0.0.0:8080": access.ByNobody, "[::]:80": access.ByNobody, "10.0.0.1:80": access.ByNobody, "": access.ByNobody,
	} {
		var log strings.Builder
		if got := none.rules(addr, slog.New(slog.NewTextHandler(&log, nil))); got.Writes != want || !strings.Contains(log.String(), "no authentication is configured") {
			t.Errorf("%q: %d, %s", addr, got.Writes, &log)
		}
		if got := (&authentication{}).rules(addr, quiet); got.Writes != access.ByToken {
			t.Errorf("%q with authentication: %d", addr, got.Writes)
		}
	}
}

func TestTheSecretIsMadeOnlyWhereNothingElseIsGiven(t *testing.T) {
	made := filepath.Join(t.TempDir(), "data", "auth.key")
	file := write(t, t.TempDir(), "secret", base64.StdEncoding.EncodeToString(make([]byte, 32)))
	for _, f := range []authFlags{{SecretFile: file}, {JWKSFile: "keys.json"}, {JWKSURL: "https://keys.example/"}} {
		f.RoleClaim = "role"
		if _, err := f.config(made); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(made); err == nil {
			t.Errorf("%+v: a secret was made", f)
		}
	}
	if none, err := (&authFlags{RoleClaim: "role"}).authentication(t.Context(), "", quiet); none != nil || err != nil || none.Verifier() != nil {
		t.Errorf("without flags: %+v, %v", none, err)
	}
	c, err := (&authFlags{RoleClaim: "role"}).config(made)
	if err != nil || len(c.Secrets) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

const createMutation = `mutation{createComment(input:{productId:"99",rating:5,language:"en"}){comment{rating}}}`

// as sends a request with a header Authorization.
func (s *server) as(t *testing.T, authorization, query string) (status int, answer string) {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"graphql", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// The demo shows a token, which its playground has, and the command makes others.
func TestTokensOfTheDemo(t *testing.T) {
	dataDir := filepath.Join(t.TempDir(), "data")
	s := startServer(t, dataDir, "--demo")
	if _, got := s.as(t, "", createMutation); !strings.Contains(got, `"UNAUTHENTICATED"`) || !strings.Contains(got, `"Sign in to write."`) {
		t.Errorf("anonymously: %s", got)
	}
	out := wantRun(t, t.TempDir(), "", 0, "", "token", "--data-dir="+dataDir, "--subject=alice", "--role=moderator")
	made := strings.TrimSpace(out)
	if strings.Count(made, ".") != 2 || strings.ContainsAny(made, " \n") {
		t.Fatalf("token: %q", out)
	}
	if status, got := s.as(t, "Bearer "+made, createMutation); status != 200 || !strings.Contains(got, `"rating":5`) {
		t.Errorf("with a token of the command: %d %s", status, got)
	}
	if status, got := s.as(t, "Bearer "+made[:len(made)-4], `{__typename}`); status != 401 {
		t.Errorf("with a damaged token: %d %s", status, got)
	}
	filled, ofTabs := s.filledIn(t)
	if filled == "" {
		t.Fatal("the playground has no token")
	}
	// Tabs of others have their role's, which the log has not.
	for name, want := range map[string]string{"OpenOrders": `"role":"MODERATOR"`, "Queue": `"role":"MODERATOR"`, "Deliver": `"role":"SERVICE"`, "Orders": `"subject":"demo"`} {
		if status, got := s.as(t, "Bearer "+ofTabs[name], `{viewer{subject role}}`); status != 200 || !strings.Contains(got, want) {
			t.Errorf("the tab %s: %d %s", name, status, got)
		}
	}
	s.stop(t, syscall.SIGTERM)
	if !strings.Contains(s.log.String(), "product-comments token --subject NAME") {
		t.Errorf("the log does not say how tokens are made: %s", s.log)
	}
	for name, token := range ofTabs {
		if strings.Contains(s.log.String(), token) != (token == filled) {
			t.Errorf("the log and the token of %s: %s", name, s.log)
		}
	}
	shown := regexp.MustCompile(`header="Authorization: Bearer ([^"]+)"`).FindStringSubmatch(s.log.String())
	if shown == nil || shown[1] != filled {
		t.Errorf("the log shows %q, the playground has %q", shown, filled)
	}
	if strings.Contains(s.log.String(), made) {
		t.Error("the log has a token that a client sent")
	}
	// The secret outlives the server. Without the demo nothing is shown.
	s = startServer(t, dataDir)
	if status, got := s.as(t, "Bearer "+shown[1], createMutation); status != 200 || !strings.Contains(got, `"rating":5`) {
		t.Errorf("after a restart: %d %s", status, got)
	}
	s.stop(t, syscall.SIGTERM)
	if strings.Contains(s.log.String(), "Bearer") {
		t.Errorf("a token is shown without the demo: %s", s.log)
	}
}

// filledIn returns the tokens that the playground has: the page's, and those of tabs.
func (s *server) filledIn(t *testing.T) (page string, tabs map[string]string) {
	t.Helper()
	text := get(t, s.url)
	data := regexp.MustCompile(`data-tabs="([^"]*)" data-end-cursor="[^"]*" data-token="([^"]*)"`).FindStringSubmatch(text)
	var all []playground.Tab
	if data == nil || json.Unmarshal([]byte(html.UnescapeString(data[1])), &all) != nil || len(all) == 0 {
		t.Fatalf("the playground: %s", text)
	}
	tabs = map[string]string{}
	for _, tab := range all {
		if tab.Token != "" {
			tabs[regexp.MustCompile(`(?m)^(?:query|mutation) (\w+)`).FindStringSubmatch(tab.Query)[1]] = tab.Token
		}
	}
	return data[2], tabs
}

// Staff's tokens are in the playground only where there is nothing but the demo to look
// at: not where a shop's comments were there before, or its secret signs.
func TestTokensOfStaffAreForTheDemoAlone(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	wantRun(t, dir, lines, 0, "", "import", "--data-dir="+data, "-")
	s := startServer(t, data, "--demo")
	if page, tabs := s.filledIn(t); page == "" || len(tabs) != 1 || tabs["Orders"] != page {
		t.Errorf("a table of a shop has %q and %q", page, tabs)
	}
	t.Setenv(authSecretEnv, "")
	for _, f := range []authFlags{{}, {SecretFile: "f"}, {JWKSURL: "u"}, {JWKSFile: "f"}} {
		if f.namesNothing() != (f.SecretFile+f.JWKSURL+f.JWKSFile == "") {
			t.Errorf("%+v", f)
		}
	}
	t.Setenv(authSecretEnv, "s")
	if (&authFlags{}).namesNothing() {
		t.Error("the environment has a secret")
	}
}

// A server verifies with keys that are published.
func TestServeWithPublishedKeys(t *testing.T) {
	published := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) }))
	defer published.Close()
	s := startServer(t, filepath.Join(t.TempDir(), "data"), "--auth-jwks-url="+published.URL, "--auth-issuer=https://issuer.example/", "--auth-audience=comments")
	if _, got := s.as(t, "", createMutation); !strings.Contains(got, `"Sign in to write."`) {
		t.Errorf("anonymously: %s", got)
	}
	const token = "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.e30.AAAA"
	if status, got := s.as(t, token, `{__typename}`); status != 503 || !strings.Contains(got, "UNAVAILABLE") {
		t.Errorf("while its keys are missing: %d %s", status, got)
	}
	s.stop(t, syscall.SIGTERM)
	if !strings.Contains(s.log.String(), `msg="writing needs a token" from=https://issuer.example/`) {
		t.Errorf("the log does not say who gives tokens: %s", s.log)
	}
	if !strings.Contains(s.log.String(), "could not be read") {
		t.Errorf("the log does not say that the keys are missing: %s", s.log)
	}
}
