package model

import (
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
)

// Photo is the schema's type Photo.
type Photo struct {
	store.Photo
	Published bool // whether its comment is
}

// Description returns nil if there is none.
func (p Photo) Description() *string { return orNil(&p.Photo.Description) }

// Photos returns the photos of the comment.
func (c Comment) Photos() []Photo {
	return MapList(c.Comment.Photos, func(p *store.Photo) Photo { return Photo{*p, c.Comment.State == item.Published} })
}

// PhotoEdge is a photo in a list.
type PhotoEdge struct {
	Edge[Photo, key.Position]
	Comment Comment
}

// PhotoConnection is a page of photos.
type PhotoConnection struct {
	Connection[Photo, PhotoEdge]
}

// NewPhotoConnection returns the connection of a page of photos of published comments, whose cursors
// cursorOf makes. comments has their comments.
func NewPhotoConnection(page list.Page[store.CommentPhoto], comments *CommentConnection, cursorOf CursorOf[key.Position]) *PhotoConnection {
	of := map[string]Comment{}
	for _, c := range comments.Nodes() {
		of[c.Comment.ID] = c
	}
	return &PhotoConnection{NewConnection(page, func(i int) PhotoEdge {
		p := &page.Items[i]
		return PhotoEdge{NewEdge(Photo{p.Photo, true}, p.Position(), cursorOf), of[p.Comment.ID]}
	})}
}
