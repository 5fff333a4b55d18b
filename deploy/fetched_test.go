package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// fetches are commands that fetch what no hash in the repository guards, unlike npm ci and go.
var fetches = regexp.MustCompile(`\b(npm (pack|install|i|exec|x)\b|npx|wget|curl -|curl http|pip3? install|go (run|install) \S+@)`)

// What scripts fetch has a hash in the repository: they fetch with npm ci and go alone, images are
// made of nothing that a tag may change, and go.mod names the toolchain.
func TestWhatIsFetchedHasAHash(t *testing.T) {
	scripts := []string{"../Makefile"}
	for _, pattern := range []string{"../.ci/*", "../web/*.sh", "*.sh"} {
		found, err := filepath.Glob(pattern)
		testkit.Must(t, err)
		scripts = append(scripts, found...)
	}
	testkit.Check(t, len(scripts) >= 8, "there are %q", scripts)
	for _, name := range scripts {
		for line := range strings.Lines(string(testkit.Value(os.ReadFile(name))(t))) {
			line = strings.TrimSpace(line)
			said := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "echo ")
			testkit.Check(t, said || !fetches.MatchString(line), "%s: nothing guards what this fetches: %s", name, line)
		}
	}
	for _, name := range []string{"web", "examples/relay", "examples/apollo"} {
		var lock struct {
			Packages map[string]struct{ Integrity string }
		}
		testkit.Must(t, json.Unmarshal(testkit.Value(os.ReadFile("../"+name+"/package-lock.json"))(t), &lock))
		for of, p := range lock.Packages {
			testkit.Check(t, of == "" || strings.HasPrefix(p.Integrity, "sha512-"), "%s/package-lock.json has no hash of %s", name, of)
		}
	}
	module := testkit.Value(os.ReadFile("../go.mod"))(t)
	testkit.Check(t, regexp.MustCompile(`(?m)^toolchain go1\.\d+\.\d+$`).Match(module), "go.mod names no toolchain")
	image := string(testkit.Value(os.ReadFile("Containerfile"))(t))
	from := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(image, -1)
	testkit.Check(t, len(from) > 0, "Containerfile builds nothing")
	for _, f := range from {
		fixed := f[1] == "scratch" || regexp.MustCompile(`@sha256:[0-9a-f]{64}$`).MatchString(f[1])
		testkit.Check(t, fixed, "Containerfile: %s has no digest", f[1])
	}
}

// The checksums of a release are signed by the command in SIGN. A signer that fails, or writes
// nothing, ends the release.
func TestChecksumsAreSigned(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		testkit.Cannot(t, "ssh-keygen is needed: on Debian, apt-get install openssh-client")
	}
	dir, release := t.TempDir(), t.TempDir()
	key := filepath.Join(dir, "key")
	command(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key))
	public := testkit.Value(os.ReadFile(key + ".pub"))(t)
	signers := filepath.Join(dir, "signers")
	testkit.Must(t, os.WriteFile(signers, append([]byte("shop "), public...), 0o600))
	binary := filepath.Join(release, "product-comments")
	testkit.Must(t, os.WriteFile(binary, []byte("a binary"), 0o600))
	sums := func(sign string) (string, error) {
		c := exec.Command("sh", "../.ci/sums", release)
		c.Env = append(os.Environ(), "SIGN="+sign)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	verified := func() error {
		c := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "shop", "-n", "file", "-s", filepath.Join(release, "SHA256SUMS.sig"))
		c.Stdin = testkit.Value(os.Open(filepath.Join(release, "SHA256SUMS")))(t)
		return c.Run()
	}
	check := func() error {
		c := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
		c.Dir = release
		return c.Run()
	}
	for range 2 { // again leaves no old signature
		out, err := sums("ssh-keygen -q -Y sign -n file -f " + key)
		testkit.Need(t, err == nil, "%v: %s", err, out)
		testkit.Must(t, verified())
		testkit.Must(t, check())
	}
	testkit.Must(t, os.WriteFile(binary, []byte("another binary"), 0o600))
	testkit.Check(t, check() != nil, "the sums fit another binary")
	for sign, says := range map[string]string{"true": "wrote no SHA256SUMS.*", "false": ""} {
		out, err := sums(sign)
		testkit.Check(t, err != nil && strings.Contains(out, says), "signed by %q: %v: %s", sign, err, out)
	}
	out, err := sums("")
	testkit.Need(t, err == nil, "%v: %s", err, out)
	testkit.Must(t, check())
	files := testkit.Value(filepath.Glob(filepath.Join(release, "*")))(t)
	testkit.Equal(t, len(files), 2, "files without SIGN, an old signature among them:")
}
