package shop

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"product-comments/internal/site/reviews"
	"product-comments/store/key/invitations"
)

// sameOrigin refuses forms of other sites.
var sameOrigin = http.NewCrossOriginProtection()

// guest does what a shop does after a delivery: it records an order of a buyer without an account, of
// the product and two others, and makes their invitation. It leads to the page that the buyer would
// open.
func (s *Shop) guest(w http.ResponseWriter, r *http.Request) {
	token := s.Tokens(r)[service]
	if token == "" || sameOrigin.Check(r) != nil {
		http.NotFound(w, r)
		return
	}
	id := r.PathValue("id")
	lines := []map[string]any{{"productId": id, "quantity": 1}}
	for _, e := range s.Products {
		if e.ProductID != id && len(lines) < 3 {
			lines = append(lines, map[string]any{"productId": e.ProductID, "quantity": 1})
		}
	}
	order, now := "guest-"+rand.Text()[:8], time.Now().UTC()
	body, _ := json.Marshal(map[string]any{ // texts can be marshaled
		"query": `mutation ShopInvites($order: RecordOrderInput!, $invitation: CreateInvitationInput!) {
			recordOrder(input: $order) { order { orderId } }
			createInvitation(input: $invitation) { invitation { token } }
		}`,
		"variables": map[string]any{
			"order":      map[string]any{"orderId": order, "status": "DELIVERED", "placedAt": now.AddDate(0, 0, -9), "deliveredAt": now, "lines": lines},
			"invitation": map[string]any{"orderId": order, "productId": id},
		},
	})
	var answer struct {
		Data struct {
			CreateInvitation *struct{ Invitation struct{ Token string } }
		}
	}
	got := reviews.Ask(s.Service, r, http.MethodPost, "/graphql", token, body)
	if err := json.Unmarshal(got.Bytes(), &answer); err != nil || answer.Data.CreateInvitation == nil {
		http.Error(w, "The invitation cannot be made now.", http.StatusServiceUnavailable)
		return
	}
	http.Redirect(w, r, invitations.Path+answer.Data.CreateInvitation.Invitation.Token, http.StatusSeeOther)
}
