package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

const head = `# Licences

What the binary is made of, and under which licences. ` + "`make licences`" + ` writes this page; a test fails if it is not up to date, or if something has no licence or one that is not known. The texts of the playground's licences are in the binary, at ` + "`/playground/LICENSES.txt`" + `; those of the modules are in Go's module cache. Versions are in go.mod and web/package-lock.json, and in the bill of materials that comes with a release.

`

// list is docs/licences.md.
func list(parts []part) []byte {
	tables := map[bool]string{}
	last := part{}
	for _, p := range parts {
		if p.Name != last.Name || p.Licence != last.Licence { // not again in another version
			tables[p.npm] += fmt.Sprintf("| %s | %s |\n", p.Name, p.Licence)
		}
		last = p
	}
	const columns = "| name | licence |\n| --- | --- |\n"
	return []byte(head + "## Go modules\n\n" + columns + tables[false] + "\n## npm packages, in the playground\n\n" + columns + tables[true])
}

// bill is the bill of materials, https://cyclonedx.org/docs/1.5/json/. It says nothing
// of when it was made, so that it is the same for the same parts.
func bill(parts []part) ([]byte, error) {
	type object map[string]any
	components := make([]object, len(parts))
	for i, p := range parts {
		kind, name := "golang", p.Name
		if p.npm {
			kind, name = "npm", strings.Replace(p.Name, "@", "%40", 1)
		}
		components[i] = object{
			"type": "library", "name": p.Name, "version": p.Version,
			"purl": "pkg:" + kind + "/" + name + "@" + p.Version, "licenses": []object{{"expression": p.Licence}},
		}
	}
	out, err := json.MarshalIndent(object{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   object{"component": object{"type": "application", "name": "product-comments"}},
		"components": components,
	}, "", "  ")
	return append(out, '\n'), err
}
