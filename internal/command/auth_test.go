package command

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"product-comments/access"
	"product-comments/internal/server/auth"
	"product-comments/internal/site/playground"
	"product-comments/internal/testing/testkit"
)

func TestWhereWritesAreOpenWithoutAuthentication(t *testing.T) {
	for addr, want := range map[string]access.Writes{
		"127.0.0.1:8080": access.ByEveryone, "localhost:0": access.ByEveryone, "[::1]:80": access.ByEveryone,
		":8080": access.ByNone, "0.0.0.0:8080": access.ByNone, "[::]:80": access.ByNone, "10.0.0.1:80": access.ByNone, "": access.ByNone,
	} {
		var log strings.Builder
		got := (&authentication{}).rules(addr, false, slog.New(slog.NewTextHandler(&log, nil)))
		testkit.Check(t, got.Writes == want && strings.Contains(log.String(), "no authentication is configured"), "%q: %d, %s", addr, got.Writes, &log)
		got = (&authentication{verifier: &auth.Authenticator{}}).rules(addr, false, quiet)
		testkit.Check(t, got.Writes == access.ByToken, "%q with authentication: %d", addr, got.Writes)
		got = (&authentication{}).rules(addr, true, quiet)
		testkit.Check(t, (got.Writes == access.ByEveryone) == (want == access.ByEveryone) && got.Writes != access.ByNone, "%q with a sign-in of the staff: %d", addr, got.Writes)
	}
}

func TestTheSecretIsMadeOnlyWhereNothingElseIsGiven(t *testing.T) {
	made := filepath.Join(t.TempDir(), "data", "auth.key")
	file := write(t, t.TempDir(), "secret", base64.StdEncoding.EncodeToString(make([]byte, 32)))
	for _, f := range []authFlags{{SecretFile: file}, {JWKSFile: "keys.json"}, {JWKSURL: "https://keys.example/"}} {
		f.RoleClaim = "role"
		testkit.Value(f.config(made))(t)
		testkit.Check(t, testkit.Err(os.Stat(made)) != nil, "%+v: a secret was made", f)
	}
	if none, err := (&authFlags{RoleClaim: "role"}).authentication(t.Context(), "", quiet); err != nil || none.verifier != nil {
		t.Errorf("without flags: %+v, %v", none, err)
	}
	c, err := (&authFlags{RoleClaim: "role"}).config(made)
	testkit.Need(t, err == nil && len(c.Secrets) == 1, "%+v, %v", c, err)
	info, err := os.Stat(made)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o600, "%v, %v", info, err)
}

const createMutation = `mutation{createComment(input:{productId:"99",rating:5,language:"en"}){comment{rating}}}`

// as sends a request with a header Authorization.
func (s *server) as(t *testing.T, authorization, query string) (status int, answer string) {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"graphql", strings.NewReader(string(body)))
	testkit.Need(t, err == nil, "%v", err)
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	response := testkit.Value(http.DefaultClient.Do(r))(t)
	defer response.Body.Close()
	text := testkit.Value(io.ReadAll(response.Body))(t)
	return response.StatusCode, string(text)
}

// The demo shows a token, which its playground has, and the command makes others.
func TestTokensOfTheDemo(t *testing.T) {
	dataDir := filepath.Join(t.TempDir(), "data")
	s := startServer(t, dataDir, "--demo")
	_, got := s.as(t, "", createMutation)
	testkit.Check(t, strings.Contains(got, `"UNAUTHENTICATED"`) && strings.Contains(got, `"Sign in to write."`), "anonymously: %s", got)
	out := wantRun(t, t.TempDir(), "", 0, "", "token", "--data-dir="+dataDir, "--subject=alice", "--role=moderator")
	made := strings.TrimSpace(out)
	testkit.Need(t, strings.Count(made, ".") == 2 && !strings.ContainsAny(made, " \n"), "token: %q", out)
	status, got := s.as(t, "Bearer "+made, createMutation)
	testkit.Check(t, status == 200 && strings.Contains(got, `"rating":5`), "with a token of the command: %d %s", status, got)
	status, got = s.as(t, "Bearer "+made[:len(made)-4], `{__typename}`)
	testkit.Check(t, status == 401, "with a damaged token: %d %s", status, got)
	filled, ofTabs := s.filledIn(t)
	testkit.Need(t, filled != "", "the playground has no token")
	// Tabs of others have their role's, which the log has not.
	for name, want := range map[string]string{"UnpaidOrders": `"role":"MODERATOR"`, "CommentsToModerate": `"role":"MODERATOR"`, "MarkAsDelivered": `"role":"SERVICE"`, "MyOrdersAndComments": `"subject":"demo"`} {
		status, got := s.as(t, "Bearer "+ofTabs[name], `{viewer{subject role}}`)
		testkit.Check(t, status == 200 && strings.Contains(got, want), "the tab %s: %d %s", name, status, got)
	}
	s.stop(t, syscall.SIGTERM)
	testkit.Check(t, strings.Contains(s.log.String(), "product-comments token --subject NAME"), "the log does not say how tokens are made: %s", s.log)
	for name, token := range ofTabs {
		testkit.Check(t, strings.Contains(s.log.String(), token) == (token == filled), "the log and the token of %s: %s", name, s.log)
	}
	shown := regexp.MustCompile(`header="Authorization: Bearer ([^"]+)"`).FindStringSubmatch(s.log.String())
	testkit.Check(t, shown != nil && shown[1] == filled, "the log shows %q, the playground has %q", shown, filled)
	testkit.Check(t, !strings.Contains(s.log.String(), made), "the log has a token that a client sent")
	// The secret outlives the server. Without the demo nothing is shown.
	s = startServer(t, dataDir)
	status, got = s.as(t, "Bearer "+shown[1], createMutation)
	testkit.Check(t, status == 200 && strings.Contains(got, `"rating":5`), "after a restart: %d %s", status, got)
	s.stop(t, syscall.SIGTERM)
	testkit.Check(t, !strings.Contains(s.log.String(), "Bearer"), "a token is shown without the demo: %s", s.log)
}

// filledIn returns the tokens in the playground: the page's, and the tabs' by name.
func (s *server) filledIn(t *testing.T) (page string, tabs map[string]string) {
	t.Helper()
	text := get(t, s.url+"/playground")
	data := regexp.MustCompile(`data-tabs="([^"]*)" data-end-cursor="[^"]*" data-token="([^"]*)"`).FindStringSubmatch(text)
	var all []playground.Tab
	testkit.Need(t, data != nil && json.Unmarshal([]byte(html.UnescapeString(data[1])), &all) == nil && len(all) > 0, "the playground: %s", text)
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
	page, tabs := s.filledIn(t)
	testkit.Check(t, page != "" && len(tabs) == 1 && tabs["MyOrdersAndComments"] == page, "a table of a shop has %q and %q", page, tabs)
	t.Setenv(authSecretEnv, "")
	for _, f := range []authFlags{{}, {SecretFile: "f"}, {JWKSURL: "u"}, {JWKSFile: "f"}} {
		testkit.Check(t, f.unconfigured() == (f.SecretFile+f.JWKSURL+f.JWKSFile == ""), "%+v", f)
	}
	t.Setenv(authSecretEnv, "s")
	testkit.Check(t, !(&authFlags{}).unconfigured(), "the environment has a secret")
}

// A server verifies with keys that are published.
func TestServeWithPublishedKeys(t *testing.T) {
	published := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) }))
	defer published.Close()
	s := startServer(t, filepath.Join(t.TempDir(), "data"), "--auth-jwks-url="+published.URL, "--auth-issuer=https://issuer.example/", "--auth-audience=comments")
	_, got := s.as(t, "", createMutation)
	testkit.Check(t, strings.Contains(got, `"Sign in to write."`), "anonymously: %s", got)
	const token = "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.e30.AAAA"
	status, got := s.as(t, token, `{__typename}`)
	testkit.Check(t, status == 503 && strings.Contains(got, "UNAVAILABLE"), "while its keys are missing: %d %s", status, got)
	s.stop(t, syscall.SIGTERM)
	testkit.Check(t, strings.Contains(s.log.String(), `msg="writes require a token" from=https://issuer.example/`), "the log does not say who gives tokens: %s", s.log)
	testkit.Check(t, strings.Contains(s.log.String(), "could not be read"), "the log does not say that the keys are missing: %s", s.log)
}

// Whatever a client sends, and wherever it puts it, the log of the most talkative
// level holds nothing of it but ids of products and of requests.
func TestLogHoldsNoSecrets(t *testing.T) {
	const secret = "s3cr3t"
	dir := t.TempDir()
	key := write(t, dir, "secret", strings.Repeat(secret, 12))
	s := startServer(t, filepath.Join(dir, "data"), "--log-level=debug", "--slow-page=1ns", "--admin-addr=127.0.0.1:0", "--auth-secret-file="+key)
	token := strings.TrimSpace(wantRun(t, dir, "", 0, "", "token", "--subject="+secret+"-somebody", "--role=author", "--auth-secret-file="+key))
	text := secret + " title"
	create := fmt.Sprintf(`{"query":"mutation Create($text: String!) { createComment(input: {productId: \"42\", rating: 5, language: \"en\", title: $text, text: $text, author: $text, idempotencyKey: \"%s\"}) { comment { id } } }","variables":{"text":%q}}`, secret, text)
	quoted := url.QueryEscape(`{ product(id: "42") { comments(language: "` + secret + `") { totalCount } } }`)
	answers := 0
	for _, c := range []struct{ method, path, body, token string }{
		{http.MethodPost, "/graphql", create, token},
		{http.MethodPost, "/graphql", create, token + secret},                       // a bad signature
		{http.MethodPost, "/graphql", create, secret + "." + secret + "." + secret}, // no token at all
		{http.MethodPost, "/graphql", strings.Replace(create, `"en"`, `"`+secret+`!"`, 1), token},
		{http.MethodPost, "/graphql", strings.Replace(create, "\\\"en\\\"", "\\\""+secret+"!\\\"", 1), token},
		{http.MethodPost, "/graphql", `{"query":"{ product(id: \"42\") { comments { nodes { title text author } } } }"}`, ""},
		{http.MethodPost, "/graphql", `{"query":"{ product(id: \"42\") { comments(after: \"` + secret + `\") { totalCount } } }"}`, ""},
		{http.MethodPost, "/graphql", `{"query":"{ ` + secret + ` }"}`, ""},
		{http.MethodPost, "/graphql", `{"query":"{ ` + secret, ""},
		{http.MethodPost, "/graphql", `{"query":"query($s3cr3t: Int!) { __typename }","variables":{"s3cr3t":"` + secret + `"}}`, ""},
		{http.MethodGet, "/graphql?query=" + quoted + "&extensions=" + secret, "", ""},
		{http.MethodGet, "/graphql?query=" + quoted, "", ""},
		{http.MethodGet, "/readyz?" + secret + "=" + secret, "", ""},
		{http.MethodGet, "/?token=" + secret, "", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, strings.TrimSuffix(s.url, "/")+c.path, strings.NewReader(c.body))
		testkit.Need(t, err == nil, "%v", err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Cookie", "session="+secret)
		r.Header.Set("X-Api-Key", secret)
		r.Header.Set("User-Agent", secret)
		r.Header.Set("Referer", "http://"+secret+".example/")
		r.Header.Set("Traceparent", secret)
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		answer := testkit.Value(http.DefaultClient.Do(r))(t)
		body := testkit.Value(io.ReadAll(answer.Body))(t)
		if answers++; answers == 1 && !strings.Contains(string(body), `"data":{"createComment":{"comment":{"id"`) {
			t.Fatalf("nothing was created: %s", body)
		}
		testkit.Must(t, answer.Body.Close())
	}
	// What is not HTTP makes the server itself complain.
	conn := testkit.Value(net.Dial("tcp", strings.Trim(strings.TrimPrefix(s.url, "http://"), "/")))(t)
	_, _ = fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: a\r\nAuth%s orization: %s\r\n\r\n", secret, secret, secret)
	_, _ = io.ReadAll(conn)
	_ = conn.Close()
	s.stop(t, syscall.SIGTERM)
	log := s.log.String()
	if !strings.Contains(log, "msg=request") || !strings.Contains(log, "a page exceeded --slow-page") || !strings.Contains(log, "PRODUCT#42") {
		t.Errorf("the log is not as talkative as it should be:\n%s", log)
	}
	for line := range strings.Lines(log) {
		testkit.Check(t, !strings.Contains(line, secret) && !strings.Contains(line, token), "the log tells: %s", line)
	}
	n := strings.Count(log, "a page exceeded --slow-page")
	testkit.Check(t, n != 0 && !strings.Contains(log, "\n├"), "%d plans, each in one line:\n%s", n, log)
}
