package secrets

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestParse(t *testing.T) {
	raw := bytes.Repeat([]byte{0xfb, 0xff}, 16)
	std, url := base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)
	got, err := Parse("test key", " "+std+",\n"+url+"\n")
	if err != nil || len(got) != 2 || !bytes.Equal(got[0], raw) || !bytes.Equal(got[1], raw) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", " , ", "c2hvcnQ=", "not base64 at all!"} {
		if _, err := Parse("test key", bad); err == nil || (len(bad) > 3 && strings.Contains(err.Error(), bad)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLoadOrCreateAgreesAmongProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "cursor.key")
	got := make([][][]byte, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = LoadOrCreate("test key", path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, g := range got {
		if len(g) != 1 || !bytes.Equal(g[0], got[0][0]) {
			t.Fatalf("different keys: %d", len(g))
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestFindPrefersTheEnvironment(t *testing.T) {
	one, two := bytes.Repeat([]byte{1}, MinSize), bytes.Repeat([]byte{2}, MinSize)
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(one)), 0o600); err != nil {
		t.Fatal(err)
	}
	find := func() []byte {
		found, err := Find("test key", "TEST_KEY", path)
		if err != nil {
			t.Fatal(err)
		}
		return found[0]
	}
	if got := find(); !bytes.Equal(got, one) {
		t.Errorf("the file's is %x", got)
	}
	t.Setenv("TEST_KEY", base64.StdEncoding.EncodeToString(two))
	if got := find(); !bytes.Equal(got, two) {
		t.Errorf("the environment's is %x", got)
	}
	t.Setenv("TEST_KEY", "hush")
	if _, err := Find("test key", "TEST_KEY", path); err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "TEST_KEY") {
		t.Errorf("a bad one: %v", err)
	}
}
