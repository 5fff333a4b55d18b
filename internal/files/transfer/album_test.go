package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"product-comments/internal/files/photos"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

func jpegOf(t *testing.T, width, height int) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	m.SetGray(1, 1, color.Gray{Y: 200})
	var b bytes.Buffer
	testkit.Must(t, jpeg.Encode(&b, m, nil))
	return b.String()
}

// albumOn returns an album in a bucket of S3.
func albumOn(t *testing.T, st *store.Store) *Album {
	t.Helper()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_MAX_ATTEMPTS": "1"} {
		t.Setenv(name, value)
	}
	backend := s3mem.New()
	testkit.Must(t, backend.CreateBucket("photos"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	bucket := testkit.Value(photos.Open(t.Context(), "s3://photos?region=eu-central-1&use_path_style=true&endpoint="+server.URL))(t)
	t.Cleanup(func() { testkit.Must(t, bucket.Close()) })
	return &Album{Store: st, Bucket: bucket, Reader: photos.NewReader(photos.DefaultMemory)}
}

func photoLine(id, pictures string) string {
	return fmt.Sprintf(`{"productId":"42","commentId":"%s","rating":5,"language":"en","createdAt":"2026-06-30T12:00:00Z","photos":[%s]}`+"\n", id, pictures)
}

// descriptions returns those of a comment's photos, after it has seen that the bucket has them.
func descriptions(t *testing.T, a *Album, st *store.Store, id string) string {
	t.Helper()
	c := testkit.Value(st.Get(t.Context(), id))(t)
	var all []string
	for _, p := range c.Photos {
		missing := testkit.Value(a.Bucket.Lacks(t.Context(), p.ID, p.Width))(t)
		testkit.Check(t, len(missing) == 0, "photo %s of %s lacks %v", p.ID, id, missing)
		all = append(all, fmt.Sprintf("%s %d×%d", p.Description, p.Width, p.Height))
	}
	return strings.Join(all, ", ")
}

func TestPicturesOfFiles(t *testing.T) {
	st := newStore(t)
	o := place(t)
	o.Album = albumOn(t, st)
	outside := filepath.Join(t.TempDir(), "secret.jpg")
	write(t, outside, jpegOf(t, 9, 9))
	testkit.Must(t, os.MkdirAll("in/sub", 0o700))
	testkit.Must(t, os.Symlink(outside, "in/link.jpg"))
	write(t, "in/sub/a.jpg", jpegOf(t, 200, 100))
	write(t, "in/b.jpg", jpegOf(t, 30, 40))
	write(t, "in/no.jpg", "<svg/>")
	write(t, "above.jpg", jpegOf(t, 9, 9))
	six := ""
	for n := range 7 {
		name := fmt.Sprintf("%d.jpg", n)
		write(t, "in/"+name, jpegOf(t, 10+n, 10))
		six += fmt.Sprintf(`,{"file":"%s","description":"%d"}`, name, n)
	}
	write(t, "in/file", photoLine("a", `{"file":"sub/a.jpg","description":"A"},{"file":"b.jpg","description":"B"},{"file":"b.jpg"}`)+
		photoLine("b", `{"file":"../above.jpg"},{"file":"b.jpg","description":"B"},{"file":"`+outside+`"},{"file":"link.jpg"},{"file":"no.jpg"},{"file":"none.jpg"},{"file":"sub"}`)+
		photoLine("c", six[1:])+photoLine("d", `{"url":"https://a.example/1.jpg"}`))
	sum, err := Import(t.Context(), st, []string{"in/file"}, o)
	want := Counts{Lines: 4, Written: 4, Pictures: 9, PicturesRefused: 7, PicturesLeftOut: 1}
	testkit.Need(t, err == nil && sum.Counts == want, "%+v, %v", sum.Counts, err)
	testkit.Equal(t, descriptions(t, o.Album, st, "a"), "A 200×100, B 30×40", "a")
	testkit.Equal(t, descriptions(t, o.Album, st, "b"), "B 30×40", "b")
	testkit.Equal(t, descriptions(t, o.Album, st, "c"), "0 10×10, 1 11×10, 2 12×10, 3 13×10, 4 14×10, 5 15×10", "c")
	rejects := read(t, "file.rejects.ndjson")
	for _, says := range []string{`"line":2,"field":"photos: ../above.jpg","reason":"\"../above.jpg\" is not within the folder`, "secret.jpg\\\" is not within the folder",
		`"field":"photos: link.jpg","reason":"the file \"link.jpg\" cannot be read`, `"field":"photos: no.jpg"`, `there is no file \"none.jpg\"`, `\"sub\" is no regular file`, `"line":3,"field":"photos: 6.jpg","reason":"the comment has 6 photos before it`} {
		testkit.Check(t, strings.Contains(rejects, says), "no %s in\n%s", says, rejects)
	}
	// The same again copies nothing: the comments have their photos.
	sum, err = Import(t.Context(), st, []string{"in/file"}, o)
	testkit.Check(t, err == nil && sum.Unchanged == 4 && sum.Pictures == 0 && sum.PicturesRefused == 7, "%+v, %v", sum.Counts, err)
	// Without the bucket they stay as they are.
	without := o
	without.Album = nil
	sum, err = Import(t.Context(), st, []string{"in/file"}, without)
	testkit.Check(t, err == nil && sum.Unchanged == 4 && sum.PicturesLeftOut == 18, "%+v, %v", sum.Counts, err)

	// What is exported with its photos is imported into another table.
	var out bytes.Buffer
	testkit.Must(t, os.Mkdir("out", 0o700))
	folder := testkit.Value(NewPhotoFolder(o.Album.Bucket, "out/pictures"))(t)
	n, err := Export(t.Context(), st, []string{"42"}, folder, &out)
	testkit.Need(t, err == nil && n == 4 && folder.Missing == 0, "%d, %v", n, err)
	write(t, "out/file", out.String())
	entries := testkit.Value(os.ReadDir("out/pictures"))(t)
	testkit.Equal(t, len(entries), 9, "files of photos")
	// A second export writes none of them again, and names no photo that is lost.
	c := testkit.Value(st.Get(t.Context(), "a"))(t)
	testkit.Must(t, os.Remove("out/pictures/"+c.Photos[0].ID+".jpg"))
	testkit.Must(t, o.Album.Bucket.Delete(t.Context(), c.Photos[0].ID))
	testkit.Must(t, o.Album.Bucket.Delete(t.Context(), c.Photos[1].ID))
	var again bytes.Buffer
	_, err = Export(t.Context(), st, []string{"42"}, folder, &again)
	testkit.Check(t, err == nil && folder.Missing == 1 && strings.Count(again.String(), `"file":"pictures/`) == 8, "%d, %v: %s", folder.Missing, err, again.String())
	write(t, "out/pictures/"+c.Photos[0].ID+".jpg", jpegOf(t, 200, 100))
	to := newStore(t)
	o.Album.Store, o.DataDir = to, ""
	sum, err = Import(t.Context(), to, []string{"out/file"}, o)
	testkit.Need(t, err == nil && sum.Written == 4 && sum.Pictures == 9, "%+v, %v", sum.Counts, err)
	testkit.Equal(t, descriptions(t, o.Album, to, "a"), "A 200×100, B 30×40", "a elsewhere")
}

// Pictures are downloaded four at once, and one that is refused is left out of its comment.
func TestPicturesOfAddresses(t *testing.T) {
	st := newStore(t)
	o := place(t)
	o.Album = albumOn(t, st)
	picture := []byte(jpegOf(t, 20, 10))
	var fetched, now, most atomic.Int64
	full := make(chan struct{})
	o.Album.Fetch = func(ctx context.Context, url string) ([]byte, error) {
		fetched.Add(1)
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		if now.Load() == atOnce {
			for range 1000 { // one too many would begin now
				runtime.Gosched()
			}
			select {
			case <-full:
			default:
				close(full)
			}
		}
		<-full
		switch {
		case strings.HasSuffix(url, "/gone"):
			return nil, errors.New("it answered 404")
		case strings.HasSuffix(url, "/text"):
			return []byte("<html>"), nil
		}
		return picture, nil
	}
	file := ""
	for n := range 8 {
		file += photoLine(fmt.Sprint("c", n), fmt.Sprintf(`{"url":"https://a.example/%d","description":"%[1]d"},{"url":"https://a.example/%[1]d/gone"}`, n))
	}
	write(t, "file", file+photoLine("text", `{"url":"https://a.example/text"}`))
	sum, err := Import(t.Context(), st, []string{"file"}, o)
	testkit.Need(t, err == nil && sum.Written == 9 && sum.Pictures == 8 && sum.PicturesRefused == 9 && sum.Refused == 0, "%+v, %v", sum.Counts, err)
	testkit.Equal(t, most.Load(), int64(atOnce), "at once")
	testkit.Equal(t, descriptions(t, o.Album, st, "c3"), "3 20×10", "c3")
	rejects := read(t, "file.rejects.ndjson")
	testkit.Check(t, strings.Contains(rejects, `"line":4,"field":"photos: https://a.example/3/gone","reason":"it answered 404"`) && strings.Count(rejects, "\n") == 9, "%s", rejects)
	fetched.Store(0)
	sum, err = Import(t.Context(), st, []string{"file"}, o)
	testkit.Check(t, err == nil && fetched.Load() == 9 && sum.Unchanged == 9 && sum.Pictures == 0, "%d fetched again, %+v, %v", fetched.Load(), sum.Counts, err)
}
