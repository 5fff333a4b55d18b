// Package deploy parses template.yaml, so that tests can compare it with the service.
package deploy

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed template.yaml
var text []byte

// Template is the part of a CloudFormation template that the tests need. !Ref, !GetAtt and !Sub
// are replaced by their arguments.
type Template struct {
	Resources map[string]Resource `yaml:"Resources"`
}

// Resource is one of a template's resources.
type Resource struct {
	Type       string         `yaml:"Type"`
	Properties map[string]any `yaml:"Properties"`
}

// Read returns template.yaml. It returns an error if that is not YAML.
var Read = sync.OnceValues(func() (t Template, err error) {
	err = yaml.Unmarshal(text, &t)
	return t, err
})

// Roles of the template.
const (
	API       = "ApiRole"
	Projector = "ProjectorRole"
	Webhooks  = "WebhooksRole"
)

// Action is an action of IAM that a role may do or a process does, such as dynamodb:Query, and its
// resource: "table", "index", "columns" or "stream", or the name in the template.
type Action struct{ Name, With string }

// String formats the action for messages.
func (a Action) String() string { return a.Name + " on the " + a.With }

// targets are the resources of the template with their names in Action.
var targets = map[string]string{"Table.Arn": "table", "${Table.Arn}/index/*": "index", "Table.StreamArn": "stream",
	"Columns.Arn": "columns"}

// Allowed returns the actions that a role of the template may do. It returns an error if there is
// no such role, or if a statement has an unknown form.
func (t Template) Allowed(role string) (map[Action]bool, error) {
	policies, ok := t.Resources[role].Properties["Policies"].([]any)
	if !ok {
		return nil, fmt.Errorf("the template has no role %s with policies", role)
	}
	allowed := map[Action]bool{}
	for _, p := range policies {
		document, _ := lookup(p, "PolicyDocument", "Statement").([]any)
		for _, statement := range document {
			resource, ok := lookup(statement, "Resource").(string)
			if effect := lookup(statement, "Effect"); effect != "Allow" || !ok || len(document) == 0 {
				return nil, fmt.Errorf("%s has a statement without one resource that it allows: %v", role, statement)
			}
			if known := targets[resource]; known != "" {
				resource = known
			}
			for _, name := range list(lookup(statement, "Action")) {
				if strings.Contains(name, "*") {
					return nil, fmt.Errorf("%s allows %s: name each action", role, name)
				}
				allowed[Action{name, resource}] = true
			}
		}
	}
	return allowed, nil
}

// Projecting is the function that projects the table's stream.
const Projecting = "Projector"

// Filters returns the filter patterns of a function's stream. It returns an error if there are
// none.
func (t Template) Filters(function string) (patterns []string, err error) {
	filters, _ := lookup(t.Resources[function].Properties, "Events", "Changes", "Properties", "FilterCriteria", "Filters").([]any)
	for _, f := range filters {
		pattern, ok := lookup(f, "Pattern").(string)
		if !ok {
			return nil, fmt.Errorf("%s has a filter without a pattern: %v", function, f)
		}
		patterns = append(patterns, pattern)
	}
	if len(patterns) == 0 {
		return nil, fmt.Errorf("%s has no filters", function)
	}
	return patterns, nil
}

// lookup follows names through nested maps; nil if a name is missing.
func lookup(in any, names ...string) any {
	for _, name := range names {
		m, _ := in.(map[string]any)
		in = m[name]
	}
	return in
}

// list accepts a string or a list of strings.
func list(in any) (out []string) {
	switch in := in.(type) {
	case string:
		return []string{in}
	case []any:
		for _, v := range in {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}
