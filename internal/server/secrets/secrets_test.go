package secrets

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

func TestParse(t *testing.T) {
	raw := bytes.Repeat([]byte{0xfb, 0xff}, 16)
	std, url := base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)
	got, err := Parse("test key", " "+std+",\n"+url+"\n")
	testkit.Check(t, err == nil && len(got) == 2 && bytes.Equal(got[0], raw) && bytes.Equal(got[1], raw), "got %v, %v", got, err)
	for _, bad := range []string{"", " , ", "c2hvcnQ=", "not base64 at all!"} {
		_, err := Parse("test key", bad)
		testkit.Check(t, err != nil && (len(bad) <= 3 || !strings.Contains(err.Error(), bad)), "%q: %v", bad, err)
	}
}

func TestLoadOrCreateAgreesAmongProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "cursor.key")
	got := make([][][]byte, 8)

	testkit.AtOnce(len(got), func(i int) {
		var err error
		got[i], err = LoadOrCreate("test key", path)
		testkit.Check(t, err == nil, "%v", err)
	})
	for _, g := range got {
		testkit.Need(t, len(g) == 1 && bytes.Equal(g[0], got[0][0]), "different keys: %d", len(g))
	}
	info, err := os.Stat(path)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o600, "%v, %v", info.Mode(), err)
}

func TestFindPrefersTheEnvironment(t *testing.T) {
	one, two := bytes.Repeat([]byte{1}, MinSize), bytes.Repeat([]byte{2}, MinSize)
	path := filepath.Join(t.TempDir(), "key")
	testkit.Must(t, os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(one)), 0o600))
	find := func() []byte {
		found := testkit.Value(Find("test key", "TEST_KEY", path))(t)
		return found[0]
	}
	got := find()
	testkit.Check(t, bytes.Equal(got, one), "the file's is %x", got)
	t.Setenv("TEST_KEY", base64.StdEncoding.EncodeToString(two))
	got = find()
	testkit.Check(t, bytes.Equal(got, two), "the environment's is %x", got)
	t.Setenv("TEST_KEY", "hush")
	_, err := Find("test key", "TEST_KEY", path)
	testkit.Check(t, err != nil && !strings.Contains(err.Error(), "hush") && strings.Contains(err.Error(), "TEST_KEY"), "a bad one: %v", err)
}
