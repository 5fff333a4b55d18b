package resolvers_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/graph/globalid"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	orderstore "product-comments/store/orders"
)

// ownIDs draws an id, and for each kind an id that reads as a global id of one of the others. However they
// came into the table, each is the own id of another object.
func ownIDs(random *rand.Rand, first string) []string {
	ids := []string{first}
	kinds := []globalid.Kind{globalid.Product, globalid.Comment, globalid.User, globalid.Order}
	for _, k := range random.Perm(len(kinds)) {
		id := globalid.Of(kinds[k], ids[random.IntN(len(ids))])
		if len(id) <= 64 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Both ids that are shown of an object name it in every query and mutation, and no other object,
// even if own ids read as global ids of others.
func TestShownIDsNameTheirObjects(t *testing.T) {
	s := serve(t)
	mia, shop, random := s.As(apitest.Mia), s.As(apitest.Shop), testkit.Random(t)
	for round := range 4 {
		products, ids := ownIDs(random, fmt.Sprintf("p%d", round)), ownIDs(random, fmt.Sprintf("c%d", round))
		names, numbers := ownIDs(random, fmt.Sprintf("u%d", round)), ownIDs(random, fmt.Sprintf("o%d", round))
		var all []store.Comment
		of := map[string]int{} // comments, by product
		for i, id := range ids {
			product := products[random.IntN(len(products))]
			of[product]++
			all = append(all, store.Comment{ID: id, ProductID: product, Rating: 3, Language: "en", CreatedAt: time.Date(2026, 1, 1, round, i, 0, 0, time.UTC)})
		}
		s.Fill(t, all...)
		s.Project(t)
		for _, product := range products {
			shown := mia.Post(t, fmt.Sprintf(`{node(id:%q){...on Product{id productId comments{nodes{product{productId}}}}}}`, globalid.Of(globalid.Product, product)), nil)
			for _, form := range []any{shown.At(t, "node", "id"), shown.At(t, "node", "productId")} {
				nodes := mia.Post(t, fmt.Sprintf(`{product(id:%q){comments{nodes{product{productId}}}}}`, form), nil).At(t, "product", "comments", "nodes").([]any)
				testkit.Need(t, len(nodes) == of[product], "%s of the product %s: %d comments, want %d", form, product, len(nodes), of[product])
				for _, n := range nodes {
					testkit.Equal(t, n.(map[string]any)["product"].(map[string]any)["productId"], shown.At(t, "node", "productId"), "the product of a comment")
				}
			}
			a := mia.Post(t, fmt.Sprintf(`mutation{createComment(input:{productId:%q,rating:1,language:"en"}){comment{id product{id}}}}`, shown.At(t, "node", "productId")), nil)
			testkit.Equal(t, a.At(t, "createComment", "comment", "product", "id"), shown.At(t, "node", "id"), "the product of a new comment")
			mia.Post(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, a.At(t, "createComment", "comment", "id")), nil)
		}
		ratings := func() (r []string) { // and votes, by comment
			for i, c := range testkit.Value(s.Store.GetMany(t.Context(), ids))(t) {
				if c == nil {
					r = append(r, ids[i]+" is gone")
				} else {
					r = append(r, fmt.Sprint(c.ID, " ", c.Rating, " ", c.Up))
				}
			}
			return r
		}
		for i, id := range ids {
			product := globalid.Of(globalid.Product, all[i].ProductID)
			listed := ""
			for _, n := range mia.Post(t, fmt.Sprintf(`{product(id:%q){comments{nodes{id commentId}}}}`, product), nil).At(t, "product", "comments", "nodes").([]any) {
				if n := n.(map[string]any); n["id"] == globalid.Of(globalid.Comment, id) {
					listed = n["commentId"].(string)
				}
			}
			for k, form := range []string{listed, globalid.Of(globalid.Comment, id)} {
				want := ratings()
				want[i] = fmt.Sprint(id, " ", 4+k, " ", 1-k)
				testkit.Equal(t, mia.Post(t, fmt.Sprintf(`{comment(id:%q){commentId}}`, form), nil).At(t, "comment", "commentId"), any(listed), "the comment %s by %s", id, form)
				around := mia.Post(t, fmt.Sprintf(`{product(id:%q){comments(first:1,around:%q){nodes{commentId}}}}`, product, form), nil)
				testkit.Equal(t, around.At(t, "product", "comments", "nodes", 0, "commentId"), any(listed), "the page around %s by %s", id, form)
				vote := []string{"HELPFUL", "null"}[k]
				mia.Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:%d}){comment{commentId}}voteHelpful(input:{id:%[1]q,vote:%[3]s}){comment{commentId}}rejectComment(input:{id:%[1]q,reason:"x"}){comment{commentId}}approveComment(input:{id:%[1]q}){comment{commentId}}}`, form, 4+k, vote),
					strings.ReplaceAll(`{"updateComment":{"comment":ITSELF},"voteHelpful":{"comment":ITSELF},"rejectComment":{"comment":ITSELF},"approveComment":{"comment":ITSELF}}`, "ITSELF", fmt.Sprintf(`{"commentId":%q}`, listed)))
				testkit.Need(t, reflect.DeepEqual(ratings(), want), "after changes of %s by %s: %q, want %q", id, form, ratings(), want)
			}
			form := []string{listed, globalid.Of(globalid.Comment, id)}[i%2]
			want := ratings()
			want[i] = id + " is gone"
			mia.Want(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, form), fmt.Sprintf(`{"deleteComment":{"deletedId":%q}}`, globalid.Of(globalid.Comment, id)))
			testkit.Need(t, reflect.DeepEqual(ratings(), want), "after deleting %s by %s: %q, want %q", id, form, ratings(), want)
		}
		owner := map[string]string{} // of orders
		for i, number := range numbers {
			owner[number] = names[i%len(names)]
			o := orderstore.Order{ID: number, Username: owner[number], Status: orderstore.Placed, Lines: []orderstore.Line{{ProductID: products[i%len(products)], Quantity: 1}}}
			o.Times[0] = time.Date(2026, 1, 1, round, i, 0, 0, time.UTC)
			_, _, err := s.Store.RecordOrder(t.Context(), o)
			testkit.Must(t, err)
		}
		for _, number := range numbers {
			const fields = `{id orderId status placedAt user{id subject}lines{product{id productId}}}`
			shown := mia.Post(t, fmt.Sprintf(`{node(id:%q){...on Order%s}}`, globalid.Of(globalid.Order, number), fields), nil)
			at := func(path ...any) any { return shown.At(t, append([]any{"node"}, path...)...) }
			testkit.Equal(t, at("user", "id"), any(globalid.Of(globalid.User, owner[number])), "the person of the order %s", number)
			for k, form := range []any{at("orderId"), at("id")} {
				again := mia.Post(t, fmt.Sprintf(`{order(id:%q)%s}`, form, fields), nil).At(t, "order")
				testkit.Need(t, k > 0 || reflect.DeepEqual(again, at()), "the order %s by %s: %v, want %v", number, form, again, at())
				person := []any{at("user", "subject"), at("user", "id")}[k]
				found := mia.Post(t, fmt.Sprintf(`{user(id:%q){id orders{nodes{user{id}}}}}`, person), nil)
				testkit.Equal(t, found.At(t, "user", "id"), at("user", "id"), "the person by %s", person)
				for i := range found.At(t, "user", "orders", "nodes").([]any) {
					testkit.Equal(t, found.At(t, "user", "orders", "nodes", i, "user", "id"), at("user", "id"), "whose order it is")
				}
				recorded := shop.Post(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,subject:%q,placedAt:%q,lines:[{productId:%q,quantity:1}]}){order{id user{id}}}}`, form, at("user", "subject"), at("placedAt"), at("lines", 0, "product", []string{"productId", "id"}[k])), nil)
				testkit.Need(t, reflect.DeepEqual(recorded.At(t, "recordOrder", "order"), map[string]any{"id": at("id"), "user": map[string]any{"id": at("user", "id")}}), "recorded again: %s %v", recorded.Data, recorded.Errors)
				status := []string{"PAID", "SHIPPED"}[k]
				shop.Want(t, fmt.Sprintf(`mutation{setOrderStatus(input:{id:%q,status:%s,at:"2026-06-01T00:00:00Z"}){order{id status}}}`, form, status), fmt.Sprintf(`{"setOrderStatus":{"order":{"id":%q,"status":%q}}}`, at("id"), status))
			}
		}
		for _, number := range numbers {
			o := testkit.Value(s.Store.OrderSeen(t.Context(), number, func(string) bool { return true }))(t)
			testkit.Need(t, o.ID == number && o.Username == owner[number] && o.Status == orderstore.Shipped, "the order %s is %+v", number, o)
		}
	}
}
