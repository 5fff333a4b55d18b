package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/graph/model"
	"product-comments/internal/apitest"
)

// order records an order of some products, one of each.
func (s *service) order(t *testing.T, id, username string, products ...string) {
	t.Helper()
	lines := make([]string, len(products))
	for i, p := range products {
		lines[i] = fmt.Sprintf(`{productId:%q,quantity:%d,unitPrice:{amount:"12.50",currency:"EUR"}}`, p, i+1)
	}
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,username:%q,placedAt:"2023-01-01T10:00:00Z",lines:[%s]}){order{orderId user{username}status}}}`, id, username, strings.Join(lines, ",")),
		fmt.Sprintf(`{"recordOrder":{"order":{"orderId":%q,"user":{"username":%q},"status":"PLACED"}}}`, id, username))
}

func (s *service) status(t *testing.T, id, status, at, want string) {
	t.Helper()
	s.As(apitest.Shop).Want(t, fmt.Sprintf(`mutation{setOrderStatus(input:{orderId:%q,status:%s,at:%q}){order{status}}}`, id, status, at),
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
	const order = `{order(id:"o1"){id orderId user{id username createdAt}status placedAt shippedAt deliveredAt lines{product{productId}quantity unitPrice{amount currency}}}}`
	want := fmt.Sprintf(`{"order":{"id":%q,"orderId":"o1","user":{"id":%q,"username":"alice","createdAt":"2023-01-01T10:00:00Z"},"status":"SHIPPED","placedAt":"2023-01-01T10:00:00Z","shippedAt":"2023-01-15T00:00:00Z","deliveredAt":null,`+
		`"lines":[{"product":{"productId":"42"},"quantity":1,"unitPrice":{"amount":"12.50","currency":"EUR"}},{"product":{"productId":"43"},"quantity":2,"unitPrice":{"amount":"12.50","currency":"EUR"}}]}}`,
		model.GlobalID(model.TypeOrder, "o1"), model.GlobalID(model.TypeUser, "alice"))
	s.As(apitest.Alice).Want(t, order, want)
	s.As(apitest.Mia).Want(t, order, want)
	s.As(apitest.Bob).Want(t, order, `{"order":null}`)
	s.As(apitest.Bob).Want(t, `{order(id:"none"){id}}`, `{"order":null}`)

	alice := s.As(apitest.Alice)
	alice.Want(t, `{user(username:"alice"){orders{nodes{orderId lines{quantity}}pageInfo{hasNextPage}}shipped:orders(status:SHIPPED,shippedAfter:"2023-01-15T00:00:00Z",shippedBefore:"2023-01-16T00:00:00Z"){nodes{orderId}}}}`,
		`{"user":{"orders":{"nodes":[{"orderId":"o2","lines":[{"quantity":1}]},{"orderId":"o1","lines":[{"quantity":1},{"quantity":2}]}],"pageInfo":{"hasNextPage":false}},"shipped":{"nodes":[{"orderId":"o1"}]}}}`)
	a := alice.Post(t, `{user(username:"alice"){orders(first:1){edges{cursor node{orderId}}pageInfo{hasNextPage}}}}`, nil)
	cursor := a.At(t, "user", "orders", "edges", 0, "cursor").(string)
	alice.Want(t, fmt.Sprintf(`{user(username:"alice"){orders(first:1,after:%q){nodes{orderId}pageInfo{hasNextPage hasPreviousPage}}}}`, cursor),
		`{"user":{"orders":{"nodes":[{"orderId":"o1"}],"pageInfo":{"hasNextPage":false,"hasPreviousPage":true}}}}`)
	alice.WantError(t, fmt.Sprintf(`{user(username:"alice"){orders(status:SHIPPED,after:%q){nodes{orderId}}}}`, cursor), "BAD_USER_INPUT", "after")
	if len(cursor) > 130 {
		t.Errorf("a cursor of %d characters", len(cursor))
	}

	s.As(apitest.Mia).Want(t, `{openOrders{nodes{orderId user{username createdAt}}}}`,
		`{"openOrders":{"nodes":[{"orderId":"o2","user":{"username":"alice","createdAt":"2023-01-01T10:00:00Z"}},{"orderId":"o3","user":{"username":"bob","createdAt":"2023-01-01T10:00:00Z"}}]}}`)
	s.As(apitest.Mia).Want(t, `{user(username:"nobody"){id}}`, `{"user":null}`)
	s.write(t, apitest.Mia) // who never ordered anything
	s.As(apitest.Mia).Want(t, `{user(username:"mia"){username createdAt orders{nodes{orderId}}}}`, `{"user":{"username":"mia","createdAt":null,"orders":{"nodes":[]}}}`)
}

// People and orders are found by their global ids, by those who may see them; others are
// not told whether there are any.
func TestNodesOfPeople(t *testing.T) {
	s := serve(t)
	s.order(t, "o1", "alice", "42")
	ids := fmt.Sprintf(`["%s","%s","%s","%s"]`, model.GlobalID(model.TypeUser, "alice"), model.GlobalID(model.TypeOrder, "o1"), model.GlobalID(model.TypeOrder, "o2"), model.GlobalID(model.TypeUser, "carol"))
	for i, viewer := range viewers {
		want := `{"nodes":[{"username":"alice"},{"orderId":"o1"},null,null]}`
		if i == 0 || viewer == apitest.Bob {
			want = `{"nodes":[null,null,null,null]}`
		}
		s.As(viewer).Want(t, `{nodes(ids:`+ids+`){... on User{username}... on Order{orderId}}}`, want)
	}
}

// What is wrong with an order is told by field, and what contradicts one is a conflict.
func TestRefusedOrders(t *testing.T) {
	s := serve(t)
	shop := s.As(apitest.Shop)
	const record = `mutation{recordOrder(input:{orderId:"o1",username:"alice",%s,lines:[%s]}){order{id}}}`
	line := `{productId:"42",quantity:1}`
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z",shippedAt:"2023-01-02T10:00:00Z"`, line), "BAD_USER_INPUT", "shippedAt")
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z"`, strings.Repeat(line+",", 50)), "BAD_USER_INPUT", "lines")
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z"`, `{productId:"42",quantity:0}`), "BAD_USER_INPUT", "lines.0.quantity")
	shop.WantError(t, `mutation{setOrderStatus(input:{orderId:"o1",status:PAID,at:"2023-01-01T10:00:00Z"}){order{id}}}`, "NOT_FOUND", "")
	s.order(t, "o1", "alice", "42")
	shop.WantError(t, fmt.Sprintf(record, `placedAt:"2023-01-01T10:00:00Z"`, line), "CONFLICT", "")
}
