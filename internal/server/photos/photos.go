// Package photos receives uploads of photos and serves their renditions.
package photos

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	pictures "product-comments/internal/files/photos"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
	"product-comments/store/read/cache"
)

// Records are what the store knows of photos.
type Records interface {
	// UploadedPhoto records a photo that a person is about to upload, given their subject, empty if
	// they have none. Without a comment the record expires, and the photo is deleted.
	UploadedPhoto(ctx context.Context, p pictures.Photo, subject string) error
	// PhotoVisible reports whether there is a photo, and whether everyone may see it.
	PhotoVisible(ctx context.Context, id string) (published, found bool, err error)
}

// Options configure a Handler.
type Options struct {
	Records   Records
	Bucket    *pictures.Bucket
	Reader    *pictures.Reader
	Addresses *photo.Addresses
}

// Server is what a Handler needs of its server.
type Server interface {
	// Uploader returns the subject of the person who uploads, empty if they have none, or an error
	// if they may not.
	Uploader(*http.Request) (string, error)
	// Uploaded charges for the processing of an upload.
	Uploaded(ctx context.Context, busy time.Duration)
}

// Handler answers requests for photos. It is safe for concurrent use.
type Handler struct {
	Options
	server    Server
	published *cache.Recent[string, time.Time] // when photos were seen to be published
}

// A photo that is found published is served for a time without asking the store, since a page asks for
// many; the objects of a deleted one are gone sooner.
const (
	publishedFor  = 30 * time.Second
	publishedMost = 1 << 14
)

// MaxBody is the most bytes of the body of an upload: a picture, and what multipart/form-data add.
const MaxBody = pictures.MaxBytes + 64<<10

// New returns a handler.
func New(o Options, s Server) *Handler {
	return &Handler{Options: o, server: s, published: cache.NewRecent[string, time.Time](publishedMost, nil)}
}

// uploaded is the answer to an upload.
type uploaded struct {
	PhotoID     string `json:"photoId"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Placeholder string `json:"placeholder"`
	// URL shows the photo to the person who uploaded it, for an hour.
	URL string `json:"url"`
}

// CutOff is the error of an upload whose bytes could not be read to their end.
type CutOff struct{ error }

// Unwrap returns the cause.
func (c CutOff) Unwrap() error { return c.error }

// Upload answers POST /photos. The record is made before the objects, so that no object is without
// one if the process ends between them. The error is an *errs.Error, a CutOff or internal.
func (h *Handler) Upload(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	by, err := h.server.Uploader(r)
	if err != nil {
		return err
	}
	body, err := bodyOf(r)
	if err != nil {
		return err
	}
	// Memory is reserved for these bytes once. io.ReadAll would take them twice.
	size := r.ContentLength
	if size < 0 || size > pictures.MaxBytes {
		size = pictures.MaxBytes
	}
	data := bytes.NewBuffer(make([]byte, 0, size+2*bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(body, pictures.MaxBytes+1)); err != nil {
		return CutOff{err}
	}
	p, err := h.Reader.Read(ctx, data.Bytes())
	h.server.Uploaded(ctx, p.Busy)
	if err != nil {
		return err
	}
	if err := h.Records.UploadedPhoto(ctx, p.Photo, by); err != nil {
		return fmt.Errorf("record a photo: %w", err)
	}
	if err := h.Bucket.Put(ctx, p); err != nil {
		return err
	}
	text, err := json.Marshal(uploaded{p.ID, p.Width, p.Height, p.Placeholder,
		h.Addresses.Signed(p.ID, photo.Rendition(p.Width, photo.Widths[1]), time.Now())})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(text) // an error means that the client is gone
	return nil
}

// bodyOf returns the bytes of the picture: the part photo of a form, or the whole body.
func bodyOf(r *http.Request) (io.Reader, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case strings.HasPrefix(kind, "image/"):
		return r.Body, nil
	case kind != "multipart/form-data":
		return nil, errs.Invalid("photo", "send it as the part photo of multipart/form-data, or alone with its Content-Type, such as image/jpeg").For(errs.Required)
	}
	form, err := r.MultipartReader()
	if err != nil {
		return nil, CutOff{err}
	}
	for {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errs.Invalid("photo", "the form has no part of this name").For(errs.Required)
		case err != nil:
			return nil, CutOff{err}
		case part.FormName() == "photo":
			return part, nil
		}
	}
}

// Show answers GET /photos/{id}/{width}. A photo that not everyone may see is shown at a signed
// address only; at others there is nothing.
func (h *Handler) Show(w http.ResponseWriter, r *http.Request) error {
	id, name, header := r.PathValue("id"), r.PathValue("width"), w.Header()
	width, err := strconv.Atoi(name)
	if err != nil || !photo.Valid(id) || !slices.Contains(photo.Widths, width) || strconv.Itoa(width) != name {
		return absent(id)
	}
	caching := "no-store"
	if !h.Addresses.Verify(id, r.URL.Query(), time.Now()) {
		if err := h.visible(r.Context(), id); err != nil {
			return err
		}
		caching = pictures.CacheControl
	}
	tag := `"` + id + "-" + name + `"`
	if matches(r.Header["If-None-Match"], tag) {
		header.Set("Cache-Control", caching)
		header.Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	o, err := h.Bucket.Get(r.Context(), id, width)
	if err != nil {
		return err
	}
	defer o.Close()
	for name, value := range map[string]string{
		"Cache-Control": caching, "Etag": tag, "Last-Modified": o.Modified.UTC().Format(http.TimeFormat),
		"Content-Type": "image/jpeg", "Content-Length": strconv.FormatInt(o.Size, 10), "Content-Disposition": "inline",
		"Content-Security-Policy": "default-src 'none'", "Cross-Origin-Resource-Policy": "cross-origin",
		"X-Content-Type-Options": "nosniff",
	} {
		header.Set(name, value)
	}
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(w, o); err != nil {
		panic(http.ErrAbortHandler) // so that nothing keeps a part of it
	}
	return nil
}

// visible returns an error unless everyone may see a photo.
func (h *Handler) visible(ctx context.Context, id string) error {
	now := time.Now()
	if seen, ok := h.published.Get(id); ok && now.Sub(seen) < publishedFor {
		return nil
	}
	published, found, err := h.Records.PhotoVisible(ctx, id)
	if err != nil {
		return fmt.Errorf("read whether a photo is published: %w", err)
	}
	if !published || !found {
		return absent(id)
	}
	h.published.Add(id, now)
	return nil
}

func absent(id string) error {
	return errs.Errorf(errs.NotFound, "there is no photo %.40s of this size, or not everyone may see it", cmp.Or(id, "here"))
}

// matches reports whether the header If-None-Match has a tag.
func matches(values []string, tag string) bool {
	for one := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}
