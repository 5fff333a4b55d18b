package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/storetest"
)

// archived is an OCI archive: the content of its blobs and files by name.
type archived map[string][]byte

func readTar(t *testing.T, r io.Reader) (files archived, headers map[string]*tar.Header) {
	t.Helper()
	files, headers = archived{}, map[string]*tar.Header{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if err == io.EOF {
			return files, headers
		}
		testkit.Must(t, err)
		name := strings.Trim(strings.TrimPrefix(h.Name, "."), "/")
		headers[name] = h
		files[name] = testkit.Value(io.ReadAll(in))(t)
	}
}

// blob returns what a descriptor means, which must have the digest that it says.
func (a archived) blob(t *testing.T, descriptor any) []byte {
	t.Helper()
	digest, _ := lookup(descriptor, "digest").(string)
	content := a["blobs/sha256/"+strings.TrimPrefix(digest, "sha256:")]
	sum := sha256.Sum256(content)
	testkit.Need(t, "sha256:"+hex.EncodeToString(sum[:]) == digest, "no blob has the digest of %v", descriptor)
	return content
}

func (a archived) json(t *testing.T, content []byte) (out map[string]any) {
	t.Helper()
	err := json.Unmarshal(content, &out)
	testkit.Need(t, err == nil, "%v: %s", err, content)
	return out
}

// The image holds one static binary and certificates, runs it as a user without
// rights, and is the same when it is made again. The binary out of it serves
// with nothing else below its root, which it cannot write to. The fast run makes the
// image of another file.
func TestImage(t *testing.T) {
	if _, err := exec.LookPath("umoci"); err != nil {
		testkit.Cannot(t, "umoci is needed: on Debian, apt-get install umoci ca-certificates")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "product-comments")
	if testkit.All(t) {
		build := exec.Command("go", "build", "-trimpath", "-o", binary, "..")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		command(t, build)
	} else {
		testkit.Must(t, os.WriteFile(binary, []byte("a binary"), 0o755))
	}
	var made [][]byte
	for _, name := range []string{"a.tar", "b.tar"} {
		command(t, exec.Command("sh", "image.sh", binary, runtime.GOARCH, filepath.Join(dir, name)))
		content := testkit.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		made = append(made, content)
	}
	testkit.Check(t, bytes.Equal(made[0], made[1]), "the image is another one when it is made again")

	image, _ := readTar(t, bytes.NewReader(made[0]))
	index := image.json(t, image["index.json"])
	manifest := image.json(t, image.blob(t, index["manifests"].([]any)[0]))
	config := image.json(t, image.blob(t, manifest["config"]))
	settings := config["config"].(map[string]any)
	for what, want := range map[string]any{
		"User": "65532:65532", "Entrypoint": []any{"/product-comments"}, "Cmd": []any{"serve"}, "StopSignal": "SIGTERM",
		"ExposedPorts": map[string]any{"8080/tcp": map[string]any{}},
		"Env":          []any{"ENGINE=dynamodb", "ADDR=0.0.0.0:8080", "LOG_FORMAT=json"},
	} {
		testkit.Check(t, reflect.DeepEqual(settings[what], want), "%s is %v, want %v", what, settings[what], want)
	}
	testkit.Check(t, config["os"] == "linux" && config["architecture"] == runtime.GOARCH, "it is for %v/%v", config["os"], config["architecture"])

	root := filepath.Join(dir, "root")
	found := map[string]int64{} // files and their permissions
	for _, layer := range manifest["layers"].([]any) {
		unzipped := testkit.Value(gzip.NewReader(bytes.NewReader(image.blob(t, layer))))(t)
		files, headers := readTar(t, unzipped)
		for name, h := range headers {
			testkit.Check(t, h.Uid == 0 && h.Gid == 0 && h.Mode&0o7022 == 0, "%s belongs to %d:%d with %o", name, h.Uid, h.Gid, h.Mode)
			if h.Typeflag != tar.TypeReg {
				continue
			}
			found[name] = h.Mode & 0o777
			path := filepath.Join(root, name)
			testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			testkit.Must(t, os.WriteFile(path, files[name], os.FileMode(h.Mode&0o777)))
		}
	}
	want := map[string]int64{"product-comments": 0o755, "etc/ssl/certs/ca-certificates.crt": 0o644}
	testkit.Check(t, maps.Equal(found, want), "it holds %v, want %v", found, want)
	certificates, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	testkit.Check(t, err == nil && bytes.Count(certificates, []byte("BEGIN CERTIFICATE")) >= 50, "it has few certificates: %v", err)
	if testkit.All(t) {
		static(t, filepath.Join(root, "product-comments"))
		serveAlone(t, root)
	}
}

func command(t *testing.T, c *exec.Cmd) {
	t.Helper()
	out, err := c.CombinedOutput()
	testkit.Need(t, err == nil, "%v: %v\n%s", c.Args, err, out)
}

// static fails if the binary needs a loader or libraries.
func static(t *testing.T, path string) {
	t.Helper()
	binary := testkit.Value(elf.Open(path))(t)
	defer binary.Close()
	interpreter := slices.ContainsFunc(binary.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
	libraries, _ := binary.ImportedLibraries()
	testkit.Check(t, !interpreter && len(libraries) == 0, "it is not static: interpreter %v, libraries %v", interpreter, libraries)
}

// serveAlone runs the binary with nothing but the image's files below its root,
// as the image's user, and asks it.
func serveAlone(t *testing.T, root string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Log("only root can change the root: the binary was not run")
		return
	}
	endpoint := storetest.Endpoint(t)
	table := newTable(t, storetest.Remote(t))
	for d := root; d != "/" && d != os.TempDir(); d = filepath.Dir(d) { // the test's folders are root's alone
		testkit.Must(t, os.Chmod(d, 0o755))
	}
	c := exec.CommandContext(t.Context(), "/product-comments", "serve")
	c.Path, c.Dir = "/product-comments", "/"
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	c.Env = []string{
		"ENGINE=dynamodb", "ADDR=127.0.0.1:0", "ADMIN_ADDR=127.0.0.1:0", "TABLE=" + table,
		"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint, "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_REGION=us-east-1",
		"CURSOR_KEYS=" + strings.Repeat("A", 64),
	}
	server := testkit.Value(testkit.Serve(c))(t)
	answer := testkit.Value(http.Post(server.URL+"/graphql", "application/json", strings.NewReader(`{"query":"{product(id:\"1\"){comments{nodes{id}}}}"}`)))(t)
	body := testkit.Value(io.ReadAll(answer.Body))(t)
	answer.Body.Close()
	testkit.Check(t, strings.HasPrefix(string(body), `{"data":{"product":{"comments":{"nodes":[]}}}`), "it answers %d %s", answer.StatusCode, body)
	testkit.Must(t, c.Process.Signal(syscall.SIGTERM))
	<-server.End
	testkit.Check(t, c.ProcessState.Success(), "it ended with %v:\n%s", c.ProcessState, server.Log)
}
