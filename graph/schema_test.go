package graph

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/formatter"
)

var update = flag.Bool("update", false, "rewrite testdata/schema.golden")

// The schema is a contract. A change of it must change this snapshot, whose diff a
// person then reads: go test ./graph -update
func TestSchemaSnapshot(t *testing.T) {
	const golden = "testdata/schema.golden"
	var got bytes.Buffer
	formatter.NewFormatter(&got, formatter.WithIndent("  ")).FormatSchema(NewExecutableSchema(Config{}).Schema())
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the schema differs from the snapshot; if it should, run go test ./graph -update and read the diff\n%s",
			got.String())
	}
}

// Every type, field, argument and enum value has a description, for the playground.
func TestEverythingIsDescribed(t *testing.T) {
	for name, def := range NewExecutableSchema(Config{}).Schema().Types {
		if def.BuiltIn {
			continue
		}
		if def.Description == "" {
			t.Errorf("%s has no description", name)
		}
		for _, v := range def.EnumValues {
			if v.Description == "" {
				t.Errorf("%s.%s has no description", name, v.Name)
			}
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if f.Description == "" {
				t.Errorf("%s.%s has no description", name, f.Name)
			}
			for _, a := range f.Arguments {
				if a.Description == "" {
					t.Errorf("%s.%s(%s:) has no description", name, f.Name, a.Name)
				}
			}
		}
	}
}
