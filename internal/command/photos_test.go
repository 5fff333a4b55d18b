package command

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pictures "product-comments/internal/files/photos"
	"product-comments/internal/server/admission"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key/photo"
)

func TestWherePhotosAre(t *testing.T) {
	here, aws := storeFlags{Engine: engineEmbedded, DataDir: "data"}, storeFlags{Engine: engineDynamoDB, DataDir: "data"}
	for _, c := range []struct {
		flags     photoFlags
		of        storeFlags
		want, err string
	}{
		{photoFlags{}, here, filepath.Join("data", "photos"), ""},
		{photoFlags{}, aws, "", ""},
		{photoFlags{Photos: "off"}, here, "", ""},
		{photoFlags{Photos: "/srv/photos"}, aws, "/srv/photos", ""},
		{photoFlags{Photos: "s3://shop?region=eu-central-1", PhotosURL: "https://cdn.example/p"}, aws, "s3://shop?region=eu-central-1", ""},
		{photoFlags{Photos: "gs://shop"}, here, "", "--photos is \"gs://shop\": give a folder, s3://"},
		{photoFlags{Photos: "off", PhotosURL: "https://cdn.example"}, here, "", "--photos-url has no effect"},
		{photoFlags{PhotosURL: "cdn.example"}, here, "", "--photos-url is \"cdn.example\": give"},
	} {
		where, err := c.flags.where(&c.of)
		testkit.Equal(t, where, c.want, "%+v", c.flags)
		testkit.Check(t, (err == nil) == (c.err == "") && (err == nil || strings.HasPrefix(err.Error(), c.err)), "%+v: %v", c.flags, err)
	}
	of := storeFlags{Engine: engineEmbedded, DataDir: t.TempDir()}
	o := testkit.Value((&photoFlags{}).options(t.Context(), &of, "", [][]byte{make([]byte, 32)}, admission.Memory{Total: 1 << 30}))(t)
	testkit.Must(t, o.Bucket.Close())
	o, err := (&photoFlags{Photos: "off"}).options(t.Context(), &of, "", nil, admission.Memory{})
	testkit.Check(t, o == nil && err == nil, "off: %v", err)
}

func TestPhotosVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	of := storeFlags{Engine: engineEmbedded, DataDir: dir, Table: "comments", StoreTimeout: 5 * time.Second}
	bucket := testkit.Value(pictures.Open(t.Context(), filepath.Join(dir, "photos")))(t)
	picture := func() pictures.Picture {
		return pictures.Picture{Photo: pictures.Photo{ID: photo.NewID(), Width: 100, Height: 80}, Renditions: []pictures.Rendition{{Width: 160, JPEG: []byte("x")}}}
	}
	taken, orphan := picture(), picture()
	testkit.Must(t, of.withStore(t.Context(), func(opened *openStore) error {
		testkit.Must(t, opened.UploadedPhoto(t.Context(), taken.Photo, "ann"))
		_, err := opened.Create(t.Context(), store.NewComment{ProductID: "p", Rating: 5, Language: "en", Owner: "ann", By: "ann", Photos: []store.Photo{{ID: taken.ID}}})
		return err
	}))
	verify := func(status int, says string, more ...string) {
		t.Helper()
		wantRun(t, dir, "", status, says, append([]string{"photos", "verify", "--data-dir=" + dir}, more...)...)
	}
	verify(exitFound, "photo "+taken.ID+" lacks the objects of the widths [160]\n1 comment with photos, of which 1 lack")
	testkit.Must(t, bucket.Put(t.Context(), taken))
	testkit.Must(t, bucket.Put(t.Context(), orphan))
	old := time.Now().Add(-25 * time.Hour)
	for _, id := range []string{taken.ID, orphan.ID} {
		testkit.Must(t, os.Chtimes(filepath.Join(dir, "photos", id, "160"), old, old))
	}
	verify(exitFound, "photo "+orphan.ID+" is of no comment and no upload\n")
	verify(0, "photo "+orphan.ID+" is of no comment and no upload: deleted\n", "--delete")
	verify(0, "0 lack objects; 1 photo in the bucket, of which 0 are of no comment and no upload, 0 deleted")
	verify(exitFailed, "nothing to verify without --photos", "--photos=off")
	testkit.Must(t, bucket.Close())
}

// What a command exports with its photos another one imports.
func TestPhotosAreExportedAndImported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var picture bytes.Buffer
	testkit.Must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 300, 200))))
	write(t, dir, "a.png", picture.String())
	write(t, dir, "in.ndjson", `{"productId":"42","commentId":"c","rating":5,"language":"en","createdAt":"2026-06-30T12:00:00Z",`+
		`"photos":[{"file":"a.png","description":"A"},{"file":"none.png"},{"url":"https://127.0.0.1:9/a.jpg"}]}`+"\n")
	wantRun(t, dir, "", exitFound, "in.ndjson: 1 picture left out: --photos says", "import", "in.ndjson", "--data-dir=one")
	wantRun(t, dir, "", exitFound, "1 of them unchanged), 0 refused; 0 pictures copied, 2 refused", "import", "in.ndjson", "--data-dir=one", "--fetch-photos")
	rejects := read(t, dir, "in.ndjson.rejects.ndjson")
	testkit.Check(t, strings.Contains(rejects, "its address 127.0.0.1 is not on the public Internet") && strings.Contains(rejects, `there is no file \"none.png\"`), "%s", rejects)
	lines := wantRun(t, dir, "", 0, "", "export", "--product=42", "--data-dir=one", "--photos=pictures")
	testkit.Check(t, strings.Contains(lines, `"file":"pictures/`), "%s", lines)
	write(t, dir, "out.ndjson", lines)
	wantRun(t, dir, "", 0, "1 written, 0 replaced (0 of them unchanged), 0 refused; 1 picture copied, 0 refused", "import", "out.ndjson", "--data-dir=two")
	wantRun(t, dir, "", 0, "1 comment with photos, of which 0 lack objects; 1 photo in the bucket", "photos", "verify", "--data-dir=two")
	wantRun(t, dir, "", exitFailed, "--fetch-photos needs --photos", "import", "out.ndjson", "--data-dir=two", "--photos=off", "--fetch-photos")
	wantRun(t, dir, "", exitFailed, "--photos needs --photos-from", "export", "--product=42", "--data-dir=two", "--photos=pictures", "--photos-from=off")
}
