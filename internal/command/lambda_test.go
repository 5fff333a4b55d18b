package command

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// On Lambda, a function whose handler is serve answers requests, by the flags'
// environment names, and ends when it is told to.
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
