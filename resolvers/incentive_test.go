package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// A service says what an author got, and an invitation does; authors and moderators do not.
func TestIncentives(t *testing.T) {
	s := serve(t)
	create := func(more string) string {
		return `mutation{createComment(input:{productId:"42",rating:4,language:"en",title:"mine"` + more + `}){comment{incentive experiencedAt}}}`
	}
	const used = `,experiencedAt:"2026-01-01T10:00:00Z"`
	for _, viewer := range []*apitest.Service{s.As(apitest.Alice), s.As(apitest.Mia)} {
		viewer.WantError(t, create(`,incentive:PAID`), "FORBIDDEN", "")
		viewer.Want(t, create(`,incentive:NONE`+used), `{"createComment":{"comment":{"incentive":"NONE","experiencedAt":"2026-01-01T10:00:00Z"}}}`)
	}
	s.As(apitest.Anonymous).WantError(t, create(`,incentive:PAID`), "UNAUTHENTICATED", "")
	s.As(apitest.Shop).Want(t, create(`,incentive:FREE_PRODUCT`), `{"createComment":{"comment":{"incentive":"FREE_PRODUCT","experiencedAt":null}}}`)
	s.As(apitest.Shop).WantError(t, create(`,experiencedAt:"2100-01-01T10:00:00Z"`), "BAD_USER_INPUT", "experiencedAt")
	s.guestOrder(t, "17")
	for product, incentive := range map[string]string{"42": "CONTEST", "43": "NONE"} {
		a := s.As(apitest.Shop).Post(t, fmt.Sprintf(`mutation{createInvitation(input:{orderId:"17",productId:%q,incentive:%s}){invitation{token incentive}}}`, product, incentive), nil)
		testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
		testkit.Equal(t, a.At(t, "createInvitation", "invitation", "incentive"), any(incentive), "the invitation's")
		token := a.At(t, "createInvitation", "invitation", "token").(string)
		byGuest := strings.ReplaceAll(createBy(token, "%s"), "comment{id", "comment{incentive id")
		s.As(apitest.Anonymous).WantError(t, fmt.Sprintf(byGuest, ",incentive:PAID"), "FORBIDDEN", "")
		a = s.As(apitest.Anonymous).Post(t, fmt.Sprintf(byGuest, ""), nil)
		testkit.Equal(t, a.At(t, "createComment", "comment", "incentive"), any(incentive), "the guest's")
		id := a.At(t, "createComment", "comment", "commentId").(string)
		s.As(apitest.Anonymous).Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:5,invitation:%q}){comment{incentive}}}`, id, token),
			fmt.Sprintf(`{"updateComment":{"comment":{"incentive":%q}}}`, incentive))
	}
}

// Statistics without the comments with an incentive are those of the others.
func TestStatsWithoutIncentives(t *testing.T) {
	s := serve(t)
	list := assorted()
	s.Fill(t, list...)
	s.Project(t)
	for _, language := range []string{"", "en", "fr"} {
		total, sum, verified := 0, 0, 0
		var ratings [5]int
		languages, first, last := map[string]int{}, "", ""
		for _, c := range list {
			if c.Incentive != "" || language != "" && c.Language != language {
				continue
			}
			if total++; c.IsVerified() {
				verified++
			}
			sum += c.Rating
			ratings[c.Rating-1]++
			languages[c.Language]++
			at := c.CreatedAt.UTC().Format("2006-01-02T15:04:05Z")
			if first == "" || at < first {
				first = at
			}
			last = max(last, at)
		}
		a := s.Post(t, fmt.Sprintf(`{product(id:"lamp"){stats(language:%q,includeIncentivized:false){totalCount averageRating verifiedCount firstCreatedAt lastCreatedAt ratingCounts{count}languageCounts{language count}timeline{count}}}}`, language), nil)
		testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
		got := a.At(t, "product", "stats").(map[string]any)
		rows := map[string]int{}
		for _, row := range got["languageCounts"].([]any) {
			of := row.(map[string]any)
			rows[of["language"].(string)] = int(of["count"].(float64))
		}
		counts := ""
		for _, row := range got["ratingCounts"].([]any) {
			counts += fmt.Sprint(" ", row.(map[string]any)["count"])
		}
		mean, when := any(nil), "<nil> <nil>"
		if total > 0 {
			mean, when = float64(sum)/float64(total), first+" "+last
		}
		testkit.Equal(t, fmt.Sprint(got["totalCount"], got["averageRating"], got["verifiedCount"], got["timeline"], counts, rows), fmt.Sprint(total, mean, verified, nil, " "+strings.Trim(fmt.Sprint(ratings), "[]"), languages), "%q", language)
		testkit.Equal(t, fmt.Sprint(got["firstCreatedAt"], " ", got["lastCreatedAt"]), when, "%q: times", language)
	}
	s.Want(t, `{product(id:"lamp"){stats(includeIncentivized:true){totalCount}}}`, fmt.Sprintf(`{"product":{"stats":{"totalCount":%d}}}`, len(list)))
}
