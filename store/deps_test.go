package store_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Arrows between packages run one way: server → resolvers → graph → store →
// exec → plan → key, and what decides does no I/O.
func TestArrowsRunOneWay(t *testing.T) {
	const module = "product-comments/"
	for _, c := range []struct {
		of     []string
		forbid []string
		why    string
	}{
		{[]string{"./store/..."}, []string{"github.com/99designs/gqlgen", "github.com/vektah/gqlparser", module + "graph", module + "resolvers", module + "internal/httpapi"}, "the store knows no GraphQL"},
		{[]string{"./store/plan", "./store/cursor", "./store/key", "./store/list", "./store/exec", "./store/errs", "./store/stats"}, []string{"github.com/aws", "net/http"}, "pure packages know no client"},
		{[]string{"./store/key"}, []string{module + "store/plan", module + "store/exec", module + "store/cursor", module + "store/list"}, "keys know nothing above them"},
		{[]string{"./store/list"}, []string{module + "store/plan", module + "store/exec", module + "store/cursor", module + "store/stats"}, "a list knows places, not what is listed"},
		{[]string{"./store"}, []string{module + "store/stream", "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams", "github.com/aws/aws-lambda-go"}, "the store does not know who brings it records"},
		{[]string{"./store/plan"}, []string{module + "store/exec", module + "store/cursor"}, "plans are carried out by others"},
		{[]string{"./graph/...", "./resolvers"}, []string{module + "internal/httpapi", module + "internal/command"}, "the API does not know who serves it"},
		{[]string{"."}, []string{module + "internal/apitest", module + "store/storetest", "testing"}, "what only tests need is not in the program"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, c.of...)...)
		cmd.Dir = ".."
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			for _, f := range c.forbid {
				if dep == f || strings.HasPrefix(dep, f+"/") {
					t.Errorf("%v imports %s: %s", c.of, dep, c.why)
				}
			}
		}
	}
}
