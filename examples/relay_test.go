package examples

import (
	"fmt"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/store/comment/moderation"
)

// relayLists: filters, orders and pages are in the address; back restores what was shown; lists grow both ways.
func relayLists(t *testing.T, folder string) {
	b := open(t, folder, moderation.Post)
	b.Show("/?product=42")
	b.Wait(listed(20, "title 49"))
	b.Wait(says("50 reviews match"))
	b.accessible("the product page")
	b.click("5 stars: 10")
	b.Wait(listed(10, "title 49") + ` && location.search === "?product=42&rating=5"`)
	b.click("German")
	b.Wait(listed(5, "title 49") + ` && location.search.endsWith("&language=de")`)
	b.Do(`history.back()`)
	b.Wait(listed(10, "title 49"))
	b.Do(`history.back()`)
	b.Wait(listed(20, "title 49") + ` && location.search === "?product=42"`)
	b.Do(`history.forward()`)
	b.Wait(listed(10, "title 49"))
	b.Show("/?product=42")
	b.click("oldest")
	b.Wait(listed(20, "title 0"))
	b.click("helpful")
	b.Wait(listed(20, "title 49") + ` && !document.querySelector("nav[aria-label='Pages of reviews']")`)
	b.click("newest")
	b.click("Page 2")
	b.Wait(listed(20, "title 29"))
	b.click("More reviews")
	b.Wait(listed(30, "title 29"))
	b.click("Previous reviews")
	b.Wait(listed(50, "title 49"))
	b.Show("/?product=42#comment-c010")
	b.Wait(listed(20, "title 29") + ` && document.activeElement.id === "comment-c010"`)
	b.click("Previous reviews")
	b.Wait(listed(40, "title 49"))
	b.Show("/?product=43")
	b.Wait(says("0 reviews match"))
	b.Show("/?product=42#comment-none")
	b.Wait(says("This review is not in the list"))
	b.click("Show the list")
	b.Wait(listed(20, "title 49"))
	b.quiet()
}

// relayFailures: a section that fails takes no other away, what was loaded stays, and it can be tried again.
func relayFailures(t *testing.T, folder string) {
	b := open(t, folder, moderation.Post)
	b.Show("/?product=42")
	b.Wait(listed(20, "title 49"))
	b.fail("node")
	b.click("More reviews")
	b.Wait(alert + ` && ` + listed(20, "title 49"))
	b.accessible("a page that failed")
	b.click("Try again")
	b.Wait(`!` + alert + ` && ` + listed(40, "title 49"))
	for _, field := range []string{"comments", "data"} {
		b.Show("/?product=42")
		b.Wait(listed(20, "title 49"))
		b.fail(field)
		b.click("Page 3")
		b.Wait(alert + ` && document.querySelector(".histogram")`)
		b.click("Try again")
		b.Wait(`!` + alert + ` && ` + listed(10, "title 9"))
		b.Do(`history.back()`)
		b.Wait(listed(20, "title 49"))
	}
	b.fail("stats")
	b.Show("/?product=42")
	b.Wait(alert + ` && ` + listed(20, "title 49"))
	b.click("Try again")
	b.Wait(`!` + alert + ` && document.querySelector(".histogram")`)
	b.quiet()
}

// relayWriting: a review shows before the answer arrives, what is wrong is said at its field, and votes and
// reports show at once.
func relayWriting(t *testing.T, folder string) {
	b := open(t, folder, moderation.Post)
	b.Show("/?product=42")
	b.signIn(apitest.Alice)
	b.click("Write a review")
	b.click("Send")
	b.Wait(`document.querySelector("fieldset .problem")?.textContent === "Please choose from 1 to 5."`)
	b.accessible("the form")
	b.Do(`document.querySelector("[name=rating][value='4']").click()`)
	b.fill("title", "mine")
	b.fail("createComment")
	b.click("Send")
	b.Wait(`document.querySelector("[role=alert].problem").textContent.includes("cannot be read now")`)
	b.Wait(listed(20, "title 49"))
	b.Do(`window.ask = window.fetch;
		window.fetch = (...given) => new Promise((go) => { window.release = go; }).then(() => window.ask(...given))`)
	b.click("Send")
	b.Wait(listed(21, "mine"))
	b.Do(`window.release()`)
	b.Wait(`document.querySelector("details [role=status]").textContent === "Thank you."`)
	b.Wait(listed(21, "mine") + ` && ` + says("from 51 reviews") + ` && ` + says("51 reviews match"))
	b.Wait(`document.querySelector(".yours").textContent.includes("is published")`)
	b.Do(`window.fetch = window.ask`)
	b.fail("voteHelpful")
	b.click("Helpful (0)")
	b.Wait(alert + ` && !document.querySelector("[aria-pressed=true]")`)
	b.click("Helpful (0)")
	b.Wait(`document.querySelector("[aria-pressed=true]")?.textContent === "Helpful (1)"`)
	b.click("Report")
	b.Wait(`document.querySelector("article [role=status]")`)
	b.Show("/?product=42")
	b.Wait(listed(20, "mine") + ` && ` + says("51 reviews match"))
	b.Wait(`document.querySelector("[aria-pressed=true]") && document.querySelector("article [role=status]")`)
	b.accessible("a reader's page")
	b.quiet()
}

// relayQueue: a review that waits is shown to its author, until a moderator decides.
func relayQueue(t *testing.T, folder string) {
	b := open(t, folder, moderation.Pre)
	b.Show("/?product=42")
	b.signIn(apitest.Alice)
	for _, title := range []string{"good", "bad"} {
		b.click("Write a review")
		b.Do(`document.querySelector("[name=rating][value='1']").click()`)
		b.fill("title", title)
		b.click("Send")
		b.Wait(`document.querySelector("details [role=status]").textContent.includes("A moderator")`)
		b.Wait(fmt.Sprintf(`document.querySelector(".yours li").textContent.startsWith(%q)`, title+" waits for a moderator"))
		b.Wait(listed(20, "title 49"))
		b.Show("/?product=42")
	}
	b.service.Project(t)
	b.Show("/?product=42&queue=1")
	b.Wait(alert) // authors have no queue
	b.signIn(apitest.Mia)
	b.Wait(`document.querySelectorAll("article").length === 2 && ` + says("2 wait"))
	b.accessible("the queue")
	b.fail("approveComment")
	b.click("Publish")
	b.Wait(alert + ` && document.querySelectorAll("article").length === 2`)
	b.click("Publish")
	b.Wait(`document.querySelectorAll("article").length === 1 && ` + says("1 wait"))
	b.fill("reason", "about another product")
	b.click("Reject")
	b.Wait(`!document.querySelector("article") && ` + says("0 wait"))
	b.click("Product")
	b.Wait(listed(20, "good"))
	b.signIn(apitest.Alice)
	b.Wait(`document.querySelector(".yours")?.textContent.includes("was rejected (SPAM): about another product")`)
	b.quiet()
}
