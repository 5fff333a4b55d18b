// Package examples holds front ends for developers to copy, and the test that builds and uses them.
package examples

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(browser.Main{M: m}) }

// folderOf copies an example into a folder of its own, as its reader would, and runs a command there.
func folderOf(t *testing.T, name string, command ...string) string {
	t.Helper()
	modules := testkit.Value(filepath.Abs(filepath.Join(name, "node_modules")))(t)
	_, err := os.Stat(filepath.Join(modules, ".all"))
	testkit.Need(t, err == nil, "this test needs what the example uses: run `make tools` first: %v", err)
	folder := t.TempDir()
	testkit.Must(t, copied(name, folder))
	testkit.Must(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	testkit.Need(t, err == nil, "%s: %q: %v\n%s", name, command, err, out)
	return folder
}

// copied copies the files of an example that its reader wrote.
func copied(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch e.Name() {
		case "node_modules", "dist", "__generated__":
			return fs.SkipDir
		}
		if e.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

// tab is a browser that shows an example.
type tab struct {
	browser.Tab
	service *apitest.Service
}

// open serves an example with a service that has 50 reviews of product 42, and starts a browser.
func open(t *testing.T, folder string, mode moderation.Mode) tab {
	t.Helper()
	s := apitest.Serve(t, func(c *httpapi.Config) {
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{Moderation: moderation.Options{Mode: mode}})
	})
	comments := apitest.Comments(50)
	for i := range comments {
		comments[i].Language = []string{"en", "de"}[i%2]
		comments[i].Title = fmt.Sprint("title ", i)
	}
	s.Fill(t, comments...)
	s.Project(t)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(folder, "dist"))))
	api := apitest.Failing(s.Config.Handler)
	mux.Handle("/graphql", api)
	mux.Handle("/fail", api)
	pages := httptest.NewServer(mux)
	t.Cleanup(pages.Close)
	return tab{browser.Open(t, pages.URL), s}
}

// click waits for the first button or link whose name begins with name, and clicks it.
func (b tab) click(name string) {
	b.Helper()
	found := fmt.Sprintf(`[...document.querySelectorAll("button, a, summary")].find((x) =>
		(x.ariaLabel ?? x.textContent).trim().startsWith(%q))`, name)
	b.Wait(found)
	b.Do(found + `.click()`)
}

// fill writes into the field with this name.
func (b tab) fill(name, value string) {
	b.Helper()
	b.Wait(fmt.Sprintf(`document.querySelector("[name=%s]")`, name))
	b.Do(fmt.Sprintf(`document.querySelector("[name=%s]").value = %q`, name, value))
}

// fail makes a field of the next answer fail.
func (b tab) fail(field string) {
	b.Helper()
	body := testkit.Value(json.Marshal([]string{field}))(b)
	b.Do(fmt.Sprintf(`fetch("/fail", { method: "POST", body: %q })`, body))
}

// signIn pastes a token of the viewer.
func (b tab) signIn(v access.Viewer) {
	b.Helper()
	b.fill("token", strings.TrimPrefix(apitest.Authorization(b, v)[1], "Bearer "))
	b.Do(`document.querySelector("[name=token]").form.requestSubmit()`)
	b.Wait(`document.querySelector("[name=token]").form.querySelector("button").textContent === "Change"`)
}

// listed is true if the page lists n reviews, the first with this title.
func listed(n int, first string) string {
	return fmt.Sprintf(`document.querySelectorAll("article").length === %d &&
		document.querySelector("article :is(h2, h3)").textContent === %q`, n, first)
}

// says is true if the page has this text.
func says(text string) string {
	return fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text)
}

const alert = `document.querySelector("[role=alert].failed")`

// accessible checks the page at both widths.
func (b tab) accessible(what string) {
	b.Helper()
	b.Accessible(what, 390)
	b.Accessible(what, 1280)
}

// quiet checks that the page asked no other host, and that the console is empty. Chromium writes
// into it that the service answered a hash that it does not know with 400.
func (b tab) quiet() {
	b.Helper()
	b.Quiet(func(p string) bool { return strings.Contains(p, "/graphql") && strings.Contains(p, "status of 400") })
}

// Documents and types of the examples fit the schema of the package. TestExamples builds them for this too.
func TestExamplesFitTheSchema(t *testing.T) {
	folderOf(t, "relay", "sh", "-c", "node_modules/.bin/relay-compiler && node_modules/.bin/tsc")
	folderOf(t, "apollo", "node_modules/.bin/tsc")
}

// What the examples show works, built and in development.
func TestExamples(t *testing.T) {
	testkit.Long(t, "it builds the examples and uses them in a browser")
	for name, uses := range map[string]map[string]func(*testing.T, string){
		"relay": {
			"lists": relayLists, "failures": relayFailures, "writing": relayWriting, "queue": relayQueue,
			"development": development,
		},
		"apollo": {"all": apollo, "development": development},
	} {
		t.Run(name, func(t *testing.T) {
			folder := folderOf(t, name, "npm", "run", "build")
			for what, use := range uses {
				t.Run(what, func(t *testing.T) { use(t, folder) })
			}
		})
	}
}

// What developers copy uses the public names of its libraries.
func TestPublicNamesAlone(t *testing.T) {
	texts := []string{"../docs/api.md"}
	for _, pattern := range []string{"*/src/*.ts", "*/src/*.tsx"} {
		texts = append(texts, testkit.Value(filepath.Glob(pattern))(t)...)
	}
	testkit.Need(t, len(texts) > 10, "only %q were found", texts)
	for _, name := range texts {
		text := testkit.Value(os.ReadFile(name))(t)
		testkit.Check(t, !bytes.Contains(text, []byte("__internal")) && !bytes.Contains(text, []byte("relay-runtime/")), "%s uses internals", name)
	}
}

// development shows a page of Vite's server, where libraries warn of more.
func development(t *testing.T, folder string) {
	b := open(t, folder, moderation.Post)
	free := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(free.Addr().String())
	testkit.Must(t, free.Close())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	c := exec.CommandContext(ctx, "node_modules/.bin/vite", "--host", "127.0.0.1", "--port", port, "--strictPort")
	c.Dir, c.Env = folder, append(os.Environ(), "SERVICE="+b.URL)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	testkit.Must(t, c.Start())
	defer func() {
		cancel()
		_ = c.Wait() // it is killed
		if t.Failed() {
			t.Logf("vite: %s", &out)
		}
	}()
	b.URL = "http://127.0.0.1:" + port
	for range 200 {
		if a, err := http.Get(b.URL); err == nil {
			a.Body.Close()
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Show("/?product=42")
	b.Wait(`document.querySelectorAll("article").length === 20`)
	b.click("More reviews")
	b.Wait(`document.querySelectorAll("article").length === 40`)
	b.quiet()
}

// apollo is what Apollo shows: a filter in the address, a page that fails, a form with errors at its fields,
// votes, and the viewer's own reviews.
func apollo(t *testing.T, folder string) {
	b := open(t, folder, moderation.Post)
	b.Show("/?product=42")
	b.Wait(listed(20, "title 49"))
	b.accessible("the list")
	rating := `document.querySelector("label:nth-of-type(%d) [type=checkbox]")`
	b.Do(fmt.Sprintf(rating, 1) + `.click()`)
	b.Wait(listed(10, "title 49") + ` && location.search.endsWith("rating=5")`)
	b.Do(`history.back()`)
	b.Wait(listed(20, "title 49") + ` && !` + fmt.Sprintf(rating, 1) + `.checked`)
	b.fail("comments")
	b.click("More reviews")
	b.Wait(`document.querySelector(".failed button") && ` + listed(20, "title 49"))
	b.accessible("a page that failed")
	b.click("Try again")
	b.Wait(`!document.querySelector(".failed button") && ` + listed(40, "title 49"))
	b.fail("stats")
	b.Show("/?product=42")
	b.Wait(`document.querySelector(".failed button") && ` + listed(20, "title 49"))
	b.click("Try again")
	b.Wait(`!document.querySelector(".failed button") && ` + says("from 50 reviews"))

	b.signIn(apitest.Alice)
	b.click("Write a review")
	b.click("Send")
	b.Wait(`document.querySelector("#rating-problem")?.textContent`)
	b.accessible("the form")
	b.Do(`document.querySelector("[name=rating][value='4']").click()`)
	b.fill("title", "mine")
	b.click("Send")
	b.Wait(`document.querySelector("details [role=status]").textContent.includes("Thank you.")`)
	b.Wait(listed(20, "mine") + ` && ` + says("from 51 reviews"))
	b.Wait(`document.querySelector(".yours").textContent === "mine: PUBLISHED"`)
	b.click("Helpful (0)")
	b.Wait(`document.querySelector("[aria-pressed=true]")?.textContent === "Helpful (1)"`)
	b.Show("/?product=42")
	b.Wait(listed(20, "mine") + ` && document.querySelector("[aria-pressed=true]") && document.querySelector(".yours")`)
	b.accessible("a reader's page")
	b.quiet()
}

// A shop's server includes the section, with the filter of the shop's address; without the service
// its page has a sentence.
func TestIncludes(t *testing.T) {
	s := apitest.Serve(t, func(c *httpapi.Config) { c.Reviews = &reviews.Options{} })
	s.Fill(t, apitest.Comments(30)...)
	s.Project(t)
	page := func(service, path string) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, "node", "includes/shop.mjs")
		c.Env = append(os.Environ(), "PORT=0", "REVIEWS="+service)
		out := testkit.Value(c.StdoutPipe())(t)
		testkit.Must(t, c.Start())
		defer func() {
			cancel()
			_ = c.Wait() // it is killed
		}()
		address := testkit.Value(bufio.NewReader(out).ReadString('\n'))(t)
		r := testkit.Value(http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(address)+path, nil))(t)
		a := testkit.Value(http.DefaultClient.Do(r))(t)
		defer a.Body.Close()
		return string(testkit.Value(io.ReadAll(a.Body))(t))
	}
	const element = `<product-reviews product="42">`
	for path, n := range map[string]int{"": 20, "?rating=5": 6} {
		got := page(s.URL, path)
		testkit.Equal(t, strings.Count(got, `<article class="pr-comment"`), n, "reviews at %q", path)
		testkit.Check(t, strings.Contains(got, element), "nothing is around the section: %.500s", got)
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	for _, service := range []string{silent.URL, "http://127.0.0.1:1", s.URL + "/nothing"} {
		got := page(service, "")
		sentence := element + `<p>Reviews cannot be shown now.</p></product-reviews>`
		testkit.Check(t, strings.Contains(got, sentence), "%s: %.500s", service, got)
	}
}
