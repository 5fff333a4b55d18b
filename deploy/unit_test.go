package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// The unit is one that systemd understands, and confines the service.
func TestUnit(t *testing.T) {
	content := testkit.Value(os.ReadFile("product-comments.service"))(t)
	set := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			set[name] = value
		}
	}
	for name, want := range map[string]string{
		"DynamicUser": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "PrivateDevices": "yes",
		"NoNewPrivileges": "yes", "MemoryDenyWriteExecute": "yes", "CapabilityBoundingSet": "", "StateDirectory": "product-comments",
		"RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX", "SystemCallArchitectures": "native", "UMask": "0077",
	} {
		got, ok := set[name]
		testkit.Check(t, ok && got == want, "%s is %q, want %q", name, got, want)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("there is no systemd-analyze here: only what the unit says was looked at")
		return
	}
	unit := filepath.Join(t.TempDir(), "product-comments.service")
	installed := strings.ReplaceAll(string(content), "/usr/bin/product-comments", "/bin/true") // which is there
	testkit.Must(t, os.WriteFile(unit, []byte(installed), 0o600))
	out, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput()
	testkit.Check(t, err == nil && len(out) == 0, "systemd-analyze verify: %v\n%s", err, out)
	// The exposure is 0 to 100 tenths; a unit without any confinement has 92 to 96.
	out, err = exec.Command(analyze, "security", "--offline=yes", "--no-pager", "--threshold=20", unit).CombinedOutput()
	testkit.Check(t, err == nil, "systemd-analyze security: %v\n%s", err, out)
}
