package staff_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
)

// tab is a page of the desk that a person has open.
type tab struct {
	browser.Tab
	d desk
}

// open signs a person in and opens a page.
func open(t *testing.T, d desk, person, path string) tab {
	t.Helper()
	b := tab{browser.Open(t, d.URL), d}
	b.as(person)
	b.visit(path)
	return b
}

// as signs a person in, "none" out. The page stays.
func (b tab) as(person string) {
	b.Helper()
	if browser.Value[string](b.Tab, `location.href`) == "about:blank" {
		b.Show("/as/" + person)
		return
	}
	browser.Value[bool](b.Tab, `fetch("/as/`+person+`").then(() => true)`)
}

// visit opens a page, whose decisions wait until due().
func (b tab) visit(path string) {
	b.Helper()
	b.Show(path)
	b.Wait(`document.querySelector(".st-toasts")`) // the script has run
	b.Do(`const real = setTimeout; window.later = []; window.setTimeout = (run, ms) => ms >= 10000 ? later.push(run) : real(run, ms)`)
}

// due lets the time to undo decisions pass.
func (b tab) due() {
	b.Helper()
	b.Do(`later.splice(0).forEach((run) => run())`)
}

// press presses keys in turn.
func (b tab) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		testkit.Must(b, chromedp.Do(b.Ctx, chromedp.KeyEvent(key)))
	}
}

// click clicks with the mouse.
func (b tab) click(selector string) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS(selector))))
}

// state checks the state of a comment in the API.
func (b tab) state(id, want string) {
	b.Helper()
	got := b.d.Post(b, `query($id: ID!) { comment(id: $id) { state } }`, map[string]any{"id": id}).At(b, "comment", "state")
	testkit.Equal(b, got.(string), want, "the state of %s", id)
}

// said is the sentence at a card; count the number of a count.
func said(id string) string {
	return `document.querySelector("#review-` + id + ` > .st-review > .st-say")`
}
func count(what string) string {
	return `document.querySelector("[data-count=` + what + `]").textContent`
}

const visible = `[...document.querySelectorAll(".st-card")].filter((x) => !x.hidden).length`

// icon is the browser's own request for an icon, which pages in tests of sign-ins lack.
func icon(problem string) bool { return strings.Contains(problem, "favicon") }

// With the mouse a moderator publishes, undoes, rejects and replies. Nothing that was undone is sent, and
// counts are true after each decision.
func TestByMouse(t *testing.T) {
	t.Parallel()
	d := serve(t)
	first, second := d.write(t, apitest.Alice, "42", "first", ""), d.write(t, apitest.Alice, "42", "second", "")
	b := open(t, d, "mia", "/staff")
	approve := `#review-` + first + ` form[data-hold=approve] button`
	b.Wait(`document.querySelector("#review-` + first + ` .st-writer li a")?.textContent === "second"`)
	b.click(approve)
	b.Wait(visible + ` === 1 && document.querySelector(".st-toast").textContent.includes("1 review will be published.")`)
	b.click(".st-toast button")
	b.Wait(visible + ` === 2 && !document.querySelector(".st-toast") && ` + said(first) + `.textContent === "Nothing was decided." && document.activeElement.id === "review-` + first + `"`)
	b.state(first, "PENDING")
	b.Do(`later = []`)
	b.click(approve)
	b.Wait(visible + ` === 1`)
	b.state(first, "PENDING")
	b.due()
	b.Wait(count("PENDING") + ` === "1" && !document.querySelector(".st-toast")`)
	b.state(first, "PUBLISHED")

	card := "#review-" + second
	b.click(card + " summary")
	b.Do(`document.querySelector("` + card + ` textarea").value = "Thank you"`)
	b.click(card + " details button")
	b.Wait(said(second) + `.textContent === "The reply is saved."`)
	b.Do(`document.querySelector("` + card + ` select").value = "SPAM"; document.querySelector("` + card + ` [name=reason]").value = "No links"`)
	b.click(card + " form[data-hold=reject] button")
	b.Wait(visible + ` === 0`)
	b.due()
	b.Wait(count("PENDING") + ` === "0" && ` + count("REJECTED") + ` === "1" && document.querySelector(".st-empty").checkVisibility()`)
	b.d.Want(t, `{comment(id:"`+second+`"){state rejectionCode stateReason reply{text}}}`, `{"comment":{"state":"REJECTED","rejectionCode":"SPAM","stateReason":"No links","reply":{"text":"Thank you"}}}`)

	// On the page of a review a decision leads back to it.
	b.visit("/staff/comments/" + second)
	b.click("form[data-hold=approve] button")
	b.due()
	b.Wait(`location.search.includes("said=approve") && document.querySelector(".st-history li").textContent.includes("Published")`)
	b.Quiet(icon)
}

// The keyboard alone moves, decides, selects several, undoes and shows its keys, which can be turned off.
func TestByKeyboard(t *testing.T) {
	t.Parallel()
	d := serve(t)
	var ids []string
	for i := range 5 {
		ids = append(ids, d.write(t, apitest.Alice, "42", fmt.Sprint("title ", i), ""))
	}
	b := open(t, d, "mia", "/staff")
	on := func(i int) { t.Helper(); b.Wait(`document.activeElement.id === "review-` + ids[i] + `"`) }
	b.press("a", "r", "x") // without the focus on a card they do nothing
	b.press("j")
	on(0)
	b.press("j", "j", "k")
	on(1)
	b.press("a")
	on(2)
	b.press("r")
	b.Wait(`document.activeElement.matches("#review-` + ids[2] + ` select")`)
	b.press(kb.ArrowDown, kb.ArrowDown, kb.Tab, "rude, ajk", kb.Enter)
	on(3)
	testkit.Equal(t, browser.Value[int](b.Tab, `document.querySelectorAll(".st-toast").length`), 2, "decisions that can be undone")
	b.press("u") // the last one
	on(2)
	b.press("x", "j", "x")
	b.Wait(`document.querySelector(".st-many b").textContent === "2 selected" && document.querySelector(".st-many").checkVisibility()`)
	b.Do(`document.querySelector(".st-many select").focus()`)
	b.press(kb.ArrowDown, kb.Tab, "both are rude", kb.Tab, kb.Enter)
	b.Wait(visible + ` === 2 && [...document.querySelectorAll(".st-toast")].at(-1).textContent.includes("2 reviews will be rejected.")`)
	for i := range ids {
		b.state(ids[i], "PENDING")
	}
	b.Do(`later.splice(1, 1)`) // that of the decision that was undone
	b.due()
	b.Wait(count("PENDING") + ` === "2" && ` + count("REJECTED") + ` === "2"`)
	for i, want := range []string{"PENDING", "PUBLISHED", "REJECTED", "REJECTED", "PENDING"} {
		b.state(ids[i], want)
	}
	b.press("?")
	b.Wait(`document.querySelector(".st-help[open]").textContent.includes("Next review")`)
	b.press("j")
	b.Do(`document.querySelector(".st-help input").focus()`)
	b.press(" ", kb.Escape)
	b.Wait(`!document.querySelector(".st-help[open]")`)
	b.Do(`document.querySelector(".st-card").focus()`)
	b.press("a", "j")
	testkit.Equal(t, browser.Value[int](b.Tab, visible), 2, "cards, with the keys turned off")
	b.visit("/staff")
	b.press("j")
	testkit.Check(t, browser.Value[bool](b.Tab, `document.activeElement === document.body`), "the keys are on again")
	b.Quiet(icon)
}

// Each control is reached by Tab, with a focus that is seen.
func TestControlsHaveAFocus(t *testing.T) {
	t.Parallel()
	d := serve(t)
	d.wait(t, 0, store.Comment{Title: "one", Text: strings.Repeat("long ", 200), Photos: photos(2)})
	b := open(t, d, "mia", "/staff/reviews?state=PENDING")
	b.Do(`document.querySelectorAll("details").forEach((x) => x.open = true);
		window.missed = new Set([...document.querySelectorAll(":is(a[href], button, input, textarea, select, summary)")].filter((e) => e.checkVisibility() && e.type !== "hidden"));
		window.dim = [];
		addEventListener("focusin", ({ target }) => missed.delete(target) && getComputedStyle(target).outlineStyle === "none" && dim.push(target.outerHTML))`)
	controls := browser.Value[int](b.Tab, `missed.size`)
	testkit.Check(t, controls > 30, "there are %d controls", controls)
	for range controls/10 + 3 {
		b.press(strings.Repeat(kb.Tab, 12))
	}
	left := browser.Value[[]string](b.Tab, `[...missed, "dim:", ...dim].map((e) => (e.outerHTML ?? e).slice(0, 120))`)
	testkit.Check(t, len(left) == 1, "not reached, and then without a focus that is seen: %q", left)
}

// Of two moderators the later one learns who was first, and what. Each sees what the other looks at.
func TestTwoModerators(t *testing.T) {
	t.Parallel()
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "first", "")
	zoe, mia := open(t, d, "zoe", "/staff"), open(t, d, "mia", "/staff")
	zoe.press("j")
	zoe.Wait(`document.activeElement.matches(".st-card")`)
	mia.Wait(`(document.activeElement.blur(), document.querySelector(".st-card").focus(), document.querySelector(".st-looks").textContent === "zoe is looking at this.")`)
	zoe.press("a")
	zoe.due()
	zoe.Wait(count("PENDING") + ` === "0"`)
	mia.Do(`document.querySelector("[name=code]").value = "SPAM"; document.querySelector("[name=reason]").value = "typed"`)
	mia.click("form[data-hold=reject] button")
	mia.due()
	mia.Wait(said(id) + `.role === "alert" && ` + said(id) + `.textContent.includes("zoe decided first, on ") && ` + visible + ` === 1 && document.querySelector("[name=reason]").value === "typed"`)
	mia.state(id, "PUBLISHED")
	mia.click(".st-say a")
	mia.Wait(`document.querySelector(".st-history li b").textContent === "zoe"`)
	mia.Quiet(icon, func(problem string) bool { return strings.Contains(problem, "409") })
}

// A session that ends in the middle of a decision loses nothing: the card says so, and sends again after
// another sign-in. So does one whose server was not reached.
func TestTheSessionEnds(t *testing.T) {
	t.Parallel()
	d := serve(t)
	id, other := d.write(t, apitest.Alice, "42", "first", ""), d.write(t, apitest.Alice, "42", "second", "")
	b := open(t, d, "mia", "/staff")
	b.click("form[data-hold=reject] button") // without a code
	b.Do(`document.querySelector("[name=code]").value = "SPAM"; document.querySelector("[name=reason]").value = "typed with care"`)
	b.as("none")
	b.click("form[data-hold=reject] button")
	b.due()
	b.Wait(said(id) + `.role === "alert" && ` + said(id) + `.textContent.includes("Your session has ended") && ` + visible + ` === 2`)
	b.Wait(`document.querySelector("[name=reason]").value === "typed with care" && document.querySelector(".st-say a").target === "_blank" && document.querySelector(".st-say a").getAttribute("href") === "/staff"`)
	b.state(id, "PENDING")
	b.Accessible("the card of an ended session", 390)
	b.click(".st-say button")
	b.Wait(`!document.querySelector(".st-say button").disabled`) // it ended all the same
	b.as("mia")
	b.click(".st-say button")
	b.Wait(visible + ` === 1`)
	b.d.Want(t, `{comment(id:"`+id+`"){state stateReason}}`, `{"comment":{"state":"REJECTED","stateReason":"typed with care"}}`)

	b.Do(`window.reached = fetch; window.fetch = () => Promise.reject(new TypeError("no network"))`)
	b.click("form[data-hold=approve] button")
	b.due()
	b.Wait(said(other) + `.textContent.includes("The service is not available")`)
	b.Do(`window.fetch = reached`)
	b.click(".st-say button")
	b.Wait(visible + ` === 0`)
	b.state(other, "PUBLISHED")
	b.Quiet(icon, func(problem string) bool { return strings.Contains(problem, "401") })
}

// A page that is left sends what it holds.
func TestLeavingSends(t *testing.T) {
	t.Parallel()
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "first", "")
	b := open(t, d, "mia", "/staff")
	b.click("form[data-hold=approve] button")
	b.Wait(visible + ` === 0`)
	b.state(id, "PENDING")
	b.click(`.st-top a[href="/staff/reports"]`)
	b.Wait(`location.pathname === "/staff/reports"`)
	b.Wait(`document.readyState === "complete"`)
	for end := time.Now().Add(time.Minute); !strings.Contains(d.get(t, "/staff/comments/"+id), "<b>Published"); {
		testkit.Need(t, time.Now().Before(end), "the decision was not sent")
	}
}

// Reports are dismissed in place, and a photo is removed after a question.
func TestReportsAndPhotosInPlace(t *testing.T) {
	t.Parallel()
	d := serve(t)
	id := d.write(t, apitest.Alice, "42", "reported", "")
	d.post(t, "mia", "/staff/comments/"+id+"/approve")
	a := d.As(apitest.Bob).Post(t, `mutation($id: ID!) { reportComment(input: { id: $id, reason: "rude" }) { comment { version } } }`, map[string]any{"id": id})
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	b := open(t, d, "mia", "/staff/reports")
	b.click("form[data-hold=approve] button")
	b.due()
	b.Wait(count("PUBLISHED") + ` === "0" && document.querySelector(".st-empty").checkVisibility()`)

	d.wait(t, 0, store.Comment{Title: "with photos", Photos: photos(2)})
	b.visit("/staff")
	b.click("a.pr-photo")
	b.Wait(`document.querySelector("dialog[open] .pr-side h3")?.textContent === "with photos" && !document.querySelector("dialog[open] form")`)
	b.press(kb.Escape)
	b.Wait(`!document.querySelector("dialog[open]")`)
	b.Do(`window.asked = ""; window.confirm = (text) => (asked = text, false)`)
	b.click("[name=photo]")
	b.Wait(`asked.includes("cannot be undone") && document.querySelectorAll(".pr-photos li").length === 2`)
	b.Do(`window.confirm = () => true`)
	b.click("[name=photo]")
	b.Wait(`document.querySelectorAll(".pr-photos li").length === 1 && document.querySelector(".st-review > .st-say").textContent === "The photo is removed."`)
	b.Quiet(icon)
}

// photos are photos of a comment.
func photos(n int) (all []item.Photo) {
	for i := range n {
		all = append(all, item.Photo{ID: strings.Repeat(string(rune('a'+i)), 25) + "a", Width: 400, Height: 300})
	}
	return all
}

// No page has a finding of axe-core by WCAG 2.2 A and AA, or is wider than its window, in any of its
// states, and hostile texts run nothing.
func TestAccessibility(t *testing.T) {
	d := serve(t)
	id := d.write(t, apitest.Alice, "43", hostile, strings.Repeat("long", 200))
	d.post(t, "mia", "/staff/comments/"+id+"/approve")
	d.post(t, "mia", "/staff/comments/"+id+"/reply", "reply", hostile)
	d.As(apitest.Bob).Post(t, `mutation($id: ID!) { reportComment(input: { id: $id, reason: "rude" }) { comment { version } } }`, map[string]any{"id": id})
	d.write(t, apitest.Alice, "42", "waits", "")
	d.wait(t, 0, store.Comment{Title: "with photos", Text: strings.Repeat("long ", 200), Photos: photos(3)}, store.Comment{ProductID: "44", Author: hostile})
	for _, look := range []struct {
		width  int64
		colour string
		long   bool
	}{{390, "dark", false}, {1280, "light", false}, {1600, "dark", true}} {
		t.Run(fmt.Sprint(look.width, " ", look.colour), func(t *testing.T) {
			if look.long {
				testkit.Long(t, "the other pairs of width and colours")
			}
			t.Parallel()
			b := open(t, d, "mia", "/staff")
			testkit.Must(t, chromedp.Do(b.Ctx, chromedp.EmulateViewport(look.width, 900), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.colour}}})
				return err
			})))
			for _, path := range []string{"/staff", "/staff?lang=ar", "/staff/reports?lang=de", "/staff/reviews", "/staff/reviews?author=alice&lang=fr", "/staff/comments/" + id + "?said=reply"} {
				b.visit(path)
				b.Accessible(path, look.width)
			}
			b.visit("/staff?lang=ja")
			b.Do(`document.querySelectorAll(".st-pick input").forEach((pick) => pick.click())`)
			b.Accessible("a selection", look.width)
			b.click(".st-many button[value=approve]")
			b.Wait(`document.querySelector(".st-toast")`)
			b.Accessible("decisions that can be undone", look.width)
			b.click(".st-toast button")
			b.click(".st-top > button")
			b.Wait(`document.querySelector(".st-help[open]")`)
			b.Accessible("the keys", look.width)
			b.Quiet(icon)
		})
	}
}

// Without a script the forms of a page lead back to it.
func TestWithoutJavaScript(t *testing.T) {
	t.Parallel()
	d := serve(t)
	d.write(t, apitest.Alice, "42", "first", "")
	b := tab{browser.Open(t, d.URL), d}
	b.as("mia")
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})))
	b.Show("/staff?lang=en")
	b.click("form[data-hold=approve] button")
	b.Wait(`document.querySelector(".st-say").textContent === "The review is published." && location.search === "?lang=en&said=approve"`)
}
