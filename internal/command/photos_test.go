package command

import (
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/server/admission"
	"product-comments/internal/testing/testkit"
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
