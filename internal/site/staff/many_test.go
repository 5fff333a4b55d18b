package staff_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// A page is not over while one of its decisions has no answer, which may be that another person was
// first. A key that is held down decides once.
func TestTheLastAnswer(t *testing.T) {
	t.Parallel()
	d := serve(t)
	first, late := d.write(t, apitest.Alice, "42", "first", ""), d.write(t, apitest.Alice, "42", "late", "")
	b := open(t, d, "mia", "/staff")
	status, _, _ := d.post(t, "zoe", "/staff/comments/"+late+"/reject", "version", "1", "state", "PENDING", "code", "SPAM")
	testkit.Equal(t, status, http.StatusSeeOther, "the decision of another person")
	b.Do(`const real = fetch; window.fetch = async (to, how) => {
		if (to.includes("` + late + `/approve")) await new Promise((go) => window.go = go);
		return real(to, how);
	}`)
	b.Do(`document.querySelector("#review-` + first + `").focus()`)
	const held = `for (const repeat of [false, true, true]) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat, bubbles: true }))`
	b.Do(held)
	testkit.Equal(t, browser.Value[int](b.Tab, visible), 1, "cards after a key was held down")
	b.Do(held)
	b.due()
	b.Wait(`window.go && document.querySelectorAll(".st-card").length === 1`)
	testkit.Check(t, browser.Value[bool](b.Tab, `!document.querySelector(".st-empty").checkVisibility()`), "the queue is empty while a decision has no answer")
	b.Do(`go()`)
	b.Wait(said(late) + `.textContent.includes("zoe decided first, on ") && ` + visible + ` === 1`)
	b.Quiet(icon, func(problem string) bool { return strings.Contains(problem, "409") })
}

// Of many decisions few are sent at once. With long sentences all would be more than browsers take.
func TestManyWithLongReasons(t *testing.T) {
	t.Parallel()
	d := serve(t)
	d.wait(t, 0, make([]store.Comment, 20)...)
	b := open(t, d, "mia", "/staff")
	b.Do(`const real = fetch; window.now = window.most = 0; window.fetch = (to, how) => {
		if (!to.includes("/reject")) return real(to, how);
		most = Math.max(most, ++now);
		return real(to, how).finally(() => now--);
	}`)
	b.Do(`document.querySelectorAll(".st-pick input").forEach((x) => x.click());
		document.querySelector(".st-many [name=code]").value = "SPAM"; document.querySelector(".st-many [name=reason]").value = "長".repeat(500); document.querySelector(".st-many [value=reject]").click()`)
	b.Wait(visible + ` === 0`)
	b.due()
	b.Wait(count("REJECTED") + ` === "20" && !document.querySelector(".st-card")`)
	testkit.Equal(t, browser.Value[int](b.Tab, `most`), 4, "decisions that were sent at once")
	b.Quiet(icon)
}

// A page that is left sends all that it holds.
func TestLeavingSendsMany(t *testing.T) {
	t.Parallel()
	d := serve(t)
	d.wait(t, 0, make([]store.Comment, 12)...)
	b := open(t, d, "mia", "/staff")
	b.Do(`document.querySelectorAll(".st-pick input").forEach((x) => x.click()); document.querySelector(".st-many [value=approve]").click()`)
	b.Wait(visible + ` === 0`)
	b.click(`.st-top a[href="/staff/reports"]`)
	b.Wait(`location.pathname === "/staff/reports"`)
	for end := time.Now().Add(time.Minute); strings.Contains(d.get(t, "/staff"), "<article"); {
		testkit.Need(t, time.Now().Before(end), "not all decisions were sent")
	}
}
