package examples

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/graph"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
)

const client = "../clients/typescript/"

// ran runs a command in a folder to its end, and returns what it writes.
func ran(t *testing.T, folder string, environment []string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir, c.Env = folder, append(os.Environ(), environment...)
	out, err := c.CombinedOutput()
	testkit.Need(t, err == nil, "%q: %v\n%s", command, err, out)
	return string(out)
}

// The package that examples use is of this schema, and so are its operations.
func TestThePackageIsOfTheSchema(t *testing.T) {
	built, err := os.ReadFile(client + "dist/schema.graphql")
	testkit.Need(t, err == nil, "this test needs the package for TypeScript: run `make tools` first: %v", err)
	testkit.Check(t, string(built) == string(testkit.Value(os.ReadFile("../schema.graphqls"))(t)), "the package is of another schema: run `make tools`")
	text := testkit.Value(os.ReadFile(client + "src/documents.graphql"))(t)
	documents, problems := gqlparser.LoadQueryWithRules(graph.NewExecutableSchema(graph.Config{}).Schema(), string(text), rules.NewDefaultRules())
	testkit.Need(t, len(problems) == 0, "%v", problems)
	testkit.Check(t, len(documents.Operations) >= 9, "the package has %d operations", len(documents.Operations))
}

// The archive that npm packs has what its README shows: typed operations in a program, and the element
// in a page of another origin.
func TestThePackage(t *testing.T) {
	modules := testkit.Value(filepath.Abs(client + "node_modules"))(t)
	_, err := os.Stat(filepath.Join(modules, ".all"))
	testkit.Need(t, err == nil, "this test needs the package for TypeScript: run `make tools` first: %v", err)
	folder := t.TempDir()
	archive := strings.TrimSpace(ran(t, client, nil, "npm", "pack", "--silent", "--pack-destination", folder))
	installed := filepath.Join(folder, "node_modules", "product-comments")
	testkit.Must(t, os.MkdirAll(installed, 0o700))
	ran(t, folder, nil, "tar", "-xzf", archive, "-C", installed, "--strip-components=1")
	for _, name := range []string{"graphql", "@graphql-typed-document-node"} {
		testkit.Must(t, os.Symlink(filepath.Join(modules, name), filepath.Join(folder, "node_modules", name)))
	}

	pages := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer pages.Close()
	options := &reviews.Options{}
	s := apitest.Serve(t, func(c *httpapi.Config) { c.Reviews, c.Origins = options, []string{pages.URL} })
	s.Fill(t, apitest.Comments(30)...)
	s.Project(t)
	readme := string(testkit.Value(os.ReadFile(client + "README.md"))(t))
	files := map[string]string{
		"package.json": `{"type": "module"}`,
		"node.d.ts":    `declare const process: { env: { TOKEN?: string } };`,
		"head.html": `<!doctype html><html lang="en"><title>A product</title>
			<script type="importmap">{"imports": {"product-comments/element": "/node_modules/product-comments/dist/element.js"}}</script>`,
	}
	for _, block := range regexp.MustCompile("(?ms)^```[a-z]+ (\\S+)\n(.*?)^```$").FindAllStringSubmatch(readme, -1) {
		files[block[1]] = strings.NewReplacer("http://127.0.0.1:8080", s.URL, "https://reviews.shop.example", s.URL).Replace(block[2])
	}
	files["section.html"] = files["head.html"] + files["section.html"]
	for name, text := range files {
		testkit.Must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	ran(t, folder, nil, filepath.Join(modules, ".bin", "tsc"), "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "", "reviews.ts", "node.d.ts")
	token := strings.TrimPrefix(apitest.Authorization(t, apitest.Alice)[1], "Bearer ")
	got := ran(t, folder, []string{"TOKEN=" + token}, "node", "reviews.js")
	want := strings.Repeat("5 null\n", 6) + strings.Repeat("4 null\n", 6) + "[ 'rating: OUT_OF_RANGE' ]\n"
	testkit.Equal(t, got, want, "what the program of the README says")

	b := browser.Open(t, pages.URL)
	b.Show("/section.html")
	b.Wait(`document.querySelectorAll("product-reviews article.pr-comment").length === 20`)
}
