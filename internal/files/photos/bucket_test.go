package photos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
	"product-comments/store/key/photo"
)

// fakeS3 returns the address of a bucket, and its server.
func fakeS3(t *testing.T, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_MAX_ATTEMPTS": "1"} {
		t.Setenv(name, value)
	}
	backend := s3mem.New()
	testkit.Must(t, backend.CreateBucket("photos"))
	server := httptest.NewServer(wrap(gofakes3.New(backend).Server()))
	t.Cleanup(server.Close)
	return "s3://photos?region=eu-central-1&use_path_style=true&endpoint=" + server.URL
}

func open(t *testing.T, where string) *Bucket {
	t.Helper()
	b := testkit.Value(Open(t.Context(), where))(t)
	t.Cleanup(func() { testkit.Must(t, b.Close()) })
	return b
}

func some(sizes ...int) Picture {
	p := Picture{Photo: Photo{ID: photo.NewID()}}
	for _, width := range sizes {
		p.Renditions = append(p.Renditions, Rendition{width, []byte(strings.Repeat(fmt.Sprint(width, " "), width))})
	}
	return p
}

func content(t *testing.T, b *Bucket, id string, width int) string {
	t.Helper()
	o := testkit.Value(b.Get(t.Context(), id, width))(t)
	text := string(testkit.Value(io.ReadAll(o))(t))
	testkit.Must(t, o.Close())
	testkit.Equal(t, o.Size, int64(len(text)), "size")
	testkit.Check(t, time.Since(o.Modified) < time.Minute, "modified %s", o.Modified)
	return text
}

func ids(t *testing.T, b *Bucket) (all []string) {
	t.Helper()
	testkit.Must(t, b.Each(t.Context(), func(id string, modified time.Time) error {
		testkit.Check(t, time.Since(modified) < time.Minute, "%s is of %s", id, modified)
		all = append(all, id)
		return nil
	}))
	return all
}

func TestBucket(t *testing.T) {
	var headers []string
	for name, where := range map[string]string{"folder": filepath.Join(t.TempDir(), "a", "photos"),
		"S3": fakeS3(t, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					headers = append(headers, r.Header.Get("Content-Type")+" "+r.Header.Get("Cache-Control"))
				}
				next.ServeHTTP(w, r)
			})
		})} {
		t.Run(name, func(t *testing.T) {
			b := open(t, where)
			t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // as in a container that is read-only
			testkit.Equal(t, len(ids(t, b)), 0, "photos of an empty bucket")
			one, narrow := some(Widths...), some(160)
			testkit.Must(t, b.Put(t.Context(), one))
			testkit.Must(t, b.Put(t.Context(), narrow))
			for _, r := range one.Renditions {
				testkit.Equal(t, content(t, b, one.ID, r.Width), string(r.JPEG), "rendition %d", r.Width)
			}
			testkit.Equal(t, len(ids(t, b)), 2, "photos")
			if b.folder != "" {
				testkit.Equal(t, len(testkit.Value(os.ReadDir(filepath.Join(b.folder, narrow.ID)))(t)), 1, "files of one rendition")
			}
			for _, missing := range []error{testkit.Err(b.Get(t.Context(), narrow.ID, 480)), testkit.Err(b.Get(t.Context(), photo.NewID(), 160))} {
				testkit.Equal(t, errs.CodeOf(missing), errs.NotFound, "missing")
			}
			for range 2 { // the second time there is nothing to delete
				testkit.Must(t, b.Delete(t.Context(), one.ID))
				testkit.Must(t, b.Delete(t.Context(), narrow.ID))
			}
			testkit.Equal(t, len(ids(t, b)), 0, "photos that were deleted")
			if b.folder == "" {
				testkit.Equal(t, strings.Join(headers, "\n"), strings.TrimSpace(strings.Repeat("image/jpeg "+CacheControl+"\n", 4)), "headers")
				return
			}
			left := testkit.Value(os.ReadDir(b.folder))(t)
			testkit.Equal(t, len(left), 0, "files that are left")
		})
	}
}

// Ids that would be other files are never deleted.
func TestOnlyPhotosAreDeleted(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "photos"))
	for _, id := range []string{"", ".", "..", "../x", strings.Repeat("a", 25) + "/", strings.ToUpper(photo.NewID())} {
		testkit.Equal(t, errs.CodeOf(b.Delete(t.Context(), id)), errs.NotFound, "%q", id)
	}
	testkit.Must(t, testkit.Err(os.Stat(b.folder)))
}

// The sweep sees what a killed process left, and deletes it.
func TestRestOfAKilledProcess(t *testing.T) {
	b, id := open(t, t.TempDir()), photo.NewID()
	testkit.Must(t, os.Mkdir(filepath.Join(b.folder, id), 0o700))
	testkit.Must(t, os.WriteFile(filepath.Join(b.folder, id, "160.17f.tmp"), nil, 0o600))
	testkit.Must(t, os.WriteFile(filepath.Join(b.folder, "README"), nil, 0o600))
	testkit.Equal(t, strings.Join(ids(t, b), " "), id, "ids")
	testkit.Must(t, b.Delete(t.Context(), id))
	testkit.Equal(t, len(ids(t, b)), 0, "ids after deletion")
}

func TestEachStops(t *testing.T) {
	b := open(t, t.TempDir())
	for range 3 {
		testkit.Must(t, b.Put(t.Context(), some(160)))
	}
	enough, calls := errors.New("enough"), 0
	err := b.Each(t.Context(), func(string, time.Time) error { calls++; return enough })
	testkit.Check(t, errors.Is(err, enough) && calls == 1, "%v after %d calls", err, calls)
}

// A bucket that is down makes photos unavailable, and keeps no part of a photo.
func TestBucketIsDown(t *testing.T) {
	soon := func(t *testing.T) context.Context { // before the SDK has tried again
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	down := func(t *testing.T, b *Bucket) {
		for name, err := range map[string]error{
			"put": b.Put(soon(t), some(160)), "get": testkit.Err(b.Get(soon(t), photo.NewID(), 160)),
			"each": b.Each(soon(t), func(string, time.Time) error { return nil }),
		} {
			var e *errs.Error
			testkit.Check(t, errors.As(err, &e) && e.Code == errs.Unavailable && e.RetryAfter > 0, "%s: %v", name, err)
		}
	}
	t.Run("S3", func(t *testing.T) {
		b := open(t, fakeS3(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		}))
		down(t, b)
		testkit.Equal(t, errs.CodeOf(b.Delete(soon(t), photo.NewID())), errs.Unavailable, "delete")
	})
	t.Run("folder", func(t *testing.T) { // it became a file
		where := filepath.Join(t.TempDir(), "photos")
		b := open(t, where)
		testkit.Must(t, os.Remove(where))
		testkit.Must(t, os.WriteFile(where, nil, 0o600))
		down(t, b)
	})
	t.Run("S3 at the second rendition", func(t *testing.T) {
		puts := 0
		b := open(t, fakeS3(t, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					if puts++; puts > 1 {
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
				}
				next.ServeHTTP(w, r)
			})
		}))
		testkit.Equal(t, errs.CodeOf(b.Put(soon(t), some(Widths...))), errs.Unavailable, "put")
		testkit.Equal(t, len(ids(t, b)), 0, "photos that are left")
	})
	t.Run("S3 does not answer", func(t *testing.T) {
		stop := make(chan struct{})
		b := open(t, fakeS3(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop })
		}))
		defer close(stop)
		testkit.Equal(t, errs.CodeOf(testkit.Err(b.Get(soon(t), photo.NewID(), 160))), errs.Unavailable, "get")
	})
}
