package mail

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
)

func TestMain(m *testing.M) { os.Exit(browser.Main{M: m}.Run()) }

// A mail can be read and used by everyone, in light and dark windows, wide and narrow, and asks no
// server for anything but the pictures.
func TestPage(t *testing.T) {
	const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="#4a7"/></svg>`
	var page string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, content := "text/html", page
		if r.URL.Path == "/42.svg" {
			kind, content = "image/svg+xml", picture
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, content)
	}))
	defer srv.Close()
	b := browser.Open(t, srv.URL)
	for _, c := range []struct {
		languages, scheme string
		width             int64
	}{{"en de fr es it ja ar", "light", 320}, {"en ar", "dark", 390}, {"en ja", "light", 1280}} {
		testkit.Must(t, chromedp.Do(b.Ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}}})
			return err
		})))
		for tag := range strings.FieldsSeq(c.languages) {
			m := Example(tag)
			m.Reminder = c.scheme == "dark"
			m.Products[0].Image = srv.URL + "/42.svg"
			m.Products[1].Name = strings.Repeat("Blumentopfuntersetzer", 5)
			_, _, html, err := testkit.Value(templates())(t).render("Example Shop", m)
			testkit.Must(t, err)
			page = html
			b.Show("/")
			b.Accessible(tag+" "+c.scheme, c.width)
			rows := browser.Value[int](b, `new Set([...document.querySelectorAll(".star")].map((s) => s.getBoundingClientRect().top)).size`)
			small := browser.Value[int](b, `[...document.querySelectorAll("a")].filter((a) => a.getBoundingClientRect().height < 36).length`)
			testkit.Check(t, rows == 2 && small == 0, "%s at %d: stars in %d rows, %d small links", tag, c.width, rows, small)
			testkit.Check(t, browser.Value[bool](b, `(() => {
				const text = document.querySelector(".note").firstChild, start = text.data.indexOf("2026-1001");
				const box = (i) => { const r = new Range(); r.setStart(text, i); r.setEnd(text, i + 1); return r.getBoundingClientRect(); };
				return box(start).left < box(start + 8).left || box(start).top < box(start + 8).top;
			})()`), "%s: the order's number is reversed", tag)
		}
	}
	b.Quiet()
}
