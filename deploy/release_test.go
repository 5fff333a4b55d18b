//go:build release

// `make release` runs these tests of what it has built: its tools take minutes to compile.

package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"

	"product-comments/internal/testing/testkit"
)

// Everything of a release has the checksum that it says. The archive and both packages are unpacked
// or installed below a folder, and their program serves; removed packages leave their settings alone.
func TestRelease(t *testing.T) {
	dir := testkit.Value(filepath.Abs("../dist/release"))(t)
	sums := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	sums.Dir = dir
	command(t, sums)
	listed := testkit.Value(os.ReadFile(filepath.Join(dir, "SHA256SUMS")))(t)
	testkit.Check(t, !strings.Contains(string(listed), ".sig"), "SHA256SUMS changed after it was signed:\n%s", listed)
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

// The chart is what helm lints, and what it renders runs without rights, is probed, and names a
// secret without holding one.
func TestChart(t *testing.T) {
	helm := func(arguments ...string) ([]byte, error) {
		c := exec.Command("go", append(strings.Fields("tool -modfile=tools/release/go.mod helm"), arguments...)...)
		c.Dir = ".."
		return c.CombinedOutput()
	}
	const all = "serviceMonitor.enabled=true,ingress.enabled=true,ingress.tlsSecret=shop"
	for _, set := range []string{"serve.autoscaling.enabled=false", all} {
		out, err := helm("lint", "--strict", "deploy/helm", "--set", set)
		testkit.Need(t, err == nil, "%v: %s", err, out)
	}
	out, err := helm("template", "shop", "deploy/helm", "--kube-version", "1.31", "--set", "secret=")
	testkit.Check(t, err != nil && bytes.Contains(out, []byte("name a Secret with CURSOR_KEYS")), "without a secret: %v: %s", err, out)
	out, err = helm("template", "shop", "deploy/helm", "--kube-version", "1.31", "--set", all)
	testkit.Need(t, err == nil, "%v: %s", err, out)
	numbers := filepath.Join(t.TempDir(), "values.yaml")
	testkit.Must(t, os.WriteFile(numbers, []byte("settings: {RATE_LIMIT: 1000000, SCORE: 0.25, NOTICES: true, HOSTS: 'a \"b\"'}"), 0o600))
	some, err := helm("template", "shop", "deploy/helm", "--kube-version", "1.31", "--values", numbers)
	testkit.Need(t, err == nil, "%v: %s", err, some)
	for _, want := range []string{`RATE_LIMIT, value: "1000000"`, `SCORE, value: "0.25"`, `NOTICES, value: "true"`, `HOSTS, value: "a \"b\""`} {
		testkit.Check(t, bytes.Contains(some, []byte(want)), "%s is not in %s", want, some)
	}
	var kinds []string
	for in := yaml.NewDecoder(bytes.NewReader(out)); ; {
		var object map[string]any
		if err := in.Decode(&object); errors.Is(err, io.EOF) {
			break
		} else {
			testkit.Must(t, err)
		}
		kind, _ := object["kind"].(string)
		kinds = append(kinds, kind)
		if kind != "Deployment" {
			continue
		}
		pod := lookup(object, "spec", "template", "spec")
		container := lookup(pod, "containers").([]any)[0]
		for path, want := range map[string]any{
			"securityContext readOnlyRootFilesystem": true, "securityContext allowPrivilegeEscalation": false,
			"livenessProbe httpGet path": "/healthz", "readinessProbe httpGet path": "/readyz", "startupProbe httpGet path": "/healthz",
		} {
			testkit.Equal(t, lookup(container, strings.Fields(path)...), want, "%s", path)
		}
		testkit.Equal(t, lookup(pod, "securityContext", "runAsNonRoot"), any(true), "runAsNonRoot")
		secret := lookup(container, "envFrom").([]any)[0]
		testkit.Equal(t, lookup(secret, "secretRef", "name"), any("product-comments"), "secret")
	}
	slices.Sort(kinds)
	testkit.Equal(t, strings.Join(kinds, " "), "Deployment Deployment HorizontalPodAutoscaler Ingress PodDisruptionBudget PodDisruptionBudget Service Service ServiceAccount ServiceMonitor", "objects:")
}
