package reviews_test

import (
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// file writes a picture, or another text, to a file and returns its name.
func file(t *testing.T, name string, width int, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f := testkit.Value(os.Create(path))(t)
	defer f.Close()
	if text != "" {
		testkit.Value(f.WriteString(text))(t)
		return path
	}
	testkit.Must(t, jpeg.Encode(f, noisy(width%7, width, width/2), nil))
	return path
}

// choose chooses files in the form.
func (b tab) choose(files ...string) {
	b.Helper()
	b.Wait(`document.querySelector(".pr-form [type=file]:enabled")`)
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.SetUploadFiles(chromedp.CSS(".pr-form [type=file]"), files)))
}

// uploaded is the number of pictures of the form that are there.
const uploaded = `[...document.querySelectorAll(".pr-uploads img")].filter((x) => x.naturalWidth > 1).length`

// upload clicks the button with a name, of the place with a number; -1 is the last.
func upload(place int, name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".pr-uploads li")].at(%d).querySelector("[aria-label='%s']").click()`, place, name)
}

// A person adds photos to a review: what cannot be used is explained, and what was uploaded survives a
// form that is refused and a page that is loaded again. They are in their order, with descriptions.
func TestUploads(t *testing.T) {
	b := openPhotos(t, 0)
	b.at(390, "light")
	b.Show("/as/author/product/42")
	form := func() {
		b.Wait(`document.querySelector(".pr-write")`)
		b.Do(`document.querySelector(".pr-write").click()`)
	}
	form()
	b.choose(file(t, "wide.jpg", 1700, ""), file(t, "narrow.jpg", 300, ""), file(t, "page.png", 0, "<html>"))
	b.Wait(uploaded + ` === 2 && document.querySelector(".pr-uploads .pr-error")?.textContent.includes("JPEG, PNG or WebP")`)
	b.Do(`document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.activeElement.matches("[data-retry]")`) // it waits until that is tried again or removed
	b.Do(`document.activeElement.click()`)
	b.Wait(`document.querySelector("[data-retry]")`)
	b.Do(upload(-1, "Remove photo"))
	b.Wait(`document.querySelectorAll(".pr-uploads li").length === 2 && document.activeElement.closest(".pr-uploads")`)
	b.Do(`{ const x = document.querySelectorAll(".pr-uploads li input")[1]; x.value = "A narrow one"; x.dispatchEvent(new Event("input")) }`)
	b.Do(upload(1, "Move forward"))
	b.Wait(`document.querySelector(".pr-uploads input").value === "A narrow one" && document.activeElement.closest("li") === document.querySelector(".pr-uploads li")`)
	b.Accessible("the form with photos", 390)
	b.Do(`document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.querySelector(".pr-rating .pr-error")`)
	b.Show("/as/author/product/42")
	form()
	b.Wait(uploaded + ` === 2 && document.querySelector(".pr-uploads input").value === "A narrow one"`)
	b.Do(`document.querySelector(".pr-rating input[value='4']").click(); document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.querySelectorAll(".pr-own .pr-photo img").length === 2 && document.querySelector(".pr-own img").alt === "A narrow one"`)
	const photos = `{product(id:"42"){comments(first:1){nodes{rating photos{width description}}}}}`
	b.s.As(apitest.Anonymous).Want(t, photos, `{"product":{"comments":{"nodes":[{"rating":4,"photos":[{"width":300,"description":"A narrow one"},{"width":1600,"description":null}]}]}}}`)

	// A change of the rest leaves them; the dialog shows them, too.
	b.Do(`document.querySelector(".pr-own .pr-photo").click()`)
	b.Wait(`document.querySelector("dialog[open] .pr-side .pr-stars")`)
	b.Do(`document.querySelector("dialog").close()`)
	edit := `[...document.querySelectorAll(".pr-own button")].find((x) => x.textContent === "Edit").click()`
	b.Do(edit)
	b.Wait(uploaded + ` === 2`)
	b.Do(`document.querySelector(".pr-rating input[value='3']").click(); document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.querySelector(".pr-own .pr-s30") && document.querySelectorAll(".pr-own .pr-photo").length === 2`)
	b.Do(edit)
	b.Wait(uploaded + ` === 2`)
	b.Do(upload(0, "Remove photo") + `; document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.querySelectorAll(".pr-own .pr-photo").length === 1`)
	b.s.As(apitest.Anonymous).Want(t, photos, `{"product":{"comments":{"nodes":[{"rating":3,"photos":[{"width":1600,"description":null}]}]}}}`)
	form()
	b.Wait(`document.querySelector(".pr-form [type=file]") && !document.querySelector(".pr-uploads li")`)
	b.Quiet(func(problem string) bool { return strings.Contains(problem, "400") })
}

// A guest adds photos to the page of an invitation, which works without a script as before.
func TestUploadsOfGuests(t *testing.T) {
	b := openPhotos(t, 0)
	path := invite(t, b.s, "17")
	b.at(390, "dark")
	b.Show(path)
	b.choose(file(t, "one.jpg", 700, ""))
	b.Wait(uploaded + ` === 1`)
	b.Do(`document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.querySelector("#pr-e-rating") && ` + uploaded + ` === 1`)
	b.Accessible("the page of a guest", 390)
	b.Do(`document.querySelector(".pr-rating input[value='4']").click(); document.querySelector(".pr-form button:not([type])").click()`)
	b.Wait(`document.querySelector(".pr-comment .pr-photo img") && !location.search.includes("sent")`)
	_, body := get(t, b.s, path)
	testkit.Equal(t, strings.Count(body, `class="pr-photo"`), 1, "photos without a script")
	a, body := submit(t, b.s, path, map[string][]string{"rating": {"5"}, "language": {"en"}})
	testkit.Check(t, a.StatusCode == 303, "a change without a script: %d %s", a.StatusCode, body)
	b.s.As(apitest.Anonymous).Want(t, `{product(id:"42"){comments(first:1){nodes{rating photos{width}}}}}`, `{"product":{"comments":{"nodes":[{"rating":5,"photos":[{"width":700}]}]}}}`)
	b.Quiet(func(problem string) bool { return strings.Contains(problem, "422") })
}
