package graph

import (
	"os"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// schema.graphqls is the contract, and its diff is what a reviewer reads. What is
// served must be that file.
func TestTheSchemaIsItsFile(t *testing.T) {
	file := testkit.Value(os.ReadFile("../schema.graphqls"))(t)
	testkit.Check(t, SDL() == string(file), "the generated code is not that of schema.graphqls: run make generate")
}

// Every type, field, argument and enum value has a description, for the playground.
func TestEverythingIsDescribed(t *testing.T) {
	for name, def := range NewExecutableSchema(Config{}).Schema().Types {
		if def.BuiltIn {
			continue
		}
		testkit.Check(t, def.Description != "", "%s has no description", name)
		for _, v := range def.EnumValues {
			testkit.Check(t, v.Description != "", "%s.%s has no description", name, v.Name)
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			testkit.Check(t, f.Description != "", "%s.%s has no description", name, f.Name)
			for _, a := range f.Arguments {
				testkit.Check(t, a.Description != "", "%s.%s(%s:) has no description", name, f.Name, a.Name)
			}
		}
	}
}
