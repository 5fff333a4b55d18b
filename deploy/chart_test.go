package deploy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"product-comments/internal/testing/testkit"
)

// The chart and compose.yaml set what the program knows.
func TestSettingsAreFlags(t *testing.T) {
	page := string(testkit.Value(os.ReadFile("../docs/configuration.md"))(t))
	var values struct{ Settings map[string]string }
	testkit.Must(t, yaml.Unmarshal(testkit.Value(os.ReadFile("helm/values.yaml"))(t), &values))
	var compose struct {
		Services map[string]struct{ Environment map[string]string }
	}
	testkit.Must(t, yaml.Unmarshal(testkit.Value(os.ReadFile("../compose.yaml"))(t), &compose))
	set := compose.Services["comments"].Environment
	testkit.Check(t, len(set) > 5 && len(values.Settings) > 1, "compose.yaml sets %v, the chart %v", set, values.Settings)
	for _, settings := range []map[string]string{set, values.Settings} {
		for name := range settings {
			testkit.Check(t, strings.HasPrefix(name, "AWS_") || strings.Contains(page, "`"+name+"`"), "no page knows %s", name)
		}
	}
}

// The chart is what helm lints, and what it renders runs without rights, is probed, and names a
// secret without holding one.
func TestChart(t *testing.T) {
	released(t)
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
