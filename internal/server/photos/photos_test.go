package photos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	pictures "product-comments/internal/files/photos"
	"product-comments/internal/server/photos"
	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// records are photos in memory.
type records struct {
	mu        sync.Mutex
	by        map[string]string
	published map[string]bool
	reads     int
	fail      error
}

func (r *records) UploadedPhoto(_ context.Context, p pictures.Photo, by string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail == nil {
		r.by[p.ID] = by
	}
	return r.fail
}

func (r *records) PhotoVisible(_ context.Context, id string) (published, found bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	_, found = r.by[id]
	return r.published[id], found, r.fail
}

// server lets everyone upload as a user.
type server struct {
	user string
	busy time.Duration
	fail error
}

func (s *server) Uploader(*http.Request) (string, error)         { return s.user, s.fail }
func (s *server) Uploaded(_ context.Context, busy time.Duration) { s.busy += busy }

// service is a handler on a folder.
type service struct {
	*photos.Handler
	records *records
	server  *server
	folder  string
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{records: &records{by: map[string]string{}, published: map[string]bool{}}, server: &server{user: "alice"}, folder: t.TempDir()}
	s.Handler = photos.New(photos.Options{
		Records: s.records, Bucket: testkit.Value(pictures.Open(t.Context(), s.folder))(t), Reader: pictures.NewReader(pictures.DefaultMemory),
		Addresses: testkit.Value(photo.NewAddresses("", "", make([]byte, 32)))(t),
	}, s.server)
	return s
}

func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 600, 300)), nil))
	return b.Bytes()
}

// form returns the body of a form, and its type.
func form(t testing.TB, name string, content []byte) ([]byte, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	testkit.Must(t, w.WriteField("title", "a field before it"))
	part := testkit.Value(w.CreateFormFile(name, "IMG_1.svg"))(t)
	testkit.Value(part.Write(content))(t)
	testkit.Must(t, w.Close())
	return b.Bytes(), w.FormDataContentType()
}

func (s *service) upload(t testing.TB, body io.Reader, kind string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/photos", body)
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	return w, s.Upload(w, r)
}

// one uploads a photo and returns its id and its signed address.
func (s *service) one(t testing.TB) (id, url string) {
	t.Helper()
	w := testkit.Value(s.upload(t, bytes.NewReader(picture(t)), "image/jpeg"))(t)
	var answer struct{ PhotoID, URL string }
	testkit.Must(t, json.Unmarshal(w.Body.Bytes(), &answer))
	return answer.PhotoID, answer.URL
}

func (s *service) show(t testing.TB, method, path string, headers ...string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := httptest.NewRecorder(), error(nil)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /photos/{id}/{width}", func(w http.ResponseWriter, r *http.Request) { err = s.Show(w, r) })
	mux.ServeHTTP(w, r)
	return w, err
}

func (s *service) files(t testing.TB) int {
	t.Helper()
	return len(testkit.Value(os.ReadDir(s.folder))(t))
}

func TestUpload(t *testing.T) {
	s := newService(t)
	inForm, kind := form(t, "photo", picture(t))
	for kind, body := range map[string][]byte{kind: inForm, "image/jpeg": picture(t), "image/svg+xml; charset=utf-8": picture(t)} {
		w, err := s.upload(t, bytes.NewReader(body), kind)
		testkit.Must(t, err)
		var answer map[string]any
		testkit.Must(t, json.Unmarshal(w.Body.Bytes(), &answer))
		id, _ := answer["photoId"].(string)
		testkit.Check(t, w.Code == 201 && photo.Valid(id) && answer["width"] == 600.0 && answer["height"] == 300.0 && answer["placeholder"] == "000000000000",
			"%s: %d %s", kind, w.Code, w.Body)
		testkit.Equal(t, s.records.by[id], "alice", "who uploaded it")
		shown, err := s.show(t, http.MethodGet, answer["url"].(string))
		testkit.Check(t, err == nil && shown.Code == 200, "its address: %v %d", err, shown.Code)
	}
	testkit.Check(t, s.server.busy > 0, "processing was not charged")
	testkit.Equal(t, s.files(t), 3, "photos in the bucket")
}

func TestRefusedUploads(t *testing.T) {
	other, kind := form(t, "picture", picture(t))
	page, pageKind := form(t, "photo", []byte("<svg onload=alert(1)>"))
	half, halfKind := form(t, "photo", picture(t))
	for name, c := range map[string]struct {
		body io.Reader
		kind string
		want string
	}{
		"JSON":                 {strings.NewReader("{}"), "application/json", "multipart/form-data"},
		"another part":         {bytes.NewReader(other), kind, "no part of this name"},
		"no boundary":          {bytes.NewReader(half), "multipart/form-data", "boundary"},
		"an SVG named .jpg":    {bytes.NewReader(page), pageKind, "no JPEG"},
		"a form that ends":     {bytes.NewReader(half[:len(half)-200]), halfKind, "unexpected EOF"},
		"bytes that stop":      {io.MultiReader(bytes.NewReader(picture(t)[:500]), iotest.ErrReader(io.ErrUnexpectedEOF)), "image/jpeg", "unexpected EOF"},
		"a header that stops":  {io.MultiReader(bytes.NewReader(half[:20]), iotest.ErrReader(io.ErrUnexpectedEOF)), halfKind, "unexpected EOF"},
		"bytes that end early": {bytes.NewReader(picture(t)[:500]), "image/jpeg", "cut off"},
	} {
		s := newService(t)
		_, err := s.upload(t, c.body, c.kind)
		testkit.Check(t, err != nil, "%s is taken", name)
		testkit.Fails(t, err, c.want)
		var cut photos.CutOff
		testkit.Equal(t, errors.As(err, &cut), errs.CodeOf(err) != errs.BadUserInput, "%s: bytes that do not arrive", name)
		testkit.Check(t, s.files(t) == 0 && len(s.records.by) == 0, "%s left %d files, %d records", name, s.files(t), len(s.records.by))
	}
}

// Without a record there are no objects; without a bucket there is an error that is not the client's.
func TestUploadFails(t *testing.T) {
	s := newService(t)
	s.records.fail = errs.Errorf(errs.Unavailable, "throttled")
	_, err := s.upload(t, bytes.NewReader(picture(t)), "image/jpeg")
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable && s.files(t) == 0, "no table: %v, %d files", err, s.files(t))
	s.records.fail = nil
	testkit.Must(t, os.Remove(s.folder))
	testkit.Must(t, os.WriteFile(s.folder, nil, 0o600))
	_, err = s.upload(t, bytes.NewReader(picture(t)), "image/jpeg")
	testkit.Equal(t, errs.CodeOf(err), errs.Unavailable, "no bucket")
	s.server.fail = errs.Errorf(errs.Unauthenticated, "Sign in")
	_, err = s.upload(t, iotest.ErrReader(errors.New("the body is read")), "image/jpeg")
	testkit.Equal(t, errs.CodeOf(err), errs.Unauthenticated, "a visitor")
}

func TestShow(t *testing.T) {
	s := newService(t)
	id, _ := s.one(t)
	s.records.published[id] = true
	at := "/photos/" + id + "/480"
	w, err := s.show(t, http.MethodGet, at)
	testkit.Must(t, err)
	size := testkit.Value(jpeg.DecodeConfig(bytes.NewReader(w.Body.Bytes())))(t)
	testkit.Equal(t, size.Width, 480, "width")
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "Cache-Control": "public, max-age=31536000, immutable", "Content-Disposition": "inline",
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'",
		"Cross-Origin-Resource-Policy": "cross-origin", "ETag": `"` + id + `-480"`,
	} {
		testkit.Equal(t, w.Header().Get(name), want, "%s", name)
	}
	head := testkit.Value(s.show(t, http.MethodHead, at))(t)
	testkit.Check(t, head.Body.Len() == 0 && head.Header().Get("Content-Length") == w.Header().Get("Content-Length") && w.Header().Get("Content-Length") != "",
		"HEAD: %v, %d bytes", head.Header(), head.Body.Len())
	for tag, want := range map[string]int{`"` + id + `-480"`: 304, `"x", W/"` + id + `-480"`: 304, "*": 304, `"` + id + `-160"`: 200} {
		again := testkit.Value(s.show(t, http.MethodGet, at, "If-None-Match", tag))(t)
		testkit.Equal(t, again.Code, want, "if it is not %s", tag)
		testkit.Equal(t, again.Header().Get("ETag"), w.Header().Get("ETag"), "tag")
	}
	for _, path := range []string{"/photos/" + id + "/481", "/photos/" + id + "/0160", "/photos/" + id + "/+160", "/photos/" + photo.NewID() + "/160", "/photos/x/160", "/photos/" + id + "/1600x", "/photos/..%2f/160"} {
		_, err := s.show(t, http.MethodGet, path)
		testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "%s", path)
	}
	_, err = s.show(t, http.MethodGet, "/photos/"+id+"/1600")
	testkit.Must(t, err)
	testkit.Equal(t, s.records.reads, 2, "reads of the store: one of the photo, one of what is none")
}

// A photo that is not published has a signed address only, which nothing keeps.
func TestUnpublished(t *testing.T) {
	s := newService(t)
	id, signed := s.one(t)
	at := "/photos/" + id + "/480"
	_, err := s.show(t, http.MethodGet, at)
	testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "without a signature")
	w := testkit.Value(s.show(t, http.MethodGet, signed))(t)
	testkit.Check(t, w.Code == 200 && w.Header().Get("Cache-Control") == "no-store", "signed: %d %v", w.Code, w.Header())
	query := testkit.Value(url.Parse(signed))(t).RawQuery
	w = testkit.Value(s.show(t, http.MethodGet, "/photos/"+id+"/160?"+query, "If-None-Match", "*"))(t)
	testkit.Check(t, w.Code == 304 && w.Header().Get("Cache-Control") == "no-store", "another rendition: %d %v", w.Code, w.Header())
	other, _ := s.one(t)
	_, err = s.show(t, http.MethodGet, "/photos/"+other+"/480?"+query)
	testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "another photo")
	_, err = s.show(t, http.MethodGet, at+"?until=99999999999&sig=AAAAAAAAAAAAAAAAAAAAAA")
	testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "forged")
	s.records.published[id] = true
	w = testkit.Value(s.show(t, http.MethodGet, at+"?until=1&sig=x"))(t)
	testkit.Equal(t, w.Header().Get("Cache-Control"), pictures.CacheControl, "a published one, with an old signature")
}

// What the store says is kept for a time only, and not that a photo is missing.
func TestPublishedAndDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		id, signed := s.one(t)
		at := "/photos/" + id + "/160"
		_, err := s.show(t, http.MethodGet, at)
		testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "before")
		s.records.published[id] = true
		testkit.Must(t, testkit.Err(s.show(t, http.MethodGet, at)))
		s.records.published[id] = false
		testkit.Must(t, testkit.Err(s.show(t, http.MethodGet, at)))
		time.Sleep(31 * time.Second)
		_, err = s.show(t, http.MethodGet, at)
		testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "after it was hidden")
		testkit.Must(t, testkit.Err(s.show(t, http.MethodGet, signed)))
		time.Sleep(time.Hour)
		_, err = s.show(t, http.MethodGet, signed)
		testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "an hour later")
		s.records.published[id] = true
		testkit.Must(t, s.Bucket.Delete(t.Context(), id))
		_, err = s.show(t, http.MethodGet, at)
		testkit.Equal(t, errs.CodeOf(err), errs.NotFound, "without objects")
		s.records.fail = errors.New("down")
		time.Sleep(time.Hour)
		_, err = s.show(t, http.MethodGet, at)
		testkit.Fails(t, err, "down")
	})
}
