package reviews_test

import (
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// The section says what authors got, when they used the product, and has a list without them; a shop
// without incentives sees nothing of it.
func TestIncentives(t *testing.T) {
	s := serve(t)
	get := func(query string) string {
		_, body := send(t, s, "GET", "/reviews/42?lang=en"+query, "")
		return body
	}
	before := get("")
	testkit.Check(t, !strings.Contains(before, "unpaid=1") && !strings.Contains(before, "pr-incentive"), "before: %s", before)
	list := apitest.Comments(2)
	list[0].ID, list[0].Title, list[0].Incentive = "paid", "The paid one", "FREE_PRODUCT"
	list[1].ID, list[1].Title, list[1].ExperiencedAt = "used", "The used one", new(time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC))
	for i := range list {
		list[i].CreatedAt = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s.Fill(t, list...)
	s.Project(t)
	body := get("")
	for _, part := range []string{`<span class="pr-incentive">Got a product for this review</span>`, `Used on January 2, 2020`, `unpaid=1" data-pr>Without an incentive <span class="pr-n">46</span>`} {
		testkit.Check(t, strings.Contains(body, part), "no %s in %s", part, body)
	}
	testkit.Equal(t, strings.Count(body, "pr-incentive"), 1, "badges")
	body = get("&unpaid=1")
	testkit.Check(t, !strings.Contains(body, "The paid one") && strings.Contains(body, "The used one"), "without: %s", body)
}
