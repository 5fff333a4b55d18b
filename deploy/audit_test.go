package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// The check fails for dependencies with known faults alone: where no database answers, it says
// that nothing was audited.
func TestAudit(t *testing.T) {
	const noModules, noPackages = "No vulnerabilities found.", "found 0 vulnerabilities"
	for _, c := range []struct {
		name, modules, packages string // what the tools write, and as what they exit
		fails                   bool
		want                    string
	}{
		{"no faults", "0 " + noModules, "0 " + noPackages, false, ""},
		{"a module", "3 Vulnerability #1: GO-2026-0001", "0 " + noPackages, true, "Go modules have known faults"},
		{"a package", "0 " + noModules, "1 1 moderate severity vulnerability", true, "npm packages of web have known faults"},
		{"packages", "0 " + noModules, "1 3 vulnerabilities (1 moderate, 2 high)", true, "npm packages of web have known faults"},
		{"no database of modules", "1 govulncheck: fetching vulnerabilities: no such host", "0 " + noPackages, false, "Go modules were not audited"},
		{"none of packages", "0 " + noModules, "1 npm error audit endpoint returned an error", false, "npm packages of web were not audited"},
		{"no answer", "124 ", "0 " + noPackages, false, "timed out"},
	} {
		bin := t.TempDir()
		for tool, says := range map[string]string{"go": c.modules, "npm": c.packages} {
			status, text, _ := strings.Cut(says, " ")
			testkit.Must(t, os.WriteFile(filepath.Join(bin, tool), []byte("#!/bin/sh\necho '"+text+"'\nexit "+status+"\n"), 0o755))
		}
		audit := exec.Command("sh", "../.ci/audit")
		audit.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := audit.CombinedOutput()
		testkit.Check(t, (err != nil) == c.fails && strings.Contains(string(out), c.want) && (c.want != "" || len(out) == 0), "%s: %v, %s", c.name, err, out)
	}
}
