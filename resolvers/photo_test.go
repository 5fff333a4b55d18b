package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

func withPhotoURLs(c *httpapi.Config) {
	c.PhotoURL = func(id string, width int, published bool) string {
		return fmt.Sprintf("/photos/%s/%d?published=%t", id, width, published)
	}
}

// Comments have the photos that their authors uploaded, with addresses for everyone, or for an hour.
func TestPhotosOfComments(t *testing.T) {
	s := serve(t, withPhotoURLs)
	var ids []string
	for i := range 8 {
		p := store.Photo{ID: storetest.PhotoID(i), Width: 1600, Height: 1200, Placeholder: fmt.Sprint("data ", i)}
		testkit.Must(t, s.Store.UploadedPhoto(t.Context(), p, apitest.Alice.Subject))
		ids = append(ids, p.ID)
	}
	input := func(numbers ...int) string {
		var all []string
		for _, n := range numbers {
			all = append(all, fmt.Sprintf(`{id:%q,description:"photo %d"}`, ids[n], n))
		}
		return "photos:[" + strings.Join(all, ",") + "]"
	}
	shown := func(n int, published bool) string {
		return fmt.Sprintf(`{"id":%q,"width":1600,"height":1200,"placeholder":"data %d","description":"photo %d","url":"/photos/%s/160?published=%t"}`, ids[n], n, n, ids[n], published)
	}
	const fields = `{photos{id width height placeholder description url(width:160)}}`
	create := func(photos string) string {
		return `mutation{createComment(input:{productId:"42",rating:5,language:"en",` + photos + `}){comment{commentId photos{id description}}}}`
	}
	author := s.As(apitest.Alice)
	var made struct {
		CreateComment struct{ Comment struct{ CommentID string } }
	}
	testkit.Must(t, json.Unmarshal(author.Post(t, create(input(1, 0)), nil).Data, &made))
	id := made.CreateComment.Comment.CommentID
	query := fmt.Sprintf(`{comment(id:%q)%s}`, id, fields)
	s.As(apitest.Anonymous).Want(t, query, `{"comment":{"photos":[`+shown(1, true)+","+shown(0, true)+`]}}`)
	for _, c := range []struct{ by, photos, field, code, reason string }{
		{"alice", input(1), "photos.0.id", "CONFLICT", ""},
		{"alice", input(2, 3, 4, 5, 6, 7, 1), "photos", "BAD_USER_INPUT", "TOO_MANY"},
		{"alice", `photos:[{id:"x"}]`, "photos.0.id", "BAD_USER_INPUT", "NOT_A_PHOTO"},
		{"bob", input(2), "photos.0.id", "BAD_USER_INPUT", "NOT_A_PHOTO"},
		{"mia", input(2), "photos.0.id", "BAD_USER_INPUT", "NOT_A_PHOTO"},
		{"shop", input(2), "photos.0.id", "BAD_USER_INPUT", "NOT_A_PHOTO"},
	} {
		viewer := s.As(map[string]access.Viewer{"alice": apitest.Alice, "bob": apitest.Bob, "mia": apitest.Mia, "shop": apitest.Shop}[c.by])
		a := viewer.Post(t, create(c.photos), nil)
		testkit.Need(t, len(a.Errors) == 1, "%+v: %+v", c, a)
		e := a.Errors[0].Extensions
		reason, _ := e["reason"].(string)
		testkit.Check(t, e["field"] == c.field && e["code"] == c.code && reason == c.reason, "%+v: %+v", c, e)
	}
	author.Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,%s}){comment%s}}`, id, input(2, 1), fields),
		`{"updateComment":{"comment":{"photos":[`+shown(2, true)+","+shown(1, true)+`]}}}`)
	remove := fmt.Sprintf(`mutation{removePhoto(input:{id:%q,photoId:%q,reason:"a face"}){comment{photos{id} version history{from to reason photoId}}}}`, id, ids[2])
	a := author.Post(t, remove, nil)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "FORBIDDEN", "%+v", a)
	for range 2 {
		s.Want(t, remove, fmt.Sprintf(`{"removePhoto":{"comment":{"photos":[{"id":%q}],"version":3,"history":[{"from":"PUBLISHED","to":"PUBLISHED","reason":"a face","photoId":%q}]}}}`, ids[1], ids[2]))
	}
	s.Post(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"so"}){comment{id}}}`, id), nil)
	s.As(apitest.Anonymous).Want(t, query, `{"comment":null}`)
	author.Want(t, query, `{"comment":{"photos":[`+shown(1, false)+`]}}`)
}

// The photos of a product are paged through in both directions, with their comments complete.
func TestPhotosOfProducts(t *testing.T) {
	s := serve(t, withPhotoURLs)
	var all []string
	n := 0
	for i := range 9 {
		c := store.Comment{ID: fmt.Sprint("c", i), ProductID: "42", Rating: 1 + i%5, Language: "en", CreatedAt: time.Date(2026, 1, 20-i, 0, 0, 0, 0, time.UTC), Text: strings.Repeat("long ", 1000)}
		for range i % 4 {
			c.Photos = append(c.Photos, store.Photo{ID: storetest.PhotoID(n), Width: 1, Height: 1})
			all = append(all, storetest.PhotoID(n))
			n++
		}
		s.Fill(t, c)
	}
	s.Project(t)
	var page struct {
		Product struct {
			Photos struct {
				Edges []struct {
					Cursor  string
					Node    struct{ ID, URL string }
					Comment struct {
						CommentID, Text string
						HelpfulCount    int
						ViewerCanUpdate bool
					}
				}
				PageInfo struct {
					HasNextPage, HasPreviousPage bool
					StartCursor, EndCursor       string
				}
			}
			Comments struct{ TotalCount int }
		}
	}
	for _, forward := range []bool{true, false} {
		var met []string
		arguments := "first:3"
		if !forward {
			arguments = "last:3"
		}
		for {
			page.Product.Photos.Edges = nil
			testkit.Must(t, json.Unmarshal(s.Post(t, `{product(id:"42"){comments(filter:{withPhotos:true}){totalCount}
				photos(`+arguments+`){edges{cursor node{id url(width:480)} comment{commentId text helpfulCount viewerCanUpdate}} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`, nil).Data, &page))
			p := page.Product.Photos
			testkit.Need(t, len(p.Edges) > 0 && page.Product.Comments.TotalCount == 6, "%+v", page)
			var found []string
			for _, e := range p.Edges {
				testkit.Check(t, len(e.Comment.Text) == 5000 && e.Comment.ViewerCanUpdate && e.Node.URL == "/photos/"+e.Node.ID+"/160?published=true", "%+v", e)
				found = append(found, e.Node.ID)
			}
			if forward {
				met, arguments = append(met, found...), fmt.Sprintf("first:3,after:%q", p.PageInfo.EndCursor)
			} else {
				met, arguments = append(found, met...), fmt.Sprintf("last:3,before:%q", p.PageInfo.StartCursor)
			}
			if forward && !p.PageInfo.HasNextPage || !forward && !p.PageInfo.HasPreviousPage {
				break
			}
		}
		testkit.Check(t, strings.Join(met, " ") == strings.Join(all, " "), "met %v, not %v", met, all)
	}
	cursor := page.Product.Photos.PageInfo.StartCursor
	a := s.Post(t, fmt.Sprintf(`{product(id:"42"){comments(after:%q){nodes{id}}}}`, cursor), nil)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["reason"] == "NOT_A_CURSOR", "%+v", a)
}
