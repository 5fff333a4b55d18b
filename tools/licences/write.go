package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
)

const head = `# Licences

What the binary is made of, and under which licences. ` + "`make licences`" + ` writes this page; a test fails if it is not up to date, or if something has no licence or one that is not known. The texts of the playground's licences are in the binary, at ` + "`/playground/LICENSES.txt`" + `; those of the modules are in Go's module cache. Versions are in go.mod and web/package-lock.json, and in the bill of materials that comes with a release.

`

// list is docs/licences.md.
func list(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for _, of := range []struct {
		title string
		npm   bool
	}{{"Go modules", false}, {"npm packages, in the playground", true}} {
		fmt.Fprintf(&b, "## %s\n\n| name | licence |\n| --- | --- |\n", of.title)
		for i, p := range parts {
			again := i > 0 && parts[i-1].Name == p.Name && parts[i-1].Licence == p.Licence // in another version
			if p.npm == of.npm && !again {
				fmt.Fprintf(&b, "| %s | %s |\n", p.Name, p.Licence)
			}
		}
		if !of.npm {
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

// component is one of CycloneDX's, https://cyclonedx.org/docs/1.5/json/.
type component struct {
	Type     string   `json:"type"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	PURL     string   `json:"purl"`
	Licences []choice `json:"licenses"`
}

type choice struct {
	Expression string `json:"expression"`
}

// bill is the bill of materials. It says nothing of when it was made, so that it
// is the same for the same parts.
func bill(parts []part) ([]byte, error) {
	components := make([]component, len(parts))
	for i, p := range parts {
		kind, name := "golang", p.Name
		if p.npm {
			kind, name = "npm", url.PathEscape(p.Name)
			if scope, rest, ok := bytes.Cut([]byte(p.Name), []byte("/")); ok {
				name = "%40" + string(scope[1:]) + "/" + string(rest)
			}
		}
		components[i] = component{
			Type: "library", Name: p.Name, Version: p.Version,
			PURL: "pkg:" + kind + "/" + name + "@" + p.Version, Licences: []choice{{p.Licence}},
		}
	}
	out, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": map[string]any{"type": "application", "name": "product-comments"}},
		"components": components,
	}, "", "  ")
	return append(out, '\n'), err
}
