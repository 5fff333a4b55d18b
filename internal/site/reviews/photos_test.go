package reviews_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	pictures "product-comments/internal/files/photos"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/photos"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key/photo"
)

// withPhotos makes a service keep photos in a folder.
func withPhotos(t *testing.T) func(*httpapi.Config) {
	addresses := testkit.Value(photo.NewAddresses("", "", make([]byte, 32)))(t)
	bucket := testkit.Value(pictures.Open(t.Context(), t.TempDir()))(t)
	return func(c *httpapi.Config) {
		c.Photos = &photos.Options{Records: c.Store, Bucket: bucket, Reader: pictures.NewReader(pictures.DefaultMemory), Addresses: addresses}
		c.PhotoURL = func(id string, rendition int, published bool) string {
			if published {
				return addresses.URL(id, rendition)
			}
			return addresses.Signed(id, rendition, time.Now())
		}
	}
}

// noisy returns a picture that does not compress well, as those of cameras.
func noisy(n, width, height int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			v := uint8((x/13*7919 + y/11*104729 + n*31) % 251)
			m.SetRGBA(x, y, color.RGBA{uint8(60 + x*120/width + int(v)%60), uint8(50 + y*120/height + int(v)%70), uint8(30 + 10*n%90 + int(v)%40), 255})
		}
	}
	return m
}

// addPhotos adds comments on 42 with photos, one and two in turn, so many photos in all.
func addPhotos(t *testing.T, s *apitest.Service, of *photos.Options, most int) {
	t.Helper()
	for n := 0; n < most; {
		c := apitest.Comments(46 + n)[45+n]
		c.Author, c.Title = fmt.Sprint("maker ", n), fmt.Sprint("pictured ", n)
		for range min(1+n%2, most-n) {
			p := testkit.Value(pictures.Render(noisy(n, 640, 480+160*(n%3))))(t)
			one := p.Photo
			if n == 0 {
				one.Description = hostile
			}
			testkit.Must(t, of.Bucket.Put(t.Context(), p))
			c.Photos, n = append(c.Photos, one), n+1
		}
		s.Fill(t, c)
	}
	s.Project(t)
}

// openPhotos opens a shop whose product 42 has photos.
func openPhotos(t *testing.T, most int, change ...func(*httpapi.Config)) tab {
	t.Helper()
	var of *photos.Options
	b := openShop(t, append(append([]func(*httpapi.Config){withPhotos(t)}, change...), func(c *httpapi.Config) {
		c.Photos.Records = c.Store
		of = c.Photos
	})...)
	addPhotos(t, b.s, of, most)
	return b
}

// at shows the page at a width in the light or in the dark.
func (b tab) at(width int64, colour string) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colour}}})
		return err
	})))
}

// slow makes style, script and labels come late: what is shown before them may move when they come.
func (b tab) slow() {
	serve := b.s.Config.Handler
	b.s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/reviews.css" || r.URL.Path == "/reviews.js" || strings.HasPrefix(r.URL.Path, "/reviews/labels/") {
			time.Sleep(300 * time.Millisecond)
		}
		serve.ServeHTTP(w, r)
	})
}

// shifted is what moved while a page loaded, with where it was and where it is, if the page's layout
// shift (https://web.dev/articles/cls) is above a fiftieth of what counts as good: as if a fifth of the
// window moved by nine pixels of 900. A word that a browser lays out twice is far less: no one sees it.
const shifted = `new Promise((done) => {
	const moved = [];
	let sum = 0;
	const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
	new PerformanceObserver((list) => list.getEntries().filter((e) => !e.hadRecentInput).forEach((e) => {
		sum += e.value;
		e.sources.forEach(({ node, previousRect, currentRect }) =>
			moved.push([(node?.outerHTML ?? node?.parentNode?.outerHTML)?.slice(0, 80), box(previousRect), "to", box(currentRect)].join(" ")));
	})).observe({ type: "layout-shift", buffered: true });
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum > 0.002 ? sum + ": " + moved.join("; ") : ""))));
})`

// The newest photos are above the list and each comment has its own; they open in a dialog with their
// comment, which the keyboard and fingers turn. Nothing moves, and twelve weigh little.
func TestPhotos(t *testing.T) {
	shop := openPhotos(t, 12)
	shop.slow()
	for _, look := range []struct {
		width  int64
		colour string
		path   string
		next   string // the key
	}{{390, "dark", "/reviews/42?lang=ar", kb.ArrowLeft}, {1280, "light", "/product/42", kb.ArrowRight}} {
		t.Run(fmt.Sprint(look.width), func(t *testing.T) {
			if look.width == 1280 {
				testkit.Long(t, "the same with more room")
			}
			t.Parallel()
			b := tab{browser.Open(t, shop.URL), shop.s}
			b.at(look.width, look.colour)
			b.Show(look.path)
			b.Wait(`document.querySelector("[data-vote]") && document.querySelectorAll(".pr-strip img").length === 12`)
			b.Wait(`[...document.querySelectorAll(".pr-comment img")].slice(0, 2).every((x) => (x.scrollIntoView(), x.complete && x.naturalWidth))`)
			testkit.Equal(t, browser.Value[string](b.Tab, shifted), "", "what moves")
			bytes := browser.Value[int](b.Tab, `performance.getEntriesByType("resource").filter((e) => e.initiatorType === "img" || e.name.includes("/photos/")).reduce((sum, e) => sum + e.transferSize, 0)`)
			all := browser.Value[int](b.Tab, `performance.getEntries().reduce((sum, e) => sum + (e.transferSize ?? 0), 0)`)
			t.Logf("the photos have %d bytes, the page %d", bytes, all)
			testkit.Check(t, all <= 120<<10 || look.path == "/product/42", "the page has %d bytes", all) // that is the shop's, too
			b.Accessible("photos", look.width)

			b.Do(`document.querySelector(".pr-strip a").focus(); document.activeElement.click()`)
			b.Wait(`document.querySelector("dialog[open] .pr-side .pr-text")?.textContent === "text 56"`)
			b.Wait(`document.querySelector("dialog img").naturalWidth === 640`)
			b.Accessible("the dialog", look.width)
			b.press(look.next)
			b.Wait(`document.querySelector("dialog .pr-n").textContent === "2 / 12"`)
			b.press(kb.Tab) // the focus stays within the dialog, or its window
			testkit.Check(t, browser.Value[bool](b.Tab, `document.activeElement.matches("dialog *, body")`), "the focus is elsewhere")
			swipe := fmt.Sprintf(`{ const x = document.querySelector("dialog figure"), rtl = %t; x.dispatchEvent(new PointerEvent("pointerdown", { clientX: 200 })); x.dispatchEvent(new PointerEvent("pointerup", { clientX: rtl ? 300 : 100 })) }`, strings.Contains(look.path, "ar"))
			b.Do(swipe)
			b.Wait(`document.querySelector("dialog .pr-n").textContent === "3 / 12"`)
			b.Do(`document.querySelector("dialog .pr-step").click()`)
			b.Wait(`document.querySelector("dialog .pr-n").textContent === "2 / 12"`)
			b.press(kb.Escape)
			b.Wait(`!document.querySelector("dialog") && document.activeElement === document.querySelector(".pr-strip a")`)

			b.Show(look.path + map[bool]string{true: "&", false: "?"}[strings.Contains(look.path, "?")] + "page=2")
			b.Wait(`document.querySelector("[data-vote]") && !document.querySelector("#comment-c056")`)
			b.Do(`document.querySelector(".pr-strip a").click()`)
			b.Wait(`document.querySelector("dialog .pr-side .pr-text")?.textContent === "text 56"`)
			b.Do(`document.querySelector("dialog [aria-label]:last-child").click()`)
			b.Do(`[...document.querySelectorAll(".pr-controls a")].find((x) => x.getAttribute("href").includes("photos=1")).click()`)
			b.Wait(`document.querySelectorAll(".pr > .pr-comment").length === 7 && document.querySelectorAll(".pr-strip a").length === 12`)
			b.Quiet()
		})
	}
}

// Without a script photos are links to their greatest size. JSON-LD has them if clients know the server's
// address, and no text of a person breaks the page.
func TestPhotosWithoutScript(t *testing.T) {
	var of *photos.Options
	for _, address := range []string{"", "https://reviews.example"} {
		s := serve(t, withPhotos(t), func(c *httpapi.Config) {
			c.Photos.Records, c.Reviews.Address = c.Store, address
			of = c.Photos
		})
		addPhotos(t, s, of, 3)
		_, body := get(t, s, "/reviews/42")
		links := regexp.MustCompile(`<a class="pr-photo" href="(/photos/[a-z2-7]{26}/1600)" data-comment="c04[56]" `).FindAllStringSubmatch(body, -1)
		testkit.Need(t, len(links) == 6, "three in the strip and three in comments: %d in %s", len(links), body)
		a, _ := get(t, s, links[0][1])
		testkit.Check(t, a.StatusCode == http.StatusOK && a.Header.Get("Content-Type") == "image/jpeg", "%s: %d", links[0][1], a.StatusCode)
		for _, part := range []string{`href="?photos=1" data-pr>With photos <span class="pr-n">2</span>`, `alt="Photo by maker 1"`, `loading="lazy"`, ` 160w, `} {
			testkit.Check(t, strings.Contains(body, part), "without %s: %s", part, body)
		}
		testkit.Check(t, !strings.Contains(body, "<script>alert"), "%s", body)
		testkit.Equal(t, strings.Contains(body, `"image": [`), address != "", "photos in the JSON-LD of %q", address)
		_, body = get(t, s, "/reviews/42?photos=1")
		testkit.Check(t, len(listed(body)) == 2 && strings.Contains(body, "noindex"), "the filter: %s", body)
		_, body = get(t, s, "/reviews/42?rating=1")
		testkit.Check(t, !strings.Contains(body, "pr-strip"), "a strip above a filtered list: %s", body)
		_, body = get(t, s, "/reviews/43")
		testkit.Check(t, !strings.Contains(body, "photos=1"), "a filter that nothing passes: %s", body)
	}
}
