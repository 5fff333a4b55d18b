package deploy

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"product-comments/internal/files/photos"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key/photo"
)

// The roles allow what the API and the projector call of the bucket, and nothing else. That something
// is missing is known to those alone who may list the bucket.
func TestRolesOfThePhotos(t *testing.T) {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_MAX_ATTEMPTS": "1"} {
		t.Setenv(name, value)
	}
	actions := map[string]string{http.MethodGet: "s3:GetObject", http.MethodHead: "s3:GetObject", http.MethodPut: "s3:PutObject", http.MethodDelete: "s3:DeleteObject"}
	picture := photos.Picture{Photo: photos.Photo{ID: photo.NewID()}, Renditions: []photos.Rendition{{Width: 160, JPEG: []byte("x")}, {Width: 480, JPEG: []byte("y")}}}
	for role, do := range map[string]func(ctx context.Context, b *photos.Bucket){
		API: func(ctx context.Context, b *photos.Bucket) {
			testkit.Check(t, b.Put(ctx, picture) != nil, "the second object was stored")
			testkit.Check(t, testkit.Err(b.Get(ctx, picture.ID, 160)) != nil, "the first object stays")
		},
		Projector: func(ctx context.Context, b *photos.Bucket) { testkit.Must(t, b.Delete(ctx, picture.ID)) },
	} {
		var mu sync.Mutex
		seen, full := map[Action]bool{{"s3:ListBucket", "Photos.Arn"}: true}, true
		backend := s3mem.New()
		testkit.Must(t, backend.CreateBucket("photos"))
		fake := gofakes3.New(backend).Server()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen[Action{actions[r.Method], "${Photos.Arn}/*"}] = true
			refused := full && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "480")
			mu.Unlock()
			if refused {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			fake.ServeHTTP(w, r)
		}))
		b := testkit.Value(photos.Open(t.Context(), "s3://photos?region=eu-central-1&use_path_style=true&endpoint="+server.URL))(t)
		if role == Projector {
			full = false
			testkit.Must(t, b.Put(t.Context(), picture))
			clear(seen)
			seen[Action{"s3:ListBucket", "Photos.Arn"}] = true
		}
		do(t.Context(), b)
		testkit.Must(t, b.Close())
		server.Close()
		allowed := testkit.Value(template(t).Allowed(role))(t)
		for a := range allowed {
			testkit.Check(t, !strings.HasPrefix(a.Name, "s3:") || seen[a], "%s allows %s, which nothing needs", role, a)
		}
		for a := range seen {
			testkit.Check(t, allowed[a], "%s does not allow %s, which is needed", role, a)
		}
	}
}
