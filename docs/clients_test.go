// Package docs holds pages for people, and the test that runs what they show.
package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/graph"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/attributes"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// block is a fenced block of a page. Its file is the second word after the fence.
var block = regexp.MustCompile("(?ms)^```([a-z]+)(?: (\\S+))?\n(.*?)^```$")

// page is api.md in a folder of its own, as a reader would have copied it.
type page struct {
	*testing.T
	folder   string
	commands []string
}

// written writes the files of the page, for the service at url.
func written(t *testing.T, folder, url string) page {
	t.Helper()
	text := testkit.Value(os.ReadFile("api.md"))(t)
	p := page{T: t, folder: folder}
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		content := strings.ReplaceAll(b[3], "http://127.0.0.1:8080", url)
		switch {
		case b[2] != "":
			p.write(b[2], content)
		case b[1] == "sh":
			p.commands = append(p.commands, strings.TrimSpace(content))
		case b[1] == "json": // an answer
		default:
			t.Fatalf("a block of %s has no file:\n%s", b[1], content)
		}
	}
	return p
}

func (p page) write(name, content string) {
	p.Helper()
	file := filepath.Join(p.folder, name)
	testkit.Must(p, os.MkdirAll(filepath.Dir(file), 0o700))
	testkit.Must(p, os.WriteFile(file, []byte(content), 0o600))
}

// run runs a command in the folder.
func (p page) run(command string, environment ...string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Dir, c.Env = p.folder, append(os.Environ(), environment...)
	begin := time.Now()
	out, err := c.CombinedOutput()
	testkit.Check(p, err == nil, "%s: %v\n%s", command, err, out)
	p.Logf("%s: %v", command, time.Since(begin).Round(time.Millisecond))
}

// copies writes what lies elsewhere into the folder.
func (p page) copies(from, name string, change func(string) string) {
	p.Helper()
	p.write(name, change(string(testkit.Value(os.ReadFile(from))(p))))
}

// front serves what another service does, and fields that fail.
func front(t *testing.T, service *apitest.Service) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(apitest.Failing(service.Config.Handler))
	t.Cleanup(s.Close)
	return s
}

// clients are scripts that use a service as the page shows.
type clients struct {
	page
	use func(pattern string) // uses scripts whose names match
}

// shopClients are the scripts with a shop and its address.
func shopClients(t *testing.T, folder string) (c clients, address string) {
	t.Helper()
	address = front(t, shop(t)).URL
	c.page = written(t, folder, address)
	scripts, err := filepath.Glob("testdata/clients/*.mjs")
	testkit.Need(t, err == nil && len(scripts) > 0, "%v %v", scripts, err)
	for _, script := range scripts {
		c.copies(script, filepath.Base(script), same)
	}
	token := strings.TrimPrefix(apitest.Authorization(t, apitest.Alice)[1], "Bearer ")
	c.use = func(pattern string) {
		t.Helper()
		found := 0
		for _, script := range scripts {
			if name := filepath.Base(script); testkit.Value(filepath.Match(pattern, name))(t) {
				found++
				c.run("node --import ./bundler.mjs "+name, "TOKEN="+token, "FAIL="+address+"/fail")
			}
		}
		testkit.Check(t, found > 0, "no script is %s", pattern)
	}
	return c, address
}

func same(s string) string { return s }

// modules returns a folder with the npm packages that the page names.
func modules(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	modules, err := filepath.Abs("../web/node_modules")
	testkit.Need(t, err == nil, "%v", err)
	testkit.Must(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	return folder
}

// A program without a library, and a list with fetch, do as the page says.
func TestClientsWithoutALibrary(t *testing.T) {
	c, _ := shopClients(t, modules(t))
	c.write("package.json", `{"type": "module"}`)
	c.use("with-[fl]*.mjs") // fetch, list
}

// Each library does with the setup that the page shows what its users expect:
// pages follow each other into one list, orders and filters are lists of their own, a
// page that fails takes no loaded comments away and its errors arrive, documents are
// named by their hashes, and types are the types of the schema.
func TestClients(t *testing.T) {
	testkit.Long(t, "it builds clients with their compilers")
	folder := modules(t)
	compiled := written(t, folder, apitest.Serve(t, func(c *httpapi.Config) { c.CacheMaxAge = 5 * time.Second }).URL)
	compiled.write("package.json", `{"type": "module"}`)
	compiled.copies("../go.mod", "go.mod", func(s string) string {
		return strings.Replace(s, "module product-comments\n", "module shop\n", 1)
	})
	compiled.copies("../go.sum", "go.sum", same)
	compiled.copies("testdata/clients/main.go", "main.go", same)
	compiled.copies("testdata/clients/src/Queue.js", "src/Queue.js", same)
	testkit.Need(t, len(compiled.commands) > 0, "the page has no commands")
	for _, command := range compiled.commands {
		compiled.run(command)
	}
	if t.Failed() {
		return
	}

	p, address := shopClients(t, folder)
	p.run("npx tsc --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 apollo.ts")
	p.use("with-*.mjs")
	p.run("go run . "+address+"/graphql", "GOFLAGS=-mod=mod")

	// Relay's client sends ids once its compiler persists what it compiles.
	p.copies(filepath.Join(folder, "relay.config.json"), "relay.config.json", func(s string) string {
		return strings.Replace(s, "{", `{"persistConfig": { "file": "./operations.json", "algorithm": "SHA256" },`, 1)
	})
	p.write("operations.json", "{}")
	p.run("npx relay-compiler")
	manifest := testkit.Value(httpapi.ReadManifest(filepath.Join(folder, "operations.json"), admission.DefaultLimits))(t)
	address = front(t, shop(t, func(c *httpapi.Config) { c.Manifest, c.ManifestOnly = manifest, true })).URL
	written(t, folder, address).run("node --import ./bundler.mjs with-relay.mjs", "FAIL="+address+"/fail")
}

// shop serves 50 comments about product 42, of two languages and two sizes.
func shop(t *testing.T, options ...func(*httpapi.Config)) *apitest.Service {
	t.Helper()
	service := apitest.Serve(t, options...)
	comments := apitest.Comments(50)
	for i := range comments {
		comments[i].Language = []string{"en", "de"}[i%2]
		comments[i].Attributes = json.RawMessage(`{"size":"` + []string{"M", "S", "S"}[i%3] + `"}`)
	}
	testkit.Value(service.Store.Attributes().Define(t.Context(), definitions.Change{
		Scope: definitions.Scope{Product: "42"},
		Definitions: []attributes.Definition{
			{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}, Shown: true},
		},
	}))(t)
	testkit.Must(t, service.Store.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	service.Fill(t, comments...)
	service.Project(t)
	return service
}

// Relay's compiler makes types without null of fields with @semanticNonNull where the query handles
// their errors, and only there.
func TestTypesWithoutNull(t *testing.T) {
	folder := t.TempDir()
	modules := testkit.Value(filepath.Abs("../web/node_modules"))(t)
	testkit.Must(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	testkit.Must(t, os.Mkdir(filepath.Join(folder, "src"), 0o755))
	query := func(name, ofQuery, ofProduct string) string {
		return "graphql`query " + name + "Query($id: ID!)" + ofQuery + " { viewer { subject } product(id: $id)" + ofProduct +
			" { comments(first: 1) { totalCount nodes { reportCount } } } }`;\n"
	}
	for name, text := range map[string]string{
		"schema.graphql": graph.SDL(), "relay.config.json": `{"src": "./src", "schema": "./schema.graphql", "language": "typescript"}`, "package.json": "{}",
		"src/Typed.ts": `import { graphql } from "relay-runtime";` + "\n" + query("TypedPlain", "", "") + query("TypedThrow", " @throwOnFieldError", "") + query("TypedCatch", "", " @catch(to: RESULT)"),
	} {
		testkit.Must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	compiler := exec.CommandContext(t.Context(), "node_modules/.bin/relay-compiler")
	compiler.Dir = folder
	out, err := compiler.CombinedOutput()
	testkit.Need(t, err == nil, "%v\n%s", err, out)
	const null = " | null | undefined"
	for name, orNull := range map[string]string{"Plain": null, "Throw": "", "Catch": ""} {
		text := testkit.Value(os.ReadFile(filepath.Join(folder, "src/__generated__/Typed"+name+"Query.graphql.ts")))(t)
		made := strings.Join(strings.Fields(string(text)), " ")
		product := "{ readonly comments: { readonly nodes: ReadonlyArray<{ readonly reportCount: number" + orNull + "; }>; readonly totalCount: number" + null + "; }" + orNull + "; }"
		if name == "Catch" {
			product = "Result<" + product + ", unknown>"
		}
		want := "readonly product: " + product + orNull + "; readonly viewer: { readonly subject: string; }" + null + "; };"
		testkit.Check(t, strings.Contains(made, want), "%s: no %s in\n%.900s", name, want, text)
	}
}

// Every library is at the version that the page points to.
func TestVersionsAreOfThePage(t *testing.T) {
	text := testkit.Value(os.ReadFile("../web/package.json"))(t)
	for _, name := range []string{"relay-runtime", "react-relay", "relay-compiler", "@apollo/client", "@urql/core", "@urql/exchange-graphcache", "@urql/exchange-persisted"} {
		testkit.Check(t, slices.Contains(strings.Fields(string(text)), fmt.Sprintf("%q:", name)), "%s is not in web/package.json", name)
	}
}
