package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/testkit"
)

func TestMain(m *testing.M) { os.Exit(Main{m}.Run()) }

// A recorder that heard nothing would pass every test that uses it, so this
// page does all that must be noticed.
func TestRecordsWhatAPageDoes(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Security-Policy", "style-src 'self'")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!DOCTYPE html><link rel="icon" href="data:,"><style>p { color: red }</style><p>page</p>
				<script src="/script.js"></script>`)
		case "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `
				console.error("said", 42);
				fetch("http://elsewhere.example/data").catch(() => {
					document.body.append("refused");
				});
				setTimeout(() => { throw new Error("thrown") });`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()

	ctx := New(t)
	testkit.Must(t, chromedp.Do(ctx, chromedp.Navigate(srv.URL)))
	testkit.Value(chromedp.Run(ctx, chromedp.Poll[bool](`document.body.textContent.includes("refused")`)))(t)

	if got, want := Outside(ctx, srv.URL), []string{"http://elsewhere.example/data"}; !slices.Equal(got, want) {
		t.Errorf("Outside = %q, want %q", got, want)
	}
	for _, want := range []string{srv.URL + "/", srv.URL + "/script.js"} {
		if !slices.Contains(Requests(ctx), want) {
			t.Errorf("Requests = %q, without %s", Requests(ctx), want)
		}
	}
	problems := strings.Join(Problems(ctx), "\n")
	for _, want := range []string{"said 42", "thrown", "Content Security Policy", "ERR_NAME_NOT_RESOLVED"} {
		testkit.Check(t, strings.Contains(problems, want), "no problem says %q:\n%s", want, problems)
	}
}

// Tests share a browser, and nothing that pages keep in it.
func TestProfilesAreApart(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
	}))
	defer srv.Close()
	for range 2 {
		b := Open(t, srv.URL)
		b.Show("/")
		testkit.Equal(t, Value[string](b, `document.cookie + localStorage.length + innerWidth`), "01280", "the cookies, what is stored, and the width")
		b.Do(`document.cookie = "a=b"; localStorage.a = 1`)
	}
}

func TestInside(t *testing.T) {
	const base = "http://127.0.0.1:8080"
	for address, want := range map[string]bool{
		"http://127.0.0.1:8080/graphql": true,
		"ws://127.0.0.1:8080/graphql":   true,
		"data:font/woff2;base64,AA":     true,
		"http://127.0.0.1:9090/":        false,
		"https://elsewhere.example/":    false,
		"http://127.0.0.1:8080@evil/":   false,
		"file:///etc/hostname":          false,
		"http://[broken":                false,
	} {
		testkit.Equal(t, inside(address, base), want, "inside(%q)", address)
	}
}
