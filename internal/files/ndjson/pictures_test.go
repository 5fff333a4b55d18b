package ndjson

import (
	"fmt"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

func TestPicturesOfALine(t *testing.T) {
	r := &Reader{Strict: true}
	line := `{"productId":"p","commentId":"c","rating":5,"language":"en","createdAt":"2026-06-30T12:00:00Z"`
	c, _, err := r.Read([]byte(line + `,"photos":[{"file":"a/b.jpg","description":"A"},{"id":"x","width":1,"height":2},{"url":"https://a.example/1"}]}`))
	testkit.Check(t, err == nil && c.Photos == nil, "%v, %v", c.Photos, err)
	testkit.Equal(t, fmt.Sprint(r.Pictures), "[{ a/b.jpg  A 0 0 } {  https://a.example/1  0 0 }]", "pictures")
	_, _, err = r.Read([]byte(line + "}"))
	testkit.Check(t, err == nil && r.Pictures == nil, "pictures of another line: %v, %v", r.Pictures, err)
	c.Photos = []store.Photo{{ID: "one", Width: 1, Height: 2}, {ID: "two", Width: 3, Height: 4}}
	c.CreatedAt = c.CreatedAt.UTC()
	got := string(AppendWithFiles(nil, &c, func(id string) string { return map[string]string{"one": "photos/one.jpg"}[id] }))
	testkit.Equal(t, got, line+`,"photos":[{"id":"one","file":"photos/one.jpg","width":1,"height":2},{"id":"two","width":3,"height":4}]}`+"\n", "line")
}

func TestPicturesOfACell(t *testing.T) {
	for cell, want := range map[string]string{
		"": "[]", " , ;": "[]", "https://a.example/1.jpg,https://a.example/2.jpg": "[{ https://a.example/1.jpg} { https://a.example/2.jpg}]",
		"https://a.example/1.jpg https://a.example/2.jpg\nhttps://a.example/3.jpg": "[{ https://a.example/1.jpg} { https://a.example/2.jpg} { https://a.example/3.jpg}]",
		`["https://a.example/1.jpg?w=1"]`:                                          "[{ https://a.example/1.jpg?w=1}]", "//a.example/1.jpg": "[{ https://a.example/1.jpg}]",
		"my cat.jpg; b.jpg": "[{my cat.jpg } {b.jpg }]",
	} {
		type short struct{ File, URL string }
		all := []short{}
		for _, p := range PicturesIn(cell) {
			all = append(all, short{p.File, p.URL})
		}
		testkit.Equal(t, fmt.Sprint(all), want, "%q", cell)
	}
}
