package store_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

const module = "product-comments/"

// deps lists what packages import, directly or not, themselves included.
func deps(t *testing.T, packages ...string) []string {
	t.Helper()
	return goList(t, append([]string{"-deps"}, packages...)...)
}

// goList returns the words that go list prints.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Dir = ".."
	out := testkit.Value(cmd.Output())(t)
	return strings.Fields(string(out))
}

// rooms returns the paths of rooms of the store.
func rooms(names ...string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = module + "store/" + name
	}
	return paths
}

// Arrows between packages run one way: server → resolvers → graph → store →
// exec → plan → key, and what decides does no I/O.
func TestArrowsRunOneWay(t *testing.T) {
	pure := []string{"./store/key", "./store/read/plan", "./store/read/exec", "./store/key/cursor", "./store/key/list", "./store/comment/stats", "./store/derive/pending/names", "./store/index/attributestats/summary", "./store/comment/compressed", "./store/errs", "./store/key/sortable", "./store/index/counts/ranking"}
	above := []string{module + "store/derive/stream", module + "store/derive/verify", "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams", "github.com/aws/aws-lambda-go"}
	for _, c := range []struct {
		of, forbid []string
		why        string
	}{
		{[]string{"./store/..."}, []string{"github.com/99designs/gqlgen", "github.com/vektah/gqlparser", module + "graph", module + "resolvers", module + "internal/server/httpapi"}, "the store knows no GraphQL"},
		{pure, []string{"github.com/aws", "net/http", module + "store/table", module + "store/comment/item"}, "pure packages know no client"},
		{[]string{"./access"}, []string{"github.com", "golang.org", "net", module + "store", module + "graph", module + "resolvers", module + "internal"}, "who may do what knows nothing else"},
		{[]string{"./store/..."}, []string{module + "access"}, "the store knows no roles"},
		{[]string{"./store/read/plan"}, rooms("exec", "cursor"), "plans are carried out by others"},
		{[]string{"./store"}, above, "the store does not know who brings it records"},
		{[]string{"./graph/...", "./resolvers"}, []string{module + "internal/server/httpapi", module + "internal/command"}, "the API does not know who serves it"},
		{[]string{"."}, []string{module + "internal/testing/apitest", module + "store/storetest", module + "internal/testing/checkout", "testing"}, "what only tests need is not in the program"},
	} {
		for _, dep := range deps(t, c.of...) {
			for _, f := range c.forbid {
				testkit.Check(t, dep != f && !strings.HasPrefix(dep, f+"/"), "%v imports %s: %s", c.of, dep, c.why)
			}
		}
	}
}

// Each package imports only the packages of this module that it is listed with, directly or
// not: nothing above it, and never package store itself.
func TestPackagesImportOnlyWhatIsListed(t *testing.T) {
	cache := module + "store/read/cache"
	for room, knows := range map[string][]string{
		"errs":       nil,
		"key":        nil,
		"pack":       nil,
		"list":       rooms("key"),
		"stats":      rooms("key"),
		"cursor":     rooms("key"),
		"pending":    rooms("pending/names", "item", "table", "key", "pack", "stats", "errs"),
		"table":      rooms("key", "errs"),
		"item":       rooms("table", "key", "pack", "stats", "errs"),
		"reads":      append(rooms("table", "key", "errs"), cache),
		"settings":   append(rooms("table", "reads", "key", "errs"), cache),
		"sortable":   nil,
		"ranking":    nil,
		"attributes": append(rooms("summary", "sortable", "index", "pending/names", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"index":      append(rooms("sortable", "summary", "pending/names", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"projector":  append(rooms("index", "sortable", "summary", "pending/names", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"powerset":   append(rooms("sortable", "summary", "pending/names", "index", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"tree":       rooms("stats", "key"),
		"pages":      append(rooms("ranking", "tree", "counts", "scan", "exec", "sortable", "summary", "pending", "pending/names", "index", "settings", "item", "table", "reads", "list", "plan", "key", "pack", "stats", "errs"), cache),
		"counts":     append(rooms("tree", "ranking", "scan", "exec", "sortable", "summary", "pending", "pending/names", "index", "settings", "item", "table", "reads", "list", "plan", "key", "pack", "stats", "errs"), cache),
		"attrindex":  append(rooms("ranking", "summary", "attributes", "sortable", "pending/names", "index", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"stream":     append(rooms("sortable", "summary", "pending/names", "index", "projector", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"scan":       rooms("exec", "plan", "list", "item", "table", "sortable", "summary", "key", "pack", "stats", "errs"),
		"summary":    rooms("sortable", "stats", "key"),
		"attrstats":  append(rooms("summary", "attributes", "sortable", "pending", "pending/names", "index", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"votes":      rooms("sortable", "summary", "item", "table", "key", "pack", "stats", "errs"),
		"orders":     append(rooms("scan", "sortable", "summary", "exec", "list", "plan", "index", "settings", "item", "pending/names", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"authors":    append(rooms("scan", "list", "sortable", "summary", "exec", "plan", "index", "settings", "item", "pending/names", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"purchases":  append(rooms("scan", "authors", "orders", "sortable", "summary", "exec", "list", "plan", "pending/names", "index", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"orphans":    append(rooms("sortable", "summary", "pending/names", "index", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
		"verify":     append(rooms("sortable", "summary", "pending/names", "index", "projector", "settings", "item", "table", "reads", "key", "pack", "stats", "errs"), cache),
	} {
		for _, dep := range deps(t, "./store/"+room) {
			testkit.Check(t, !strings.HasPrefix(dep, module) || dep == module+"store/"+room || slices.Contains(knows, dep), "%s imports %s", room, dep)
		}
	}
}

// Resolvers read derived data by methods of the store. Of the packages below it they import only
// vocabulary, and table for its contexts.
func TestResolversReadDerivedDataByTheStore(t *testing.T) {
	may := rooms("attributes", "cursor", "errs", "item", "key", "list", "moderation", "orders", "plan", "table", "votes")
	for _, dep := range goList(t, "-f", "{{range .Imports}}{{.}} {{end}}", "./graph/model", "./resolvers") {
		testkit.Check(t, !strings.HasPrefix(dep, module+"store/") || slices.Contains(may, dep), "resolvers import %s", dep)
	}
}
