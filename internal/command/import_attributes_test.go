package command

import (
	"strings"
	"testing"
)

// Flags about attributes that do not go together are refused by their names.
func TestAttributeFlags(t *testing.T) {
	for want, i := range map[string]importing{
		"--attribute-group needs --infer-attributes": {AttributeGroup: "shoes"},
		"--attribute-group: it has 65 bytes":         {AttributeGroup: strings.Repeat("g", 65), InferAttributes: true},
	} {
		if err := i.checkAttributes(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, i := range []importing{{}, {InferAttributes: true}, {InferAttributes: true, AttributeGroup: "shoes"}} {
		if err := i.checkAttributes(); err != nil {
			t.Errorf("%+v: %v", i, err)
		}
	}
}
