package resolvers_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
)

func TestGlobalIDs(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(2)...)
	a := s.Post(t, `{product(id:"42"){id} comment(id:"c001"){id product{id}} none:comment(id:"none"){id}}`, nil)
	product, comment := a.At(t, "product", "id").(string), a.At(t, "comment", "id").(string)
	testkit.Check(t, product != "42" && comment != "c001" && a.At(t, "comment", "product", "id") == product && a.At(t, "none") == nil, "%s", a.Data)
	s.Want(t, fmt.Sprintf(`{product(id:%q){productId} comment(id:%q){commentId} p:node(id:%q){__typename id}
		c:node(id:%q){__typename ...on Comment{commentId}}}`, product, comment, product, comment),
		fmt.Sprintf(`{"product":{"productId":"42"},"comment":{"commentId":"c001"},"p":{"__typename":"Product","id":%q},"c":{"__typename":"Comment","commentId":"c001"}}`, product))
	gone := base64.RawURLEncoding.EncodeToString([]byte("Comment:none"))
	s.Want(t, fmt.Sprintf(`{nodes(ids:[%q,%q,"nonsense","42",%q,%q]){...on Comment{commentId} ...on Product{productId}}}`,
		comment, gone, product, comment),
		`{"nodes":[{"commentId":"c001"},null,null,null,{"productId":"42"},{"commentId":"c001"}]}`)
	s.Want(t, `{products(ids:["7","42","7"]){productId}}`, `{"products":[{"productId":"7"},{"productId":"42"},{"productId":"7"}]}`)
	s.WantError(t, fmt.Sprintf(`{product(id:%q){id}}`, comment), "BAD_USER_INPUT", "id")
	s.WantError(t, fmt.Sprintf(`{comment(id:%q){id}}`, product), "BAD_USER_INPUT", "id")
	testkit.Value(s.Store.Delete(t.Context(), "c001", nil))(t)
	s.Want(t, fmt.Sprintf(`{node(id:%q){id} comment(id:%q){id}}`, comment, comment), `{"node":null,"comment":null}`)
}
