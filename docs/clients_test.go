// Package docs holds pages for people, and the test that runs what they show.
package docs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/apitest"
	"product-comments/internal/httpapi"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// block is a fenced block of a page. Its file is the second word after the fence.
var block = regexp.MustCompile("(?ms)^```([a-z]+)(?: (\\S+))?\n(.*?)^```$")

// page is clients.md in a folder of its own, as a reader would have copied it.
type page struct {
	*testing.T
	folder   string
	commands []string
}

// written writes the files of the page, for the service at url.
func written(t *testing.T, folder, url string) page {
	t.Helper()
	text, err := os.ReadFile("clients.md")
	if err != nil {
		t.Fatal(err)
	}
	p := page{T: t, folder: folder}
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		content := strings.ReplaceAll(b[3], "http://127.0.0.1:8080", url)
		switch {
		case b[2] != "":
			p.write(b[2], content)
		case b[1] == "sh":
			p.commands = append(p.commands, strings.TrimSpace(content))
		default:
			t.Fatalf("a block of %s has no file:\n%s", b[1], content)
		}
	}
	return p
}

func (p page) write(name, content string) {
	p.Helper()
	file := filepath.Join(p.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		p.Fatal(err)
	}
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
	if err != nil {
		p.Errorf("%s: %v\n%s", command, err, out)
	}
	p.Logf("%s: %v", command, time.Since(begin).Round(time.Millisecond))
}

// copies writes what lies elsewhere into the folder.
func (p page) copies(from, name string, change func(string) string) {
	p.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		p.Fatal(err)
	}
	p.write(name, change(string(content)))
}

// Each library does with the setup that the page shows what its users expect:
// pages follow each other into one list, filters are lists of their own, documents
// are named by their hashes, and types are those of the schema.
func TestClients(t *testing.T) {
	folder := t.TempDir()
	same := func(s string) string { return s }
	modules, err := filepath.Abs("../web/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	compiled := written(t, folder, apitest.Serve(t).URL)
	compiled.write("package.json", `{"type": "module"}`)
	compiled.copies("../go.mod", "go.mod", func(s string) string {
		return strings.Replace(s, "module product-comments\n", "module shop\n", 1)
	})
	compiled.copies("../go.sum", "go.sum", same)
	compiled.copies("testdata/clients/main.go", "main.go", same)
	if len(compiled.commands) == 0 {
		t.Fatal("the page has no commands")
	}
	for _, command := range compiled.commands {
		compiled.run(command)
	}
	if t.Failed() {
		return
	}

	manifest, err := httpapi.ReadManifest(filepath.Join(folder, "operations.json"), httpapi.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	service := apitest.Serve(t, func(c *httpapi.Config) { c.Manifest = manifest })
	comments := apitest.Comments(50)
	for i := range comments {
		comments[i].Language = []string{"en", "de"}[i%2]
	}
	service.Fill(t, comments...)
	service.Project(t)

	p := written(t, folder, service.URL)
	scripts, err := filepath.Glob("testdata/clients/*.mjs")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	token := apitest.Authorization(t, apitest.Alice)[1]
	for _, script := range scripts {
		p.copies(script, filepath.Base(script), same)
	}
	for _, script := range scripts {
		if name := filepath.Base(script); name != "same.mjs" {
			p.run("node "+name, "TOKEN="+strings.TrimPrefix(token, "Bearer "))
		}
	}
	p.run("npx tsc --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 typed/reviews.ts")
	p.run("go run . "+service.URL+"/graphql", "GOFLAGS=-mod=mod")
}

// Every library is at the version that the page points to.
func TestVersionsAreOfThePage(t *testing.T) {
	text, err := os.ReadFile("../web/package.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"relay-runtime", "relay-compiler", "@apollo/client", "@urql/core", "@urql/exchange-graphcache", "@urql/exchange-persisted", "@graphql-codegen/cli"} {
		if !slices.Contains(strings.Fields(string(text)), fmt.Sprintf("%q:", name)) {
			t.Errorf("%s is not in web/package.json", name)
		}
	}
}
