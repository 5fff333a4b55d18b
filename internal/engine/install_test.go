package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// What make runs installs the engine of a system that npm has one for, where Find
// looks for it, and leaves a system alone that npm has none for.
func TestEngineOfAnotherSystemIsInstalled(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		testkit.Cannot(t, "npm is needed: %v", err)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	files := tar.NewWriter(zip)
	for name, content := range map[string]string{"package/package.json": `{"name":"@dynoxide/linux-arm64","version":"1.2.1"}`, "package/dynoxide": "the engine"} {
		testkit.Must(t, files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}))
		testkit.Value(files.Write([]byte(content)))(t)
	}
	testkit.Must(t, files.Close())
	testkit.Must(t, zip.Close())
	sum := sha512.Sum512(packed.Bytes())
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".tgz"):
			_, _ = w.Write(packed.Bytes())
		case strings.Contains(strings.ToLower(r.URL.EscapedPath()), "linux-arm64"):
			fmt.Fprintf(w, `{"name":"@dynoxide/linux-arm64","dist-tags":{"latest":"1.2.1"},"versions":{"1.2.1":{"name":"@dynoxide/linux-arm64","version":"1.2.1",
				"dist":{"tarball":"http://%s/engine.tgz","integrity":"sha512-%s"}}}}`, r.Host, base64.StdEncoding.EncodeToString(sum[:]))
		default:
			http.NotFound(w, r)
		}
	}))
	defer registry.Close()
	web := t.TempDir()
	for _, name := range []string{"engine.sh", "package.json"} {
		content := testkit.Value(os.ReadFile(filepath.Join("../../web", name)))(t)
		testkit.Must(t, os.WriteFile(filepath.Join(web, name), content, 0o600))
	}
	for name, installed := range map[string]bool{"linux-arm64": true, "plan9-x64": false} {
		c := exec.CommandContext(t.Context(), "sh", filepath.Join(web, "engine.sh"), name)
		c.Env = append(os.Environ(), "npm_config_registry="+registry.URL, "npm_config_cache="+filepath.Join(web, "cache"), "npm_config_fetch_retries=0")
		out, err := c.CombinedOutput()
		testkit.Check(t, err == nil && installed != strings.Contains(string(out), "no embedded engine for "+name), "%s: %v %s", name, err, out)
		binary := filepath.Join(web, "node_modules", "@dynoxide", name, "dynoxide")
		info, err := os.Stat(binary)
		testkit.Check(t, installed == (err == nil && info.Mode().Perm()&0o100 != 0), "%s: %v", binary, err)
	}
	for _, c := range [][3]string{{"linux", "amd64", "linux-x64"}, {"darwin", "arm64", "darwin-arm64"}, {"windows", "amd64", "win32-x64"}} {
		testkit.Equal(t, system(c[0], c[1]), c[2], "npm calls it")
	}
}
