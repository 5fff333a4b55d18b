package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/testing/testkit"
)

// released returns the folder that `make release` built, which then runs this test.
func released(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RELEASED")
	if dir == "" {
		t.Skip("make release runs this: its tools take minutes to build")
	}
	return dir
}

// Everything of a release has the checksum that it says. The archive and both packages are unpacked
// or installed below a folder, and their program serves; removed packages leave their settings alone.
func TestRelease(t *testing.T) {
	dir := released(t)
	sums := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	sums.Dir = dir
	command(t, sums)
	file := func(pattern string) string {
		found := testkit.Value(filepath.Glob(filepath.Join(dir, pattern)))(t)
		testkit.Need(t, len(found) == 1, "%s: %q", pattern, found)
		return found[0]
	}
	for _, system := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip", "linux_arm64.deb", "linux_arm64.rpm"} {
		file("*_" + system)
	}
	var bill struct{ Components []struct{ PURL string } }
	testkit.Must(t, json.Unmarshal(testkit.Value(os.ReadFile(file("*.cdx.json")))(t), &bill))
	testkit.Check(t, len(bill.Components) > 100, "the bill has %d components", len(bill.Components))

	root := t.TempDir()
	command(t, exec.Command("tar", "-xzf", file("*_linux_amd64.tar.gz"), "-C", root))
	for _, name := range strings.Fields("LICENSE README.md CHANGELOG.md playground-licences.txt manual/product-comments.1 manual/product-comments.bash manual/product-comments.zsh manual/product-comments.fish") {
		testkit.Must(t, testkit.Err(os.Stat(filepath.Join(root, name))))
	}
	serves(t, filepath.Join(root, "product-comments"))

	for _, p := range []struct{ tool, file, prepare, install, remove string }{
		{"dpkg", "*_linux_amd64.deb", "mkdir -p var/lib/dpkg/updates var/lib/dpkg/info && touch var/lib/dpkg/status",
			"dpkg --instdir=. --admindir=var/lib/dpkg --log=/dev/null --force-script-chrootless --force-depends -i",
			"dpkg --instdir=. --admindir=var/lib/dpkg --log=/dev/null --force-script-chrootless -r product-comments"},
		{"rpm", "*_linux_amd64.rpm", "true", "rpm --root $PWD --nodeps --noscripts -i", "rpm --root $PWD --noscripts -e product-comments"},
	} {
		if _, err := exec.LookPath(p.tool); err != nil || os.Getuid() != 0 {
			t.Logf("%s is not here, or this is not root: its package was not installed", p.tool)
			continue
		}
		root := t.TempDir()
		sh := func(line string, more ...string) {
			c := exec.Command("sh", append([]string{"-ec", line + ` "$@"`, "sh"}, more...)...)
			c.Dir = root
			command(t, c)
		}
		sh(p.prepare)
		sh(p.install, file(p.file))
		program, settings := filepath.Join(root, "usr/bin/product-comments"), filepath.Join(root, "etc/product-comments/environment")
		unit := testkit.Value(os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/product-comments.service")))(t)
		testkit.Check(t, strings.Contains(string(unit), "\nExecStart=/usr/bin/product-comments serve\n"), "the unit starts another program:\n%s", unit)
		serves(t, program)
		testkit.Must(t, os.WriteFile(settings, []byte("ENGINE=dynamodb\n"), 0o600))
		sh(p.install+map[string]string{"dpkg": "", "rpm": " --replacepkgs"}[p.tool], file(p.file))
		testkit.Equal(t, string(testkit.Value(os.ReadFile(settings))(t)), "ENGINE=dynamodb\n", "settings after installing again:")
		sh(p.remove)
		testkit.Check(t, testkit.Err(os.Stat(program)) != nil, "the removed package leaves its program")
	}
}

// serves starts a program as the unit does, and ends it.
func serves(t *testing.T, program string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, "serve", "--addr=127.0.0.1:0", "--admin-addr=")
	c.Env = append(os.Environ(), "DATA_DIR="+t.TempDir())
	server := testkit.Value(testkit.Serve(c))(t)
	testkit.Must(t, c.Process.Signal(syscall.SIGTERM))
	<-server.End
	testkit.Check(t, c.ProcessState.Success(), "%s ended with %v:\n%s", program, c.ProcessState, server.Log)
}
