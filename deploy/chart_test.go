package deploy

import (
	"os"
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
