package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pictures "product-comments/internal/files/photos"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/photos"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/key/photo"
)

// uploads is a service with photos in a folder, and its records.
type uploads struct {
	*service
	folder string
	mu     sync.Mutex
	by     []string
	fail   error
}

func (u *uploads) UploadedPhoto(_ context.Context, _ pictures.Photo, by string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.by = append(u.by, by)
	return u.fail
}

func (u *uploads) PhotoVisible(context.Context, string) (published, found bool, err error) {
	return false, true, nil
}

func servePhotos(t *testing.T, change ...func(*httpapi.Config)) *uploads {
	t.Helper()
	u := &uploads{folder: t.TempDir()}
	u.service = serve(t, append(change, func(c *httpapi.Config) {
		c.Photos = &photos.Options{Records: u, Bucket: testkit.Value(pictures.Open(t.Context(), u.folder))(t),
			Reader: pictures.NewReader(pictures.DefaultMemory), Addresses: testkit.Value(photo.NewAddresses("", "", make([]byte, 32)))(t)}
	})...)
	return u
}

func (u *uploads) files(t *testing.T) int { return len(testkit.Value(os.ReadDir(u.folder))(t)) }

func tiny(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))))
	return b.Bytes()
}

// send uploads a picture and returns the answer in a line.
func (u *uploads) send(t *testing.T, path string, body []byte, headers ...string) (apitest.Answer, string) {
	t.Helper()
	a := u.Send(t, http.MethodPost, path, body, append([]string{"Content-Type", "image/png"}, headers...)...)
	line := fmt.Sprint(a.Status)
	for _, e := range a.Errors {
		line += fmt.Sprint(" ", e.Extensions["code"], " ", e.Extensions["field"], " ", e.Extensions["reason"])
	}
	return a, line
}

func TestWhoUploads(t *testing.T) {
	u := servePhotos(t, func(c *httpapi.Config) { c.Origins = []string{"https://shop.example"} })
	u.As(apitest.Shop).Want(t, `mutation{recordOrder(input:{orderId:"17",placedAt:"2026-01-01T10:00:00Z",lines:[{productId:"42",quantity:1}]}){order{orderId}}}`, `{"recordOrder":{"order":{"orderId":"17"}}}`)
	codec := testkit.Value(invitations.New(make([]byte, cursor.MinSecret)))(t)
	invitation := func(order string, expires time.Time) string {
		return testkit.Value(codec.Token(invitations.Invitation{OrderID: order, ProductID: "42", Subject: "guest:" + order, Expires: expires}))(t)
	}
	alice := apitest.Authorization(t, apitest.Alice)
	for _, c := range []struct {
		name, path string
		body       []byte
		headers    []string
		want       string
	}{
		{"a visitor", "/photos", tiny(t), nil, "401 UNAUTHENTICATED <nil> <nil>"},
		{"a user", "/photos", tiny(t), alice, "201"},
		{"a wrong token", "/photos", tiny(t), []string{"Authorization", "Bearer x"}, "401 UNAUTHENTICATED <nil> token"},
		{"a guest", "/photos?invitation=" + invitation("17", time.Now().Add(time.Hour)), tiny(t), nil, "201"},
		{"a late guest", "/photos?invitation=" + invitation("17", time.Now().Add(-time.Hour)), tiny(t), nil, "400 BAD_USER_INPUT invitation EXPIRED"},
		{"a guest of no order", "/photos?invitation=" + invitation("18", time.Now().Add(time.Hour)), tiny(t), nil, "404 NOT_FOUND <nil> <nil>"},
		{"a damaged invitation", "/photos?invitation=x", tiny(t), alice, "400 BAD_USER_INPUT invitation NOT_AN_INVITATION"},
		{"an SVG", "/photos", []byte("<svg/>"), alice, "400 BAD_USER_INPUT photo WRONG_TYPE"},
		{"12 MB", "/photos", make([]byte, 12<<20), alice, "413 BAD_USER_INPUT <nil> body"},
		{"10 MB and a byte", "/photos", make([]byte, pictures.MaxBytes+1), alice, "400 BAD_USER_INPUT photo OUT_OF_RANGE"},
		{"a page of the shop", "/photos", tiny(t), append([]string{"Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site"}, alice...), "201"},
		{"a page of another site", "/photos", tiny(t), append([]string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, alice...), "403 BAD_USER_INPUT <nil> csrf"},
	} {
		a, line := u.send(t, c.path, c.body, c.headers...)
		testkit.Equal(t, line, c.want, "%s", c.name)
		testkit.Equal(t, a.Header.Get("Cache-Control"), "no-store", "%s: caching", c.name)
	}
	testkit.Equal(t, strings.Join(u.by, " "), "alice guest:17 alice", "who uploaded")
	testkit.Equal(t, u.files(t), 3, "photos")
	testkit.Check(t, !strings.Contains(u.Log.String(), "invitation="), "the log has an invitation")
	preflight := u.Send(t, http.MethodOptions, "/photos", nil, "Origin", "https://shop.example",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
	testkit.Equal(t, preflight.Header.Get("Access-Control-Allow-Origin"), "https://shop.example", "preflight")
	for path, want := range map[string]int{"/photos": 405, "/photos/" + photo.NewID() + "/160": 404, "/photos/x": 404} {
		testkit.Equal(t, u.Send(t, http.MethodGet, path, nil).Status, want, "GET %s", path)
	}
}

// What fails in the service is logged, and not explained.
func TestUploadFails(t *testing.T) {
	u := servePhotos(t)
	u.fail = errors.New("the secret cause")
	a, line := u.send(t, "/photos", tiny(t), apitest.Authorization(t, apitest.Alice)...)
	testkit.Equal(t, line, "500 INTERNAL <nil> <nil>", "internal")
	testkit.Check(t, !strings.Contains(a.Errors[0].Message, "secret") && strings.Contains(u.Log.String(), "the secret cause"), "%v", a.Errors)
	u.fail = nil
	testkit.Must(t, os.Remove(u.folder))
	testkit.Must(t, os.WriteFile(u.folder, nil, 0o600))
	a, line = u.send(t, "/photos", tiny(t), apitest.Authorization(t, apitest.Alice)...)
	testkit.Equal(t, line, "503 UNAVAILABLE <nil> <nil>", "no bucket")
	testkit.Check(t, a.Header.Get("Retry-After") != "" && !strings.Contains(a.Errors[0].Message, u.folder), "%v", a.Errors)
}

// One client's uploads at once are within its budget, and others' are not refused for them.
func TestHundredUploadsAtOnce(t *testing.T) {
	u := servePhotos(t, func(c *httpapi.Config) {
		c.Limits.UploadBudget, c.Limits.Local = admission.NewBudget(30, nil), true
	})
	body, answers := tiny(t), [600]atomic.Int32{}
	alice, bob := apitest.Authorization(t, apitest.Alice), apitest.Authorization(t, apitest.Bob)
	testkit.AtOnce(100, func(int) {
		a, line := u.send(t, "/photos", body, alice...)
		answers[a.Status].Add(1)
		testkit.Check(t, line == "201" || line == "429 RATE_LIMITED <nil> uploads" && a.Header.Get("Retry-After") != "", "%s %v", line, a.Header)
	})
	taken := answers[201].Load()
	testkit.Check(t, taken > 0 && taken <= 31, "%d of 100 were taken", taken) // a unit may return meanwhile
	testkit.Equal(t, u.files(t), int(taken), "photos")
	_, line := u.send(t, "/photos", body, bob...)
	testkit.Equal(t, line, "201", "another client")
}

// A client that stops in the middle leaves nothing behind, and one that is slow has its share of
// memory only.
func TestUploadsThatStop(t *testing.T) {
	pool := admission.NewPool(1<<20, 1<<19, 1, time.Millisecond)
	u := servePhotos(t, func(c *httpapi.Config) {
		c.Limits.Uploads, c.Limits.CostBudget, c.Limits.Local = pool, admission.NewBudget(1e6, nil), true
	})
	alice, bob := apitest.Authorization(t, apitest.Alice), apitest.Authorization(t, apitest.Bob)
	c := testkit.Value(net.Dial("tcp", u.Listener.Addr().String()))(t)
	begun := fmt.Sprintf("POST /photos HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: %d\r\nAuthorization: %s\r\n\r\n", 1<<20, alice[1])
	testkit.Value(c.Write(append([]byte(begun), tiny(t)[:40]...)))(t)
	await(t, func() bool { return pool.Used().Taken == 1<<19 })
	_, line := u.send(t, "/photos", tiny(t), alice...)
	testkit.Equal(t, line, "429 RATE_LIMITED <nil> uploads", "the same client meanwhile")
	_, line = u.send(t, "/photos", tiny(t), bob...)
	testkit.Equal(t, line, "201", "another client meanwhile")
	testkit.Must(t, c.Close())
	await(t, func() bool { return pool.Used().Taken == 0 })
	_, line = u.send(t, "/photos", tiny(t), alice...)
	testkit.Equal(t, line, "201", "the same client afterwards")
	testkit.Equal(t, u.files(t), 2, "photos")
	testkit.Equal(t, len(u.by), 2, "records")
}

// await waits until something holds that another goroutine does.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); {
		testkit.Need(t, time.Now().Before(end), "it does not hold within 10 s")
		time.Sleep(time.Millisecond)
	}
}

// deadlines is an answer of a connection with deadlines.
type deadlines struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error  { d.read = t; return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.write = t; return nil }

// An upload has more time than the server gives to small bodies.
func TestTimeOfUploads(t *testing.T) {
	u := servePhotos(t)
	r := httptest.NewRequest(http.MethodPost, "/photos", bytes.NewReader(tiny(t)))
	r.Header.Set("Content-Type", "image/png")
	r.Header.Set("Authorization", apitest.Authorization(t, apitest.Alice)[1])
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	u.Config.Handler.ServeHTTP(w, r)
	testkit.Equal(t, w.Code, http.StatusCreated, "status")
	testkit.Check(t, time.Until(w.read) > time.Minute && time.Until(w.write) > time.Minute, "deadlines %s and %s", w.read, w.write)
}
