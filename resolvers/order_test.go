package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// order records an order of some products, one of each.
func (s *service) order(t *testing.T, id, username string, products ...string) {
	t.Helper()
	lines := make([]string, len(products))
	for i, p := range products {
		lines[i] = fmt.Sprintf(`{productId:%q,quantity:%d,unitPrice:{amount:"12.50",currency:"EUR"}}`, p, i+1)
	}
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,subject:%q,placedAt:"2023-01-01T10:00:00Z",lines:[%s]}){order{orderId user{subject}status}}}`, id, username, strings.Join(lines, ",")),
		fmt.Sprintf(`{"recordOrder":{"order":{"orderId":%q,"user":{"subject":%q},"status":"PLACED"}}}`, id, username))
}

func (s *service) status(t *testing.T, id, status, at, want string) {
	t.Helper()
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{setOrderStatus(input:{id:%q,status:%s,at:%q}){order{status}}}`, id, status, at),
		fmt.Sprintf(`{"setOrderStatus":{"order":{"status":%q}}}`, want))
}

// A person's orders as they and staff see them.
func TestOrdersOfPeople(t *testing.T) {
	s := serve(t)
	s.order(t, "o1", "alice", "42", "43")
	s.order(t, "o2", "alice", "42")
	s.order(t, "o3", "bob", "44")
	s.status(t, "o1", "SHIPPED", "2023-01-15T00:00:00Z", "SHIPPED")
	s.status(t, "o1", "PAID", "2023-01-16T00:00:00Z", "SHIPPED") // late
	s.status(t, "o1", "SHIPPED", "2023-01-15T00:00:00Z", "SHIPPED")
	const order = `{order(id:"o1"){id orderId user{id subject createdAt}status placedAt shippedAt deliveredAt lines{product{productId}quantity unitPrice{amount currency}}}}`
	want := fmt.Sprintf(`{"order":{"id":%q,"orderId":"o1","user":{"id":%q,"subject":"alice","createdAt":"2023-01-01T10:00:00Z"},"status":"SHIPPED","placedAt":"2023-01-01T10:00:00Z","shippedAt":"2023-01-15T00:00:00Z","deliveredAt":null,`+
		`"lines":[{"product":{"productId":"42"},"quantity":1,"unitPrice":{"amount":"12.50","currency":"EUR"}},{"product":{"productId":"43"},"quantity":2,"unitPrice":{"amount":"12.50","currency":"EUR"}}]}}`,
		globalid.Of(globalid.Order, "o1"), globalid.Of(globalid.User, "alice"))
	s.As(apitest.Alice).Want(t, order, want)
	s.As(apitest.Mia).Want(t, order, want)
	s.As(apitest.Bob).Want(t, order, `{"order":null}`)
	s.As(apitest.Bob).Want(t, `{order(id:"none"){id}}`, `{"order":null}`)
	ids := fmt.Sprintf(`["%s","%s","%s","%s"]`, globalid.Of(globalid.Order, "o1"), globalid.Of(globalid.Product, "42"), globalid.Of(globalid.Order, "none"), globalid.Of(globalid.User, "alice"))
	s.As(apitest.Alice).Want(t, `{nodes(ids:`+ids+`){... on Order{orderId}... on Product{productId}... on User{subject}}}`, `{"nodes":[{"orderId":"o1"},{"productId":"42"},null,{"subject":"alice"}]}`)

	s.As(apitest.Alice).Want(t, `{user(id:"alice"){orders{nodes{orderId lines{quantity}}pageInfo{hasNextPage}}shipped:orders(filter:{status:SHIPPED,shippedAfter:"2023-01-15T00:00:00Z",shippedBefore:"2023-01-16T00:00:00Z"}){nodes{orderId}}}}`,
		`{"user":{"orders":{"nodes":[{"orderId":"o2","lines":[{"quantity":1}]},{"orderId":"o1","lines":[{"quantity":1},{"quantity":2}]}],"pageInfo":{"hasNextPage":false}},"shipped":{"nodes":[{"orderId":"o1"}]}}}`)
	s.As(apitest.Mia).Want(t, `{openOrders{nodes{orderId user{subject createdAt}}}}`,
		`{"openOrders":{"nodes":[{"orderId":"o2","user":{"subject":"alice","createdAt":"2023-01-01T10:00:00Z"}},{"orderId":"o3","user":{"subject":"bob","createdAt":"2023-01-01T10:00:00Z"}}]}}`)
	s.As(apitest.Mia).Want(t, `{user(id:"nobody"){id}}`, `{"user":null}`)
	s.write(t, apitest.Mia) // who never ordered anything
	s.As(apitest.Mia).Want(t, `{user(id:"mia"){subject createdAt orders{nodes{orderId}}}}`, `{"user":{"subject":"mia","createdAt":null,"orders":{"nodes":[]}}}`)
}

// What is wrong with an order is reported by field, and what contradicts one is a conflict.
// A refusal says what would help: a role, another form, what to do first.
func TestRefusalsSayWhatHelps(t *testing.T) {
	s := serve(t)
	status := func(at string) string {
		return fmt.Sprintf(`mutation{setOrderStatus(input:{id:"none",status:PAID,at:%q}){order{id}}}`, at)
	}
	for _, c := range []struct {
		as                       access.Viewer
		query, code, field, want string
	}{
		{apitest.Alice, status("2023-01-01T10:00:00Z"), "FORBIDDEN", "", "the role service"},
		{apitest.Mia, status("2023-01-01T10:00:00Z"), "FORBIDDEN", "", "the role service"},
		{access.Viewer{}, status("2023-01-01T10:00:00Z"), "UNAUTHENTICATED", "", "the role service"},
		{apitest.Alice, `{moderationQueue{totalCount}}`, "FORBIDDEN", "", "the roles moderator and service"},
		{apitest.Shop, status("2023-01-01"), "BAD_USER_INPUT", "at", "such as 2026-01-31T12:00:00Z"},
		{apitest.Shop, status("2023-01-01T10:00:00Z"), "NOT_FOUND", "", "record it"},
	} {
		a := s.As(c.as).WantError(t, c.query, c.code, c.field)
		testkit.Check(t, strings.Contains(a.Errors[0].Message, c.want), "%s: %q does not say %q", c.query, a.Errors[0].Message, c.want)
	}
}

func TestRefusedOrders(t *testing.T) {
	s := serve(t)
	shop := s.As(apitest.Shop)
	const record = `mutation{recordOrder(input:{orderId:"o1",subject:"alice",%s,lines:[%s]}){order{id}}}`
	line := `{productId:"42",quantity:1}`
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z",shippedAt:"2023-01-02T10:00:00Z"`, line), "BAD_USER_INPUT", "shippedAt")
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z"`, strings.Repeat(line+",", 50)), "BAD_USER_INPUT", "lines")
	shop.WantError(t, `mutation{setOrderStatus(input:{id:"o1",status:PAID,at:"0001-01-01T00:00:00Z"}){order{id}}}`, "BAD_USER_INPUT", "at")
	user := globalid.Of(globalid.User, "alice")
	for _, c := range []struct {
		query string
		want  []string
	}{
		{`mutation{recordOrder(input:{orderId:"",subject:"\u0007",placedAt:"2200-01-01T00:00:00Z",lines:[{productId:"",quantity:0,unitPrice:{amount:"x",currency:"eur"}}]}){order{id}}}`, []string{
			"BAD_USER_INPUT lines.0.productId REQUIRED", "BAD_USER_INPUT lines.0.quantity OUT_OF_RANGE 0 of 1", "BAD_USER_INPUT lines.0.unitPrice.amount WRONG_TYPE",
			"BAD_USER_INPUT lines.0.unitPrice.currency WRONG_TYPE", "BAD_USER_INPUT orderId REQUIRED", "BAD_USER_INPUT placedAt OUT_OF_RANGE 2200 of 2199", "BAD_USER_INPUT subject BAD_CHARACTER",
		}},
		{fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,subject:"guest:1",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:%[1]q,quantity:0},{productId:%[1]q,quantity:1}]}){order{id}}}`, user), []string{
			"BAD_USER_INPUT lines.0.productId OTHER_KIND", "BAD_USER_INPUT lines.0.quantity OUT_OF_RANGE 0 of 1", "BAD_USER_INPUT lines.1.productId OTHER_KIND",
			"BAD_USER_INPUT orderId OTHER_KIND", "BAD_USER_INPUT subject CONTRADICTION",
		}},
		{fmt.Sprintf(`mutation{setOrderStatus(input:{id:%q,status:PAID,at:"1969-12-31T23:59:59Z"}){order{id}}}`, user), []string{
			"BAD_USER_INPUT at OUT_OF_RANGE 1969 of 1970", "BAD_USER_INPUT id OTHER_KIND",
		}},
		{`mutation{setOrderStatus(input:{id:"",status:PAID,at:"1969-12-31T23:59:59Z"}){order{id}}}`, []string{
			"BAD_USER_INPUT at OUT_OF_RANGE 1969 of 1970", "BAD_USER_INPUT id REQUIRED",
		}},
	} {
		got := problemsOf(shop.Post(t, c.query, nil))
		testkit.Check(t, slices.Equal(got, c.want), "%s: %q, want %q", c.query, got, c.want)
	}
	s.order(t, "o1", "alice", "42")
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z"`, line), "CONFLICT", "")
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z"`, line+fmt.Sprintf(`{productId:%q,quantity:1}`, globalid.Of(globalid.User, "alice"))), "BAD_USER_INPUT", "lines.1.productId")
}

// Orders and products are named by their global ids as well as by the shop's own, and so
// are people where they are asked for.
func TestOrdersByGlobalIDs(t *testing.T) {
	s := serve(t)
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,subject:"alice",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:%q,quantity:1}]}){order{orderId user{subject}lines{product{productId}}}}}`,
		globalid.Of(globalid.Order, "o1"), globalid.Of(globalid.Product, "42")),
		`{"recordOrder":{"order":{"orderId":"o1","user":{"subject":"alice"},"lines":[{"product":{"productId":"42"}}]}}}`)
	s.status(t, globalid.Of(globalid.Order, "o1"), "PAID", "2023-01-02T10:00:00Z", "PAID")
	s.As(apitest.Alice).Want(t, fmt.Sprintf(`{order(id:%q){status}user(id:%q){subject}}`, globalid.Of(globalid.Order, "o1"), globalid.Of(globalid.User, "alice")),
		`{"order":{"status":"PAID"},"user":{"subject":"alice"}}`)
}

// A person whose name reads as a global id is named by the text that is shown of it, and their
// order is theirs alone. The name itself is refused, because it may be meant as a global id.
func TestAnOrderOfANameThatReadsAsAGlobalID(t *testing.T) {
	s := serve(t)
	s.order(t, "o1", "alice", "42")
	for i, name := range []string{globalid.Of(globalid.User, "alice"), globalid.Of(globalid.Product, "42")} {
		id, shown := fmt.Sprintf("other-%d", i), globalid.Text(globalid.User, name)
		a := s.As(apitest.Shop).WantError(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:"o2",subject:%q,placedAt:"2023-01-01T10:00:00Z",lines:[{productId:"42",quantity:1}]}){order{id}}}`, name), "BAD_USER_INPUT", "subject")
		testkit.Check(t, strings.Contains(a.Errors[0].Message, "or "+shown+" if"), "no remedy: %s", a.Errors[0].Message)
		s.order(t, id, shown, "42")
		they := access.Viewer{Subject: name, Role: access.Author}
		want := fmt.Sprintf(`{"user":{"subject":%q,"orders":{"nodes":[{"orderId":%q}]}},"order":{"user":{"subject":%[1]q}}}`, shown, id)
		for _, form := range []string{name, shown} {
			s.As(they).Want(t, fmt.Sprintf(`{user(id:%q){subject orders{nodes{orderId}}}order(id:%q){user{subject}}}`, form, id), want)
		}
		s.As(apitest.Alice).Want(t, fmt.Sprintf(`{order(id:%q){orderId}user(id:"alice"){orders{nodes{orderId}}}}`, id), `{"order":null,"user":{"orders":{"nodes":[{"orderId":"o1"}]}}}`)
	}
}

// Dates that no order can have are borders like others.
func TestShippingDatesOutOfTime(t *testing.T) {
	s := serve(t)
	s.order(t, "o1", "alice", "42")
	s.order(t, "o2", "alice", "42")
	s.status(t, "o1", "SHIPPED", "2023-01-15T00:00:00Z", "SHIPPED")
	for arguments, want := range map[string]string{
		`shippedAfter:"0001-01-01T00:00:00Z"`:                      `{"orderId":"o1"}`,
		`shippedAfter:"0000-01-01T00:00:00+12:00"`:                 `{"orderId":"o1"}`,
		`shippedBefore:"0001-01-01T00:00:00Z"`:                     ``,
		`shippedBefore:"9999-12-31T23:59:59-12:00"`:                `{"orderId":"o1"}`,
		`status:SHIPPED,shippedBefore:"9999-12-31T23:59:59-12:00"`: `{"orderId":"o1"}`,
		`status:PLACED,shippedAfter:"0000-01-01T00:00:00+12:00"`:   ``,
		`status:SHIPPED,shippedAfter:"9999-12-31T23:59:59-12:00"`:  ``,
	} {
		s.As(apitest.Alice).Want(t, `{user(id:"alice"){orders(filter:{`+arguments+`}){nodes{orderId}}}}`, `{"user":{"orders":{"nodes":[`+want+`]}}}`)
	}
}
