package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"product-comments/internal/testing/testkit"
)

// module is the path of the module, whatever it was set to.
var module = strings.TrimSuffix(reflect.TypeFor[listed]().PkgPath(), "/store_test")

// wings are the wings of the program, lowest first, as docs/design.md draws them, each with those
// that its packages import. A wing is a folder with all below it; "store" is the verbs alone, "." is
// server.go.
var wings = []struct{ name, imports string }{
	{"store/errs", ""},
	{"store/key", ""},
	{"store/table", "store/errs store/key"},
	{"store/comment", "store/errs store/key store/table"},
	{"store/read", "store/errs store/key store/table store/comment"},
	{"store/settings", "store/errs store/key store/table store/comment store/read"},
	{"store/orders", "store/errs store/key store/table store/comment store/read"},
	{"store/derive", "store/errs store/key store/table store/comment store/settings"},
	{"store/outbox", "store/errs store/key store/table store/comment store/read store/settings store/derive"},
	{"store/index", "store/errs store/key store/table store/comment store/read store/settings store/orders store/derive"},
	{"store", "store/errs store/key store/table store/comment store/read store/settings store/orders store/derive store/outbox store/index"},
	{"access", ""},
	{"graph", "store/errs store/key store/comment store/read store/orders store/outbox store/index store access"},
	{"resolvers", "store/errs store/key store/table store/comment store/read store/settings store/orders store/outbox store access graph"},
	{"internal/files", "store/errs store/key store/table store/comment store/read store/settings store/orders store/index store graph"},
	{"internal/delivery", "store/key store/comment store/orders store/outbox internal/files"},
	{"internal/engine", "store/key store/table internal/files"},
	{"internal/site", "store/errs store/key store/comment store/read store/orders store access internal/files"},
	{"internal/server", "store/errs store/key store/table store/comment store/read store/settings store/orders store/derive store/outbox store/index store access graph resolvers internal/files internal/site"},
	{"internal/lambda", "store/table store/settings store/derive"},
	{"internal/command", "store/errs store/key store/table store/comment store/read store/settings store/orders store/derive store/outbox store access graph internal/files internal/delivery internal/engine internal/site internal/server internal/lambda"},
	{".", "internal/command"},
}

// around are folders with what is not in the program: tests, tools and their helpers.
var around = []string{"store/simulation", "store/storetest", "internal/testing", "deploy", "docs", "examples", "tools"}

// listed is what go list says about a package.
type listed struct {
	ImportPath    string
	Imports, Deps []string
}

// program lists all packages of the module.
var program = sync.OnceValues(func() (all []listed, err error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = ".."
	text, err := cmd.Output()
	for out := json.NewDecoder(bytes.NewReader(text)); err == nil; {
		var p listed
		if err = out.Decode(&p); err == nil {
			all = append(all, p)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
})

// within reports whether a package is in a folder, or below it; both are below the module.
func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// local returns a package's path below the module, "" for packages of others.
func local(path string) string {
	if path == module {
		return "."
	}
	below, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	return below
}

// wingOf returns the name of a package's wing, "" for none.
func wingOf(path string) string {
	for _, w := range wings {
		if path == w.name || w.name != "store" && within(path, w.name) {
			return w.name
		}
	}
	return ""
}

// Arrows between wings point down.
func TestWingsImportOnlyWingsBelow(t *testing.T) {
	used := map[[2]string]bool{}
	may := map[string][]string{}
	for _, w := range wings {
		for _, lower := range strings.Fields(w.imports) {
			testkit.Check(t, may[lower] != nil, "%s is not below %s", lower, w.name)
		}
		may[w.name] = append(strings.Fields(w.imports), w.name)
	}
	for _, p := range testkit.Value(program())(t) {
		path := local(p.ImportPath)
		of := wingOf(path)
		if of == "" {
			isAround := slices.ContainsFunc(around, func(folder string) bool { return within(path, folder) })
			testkit.Check(t, isAround, "%s is in no wing: add it to one, here and in docs/design.md", path)
			continue
		}
		for _, imported := range p.Imports {
			if to := local(imported); to != "" {
				testkit.Check(t, slices.Contains(may[of], wingOf(to)), "%s imports %s: %s knows only %s", path, to, of, may[of])
				used[[2]string{of, wingOf(to)}] = true
			}
		}
	}
	for _, w := range wings {
		for _, lower := range strings.Fields(w.imports) {
			testkit.Check(t, used[[2]string{w.name, lower}], "%s does not import %s any more: remove it from the table", w.name, lower)
		}
	}
}

// What decides does no I/O, and what is general knows nothing special, directly or not.
func TestWhatPackagesKnow(t *testing.T) {
	all := testkit.Value(program())(t)
	for _, c := range []struct {
		of, forbid, why string
	}{
		{"store/...", "github.com/99designs/gqlgen github.com/vektah/gqlparser graph", "the store knows no GraphQL"},
		{"store/...", "access", "the store knows no roles"},
		{"store/errs store/key/... store/read/plan store/read/exec store/comment/stats store/comment/compressed store/derive/pending/names store/index/attributestats/summary store/index/counts/ranking store/index/pages/tree",
			"github.com/aws net/http store/table store/comment/item", "pure packages know no client"},
		{"store/read/plan", "store/read/exec store/key/cursor", "plans are carried out by others"},
		{"store", "store/derive/stream store/derive/verify github.com/aws/aws-sdk-go-v2/service/dynamodbstreams github.com/aws/aws-lambda-go", "the store does not know who brings it records"},
		{"access", "github.com golang.org net", "who may do what knows nothing else"},
		{".", "internal/testing store/storetest store/simulation testing", "what only tests need is not in the program"},
	} {
		for _, p := range all {
			if !slices.ContainsFunc(strings.Fields(c.of), func(of string) bool {
				folder, all := strings.CutSuffix(of, "/...")
				return local(p.ImportPath) == folder || all && within(local(p.ImportPath), folder)
			}) {
				continue
			}
			for _, dep := range p.Deps {
				name := local(dep)
				if name == "" {
					name = dep
				}
				for f := range strings.FieldsSeq(c.forbid) {
					testkit.Check(t, !within(name, f), "%s imports %s: %s", p.ImportPath, dep, c.why)
				}
			}
		}
	}
	// Of the packages below the store, resolvers import only vocabulary, and table for its contexts.
	may := strings.Fields("comment/attributes comment/item comment/moderation comment/votes errs key key/cursor key/invitations key/list key/photo orders orders/requests outbox read/plan settings/definitions table")
	for _, p := range all {
		if path := local(p.ImportPath); path != "graph/model" && path != "resolvers" {
			continue
		}
		for _, dep := range p.Imports {
			room, below := strings.CutPrefix(local(dep), "store/")
			testkit.Check(t, !below || slices.Contains(may, room), "resolvers import %s, and read derived data by the store", dep)
		}
	}
}
