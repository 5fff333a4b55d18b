package command

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/testkit"
)

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
	if !strings.Contains(log, "msg=request") || !strings.Contains(log, "a page was slow") || !strings.Contains(log, "PRODUCT#42") {
		t.Errorf("the log is not as talkative as it should be:\n%s", log)
	}
	for line := range strings.Lines(log) {
		testkit.Check(t, !strings.Contains(line, secret) && !strings.Contains(line, token), "the log tells: %s", line)
	}
	n := strings.Count(log, "a page was slow")
	testkit.Check(t, n != 0 && !strings.Contains(log, "\n├"), "%d plans, each in one line:\n%s", n, log)
}
