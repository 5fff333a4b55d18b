package ndjson

import (
	"fmt"
	"strings"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/store"
	"product-comments/store/errs"
)

// Photos is the name of the field of a comment's photos.
const Photos = "photos"

// Picture is a photo in a line: where its bytes are, or what an export says about it.
type Picture struct {
	ID          string `json:"id,omitzero"`
	File        string `json:"file,omitzero"` // relative to the folder of the file of comments
	URL         string `json:"url,omitzero"`
	Description string `json:"description,omitzero"`
	Width       int    `json:"width,omitzero"`
	Height      int    `json:"height,omitzero"`
	Placeholder string `json:"placeholder,omitzero"`
}

// parsePictures returns the pictures of a line that have a source.
func parsePictures(v jsontext.Value) (found []Picture, err error) {
	var all []Picture
	if err := expect('[', Photos, v); err != nil {
		return nil, err
	}
	if err := strict.Unmarshal(v, &all, strict.RejectUnknownMembers(true)); err != nil {
		return nil, errs.JSON(Photos, err)
	}
	for i, p := range all {
		switch {
		case p.File != "" && p.URL != "":
			return nil, errs.Invalid(fmt.Sprintf("%s.%d", Photos, i), "it has a file and a url: give one of them").For(errs.Contradiction)
		case p.File != "" || p.URL != "":
			found = append(found, p)
		}
	}
	return found, nil
}

// PicturesIn returns the pictures that a cell lists: addresses, or names of files.
func PicturesIn(cell string) (found []Picture) {
	split := func(r rune) bool { return strings.ContainsRune(",;|\n\t []\"", r) }
	if !strings.Contains(cell, "://") { // names of files may have spaces
		split = func(r rune) bool { return strings.ContainsRune(",;|\n\t[]\"", r) }
	}
	for _, word := range strings.FieldsFunc(cell, split) {
		switch word = strings.TrimSpace(word); {
		case word == "":
		case strings.Contains(word, "://"):
			found = append(found, Picture{URL: word})
		case strings.HasPrefix(word, "//"):
			found = append(found, Picture{URL: "https:" + word})
		default:
			found = append(found, Picture{File: word})
		}
	}
	return found
}

// appendPictures appends photos, with the names of their files if there are any.
func appendPictures(dst []byte, c *store.Comment, file func(id string) string) []byte {
	photos := make([]Picture, len(c.Photos))
	for i, p := range c.Photos {
		photos[i] = Picture{ID: p.ID, Description: p.Description, Width: p.Width, Height: p.Height, Placeholder: p.Placeholder}
		if file != nil {
			photos[i].File = file(p.ID)
		}
	}
	return appendObject(dst, photos)
}
