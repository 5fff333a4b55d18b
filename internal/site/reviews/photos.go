package reviews

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// photo is a photo of a comment. Its addresses are empty on a server without photos.
type photo struct {
	ID          string `json:"id,omitempty"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Placeholder string `json:"placeholder"`
	Description string `json:"description,omitempty"`
	Small       string `json:"small"`
	Medium      string `json:"medium"`
	Large       string `json:"large"`
}

// thumbnail is a link to a photo.
type thumbnail struct {
	photo
	Alt       string
	CommentID string
}

// thumbnail returns the link to a photo of a comment.
func (l *Labels) thumbnail(p photo, commentID, author string) thumbnail {
	by := l.Text("photoBy", "author", cmp.Or(author, l.Text("anonymous")))
	return thumbnail{p, cmp.Or(p.Description, by), commentID}
}

// Thumbnails are links to the photos of a comment.
func (l *Labels) Thumbnails(c Comment) (all []thumbnail) {
	for _, p := range c.Photos {
		if p.Small != "" {
			all = append(all, l.thumbnail(p, c.CommentID, c.Author))
		}
	}
	return all
}

// Images are the addresses of a comment's photos for the JSON-LD, which needs them with a host.
func (s *section) Images(c Comment) (all []string) {
	for _, p := range c.Photos {
		if p.Large != "" && s.Address != "" {
			all = append(all, p.Large)
		}
	}
	return all
}

// strip reads the newest photos of a product. A filter for anything else hides them, and without
// photos nothing is read.
func (h *Handler) strip(r *http.Request, s *section) (all []thumbnail) {
	if !h.Photos || s.list.without("photos").filtered() || s.photos() == nil || *s.photos() == 0 {
		return nil
	}
	a, err := h.ask(r, photosOperation, "", map[string]any{"product": s.ProductID})
	var of struct {
		Product *struct {
			Photos *struct {
				Edges []struct {
					Node    photo
					Comment struct{ CommentID, Author string }
				}
			}
		}
	}
	if err != nil || json.Unmarshal(a.Data, &of) != nil || of.Product == nil || of.Product.Photos == nil {
		return nil
	}
	for _, e := range of.Product.Photos.Edges {
		all = append(all, s.thumbnail(e.Node, e.Comment.CommentID, e.Comment.Author))
	}
	return all
}

// photos is the number of comments with photos that pass the other filters; nil if it is not known.
func (s *section) photos() *int {
	if c := s.Product.Comments; c != nil && c.Facets != nil {
		return &c.Facets.WithPhotosCount
	}
	return nil
}

// chosen returns the photos that the script wrote into a form, nil for no change.
func chosen(text string) any {
	var photos []struct {
		ID          string `json:"id"`
		Description string `json:"description,omitempty"`
	}
	if json.Unmarshal([]byte(text), &photos) != nil {
		return nil
	}
	return photos
}

// Uploaded are the photos of the form's comment, for the script.
func (f *form) Uploaded() (string, error) {
	text, err := json.Marshal(f.Photos)
	return string(text), err
}
