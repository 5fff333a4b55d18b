package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
)

// PhotoID returns the id of the photo with a number.
func PhotoID(n int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(n)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// Photo uploads the photo with a number to a store, as an import does, and returns it.
func Photo(t testing.TB, s interface {
	UploadedPhoto(ctx context.Context, p item.Photo, subject string) error
}, n int) item.Photo {
	p := item.Photo{ID: PhotoID(n), Width: 1 + n, Height: 1600, Placeholder: "data", Description: fmt.Sprint("photo ", n)}
	testkit.Must(t, s.UploadedPhoto(t.Context(), p, ""))
	return p
}
