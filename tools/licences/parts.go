package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const head = `# Licences

What the binary is made of, and under which licences. ` + "`make licences`" + ` writes this page; a test fails if it is not up to date, or if something has no licence or one that is not known. The texts of the playground's licences are in the binary, at ` + "`/playground/LICENSES.txt`" + `; those of the modules are in Go's module cache. Versions are in go.mod and web/package-lock.json, and in the bill of materials that comes with a release.

`

// list returns docs/licences.md.
func list(parts []part) []byte {
	tables := map[bool]string{}
	last := part{}
	for _, p := range parts {
		if p.Name != last.Name || p.Licence != last.Licence { // list several versions once
			tables[p.npm] += fmt.Sprintf("| %s | %s |\n", p.Name, p.Licence)
		}
		last = p
	}
	const columns = "| name | licence |\n| --- | --- |\n"
	return []byte(head + "## Go modules\n\n" + columns + tables[false] + "\n## npm packages, in the playground\n\n" + columns + tables[true])
}

// bill returns the bill of materials, https://cyclonedx.org/docs/1.5/json/. It has no timestamp,
// so that it is the same for the same parts.
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

// part is a component of the binary.
type part struct {
	Name, Version string
	Licence       string // SPDX identifiers
	npm           bool
}

// systems are the systems of releases: each needs a few additional modules.
var systems = []string{"linux", "darwin", "windows"}

// all returns every part, sorted by name. root is the project's directory. It returns an error
// that names all parts without a known and accepted licence.
func all(root string) ([]part, error) {
	modules, missing := goModules(root)
	packages, err := npmPackages(root)
	parts := slices.Concat(modules, packages)
	slices.SortStableFunc(parts, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	return parts, errors.Join(missing, err)
}

// goModules returns the modules of the binary on any of the systems.
func goModules(root string) (parts []part, err error) {
	seen := map[string]bool{}
	for _, system := range systems {
		c := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", ".")
		c.Dir, c.Env, c.Stderr = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"), os.Stderr
		out, failed := c.Output()
		if failed != nil {
			return nil, fmt.Errorf("list the modules: %w", failed)
		}
		for line := range strings.Lines(string(out)) {
			m := strings.Split(strings.TrimSpace(line), "\t")
			if len(m) != 3 || seen[m[0]] { // the line of a package without a module is empty
				continue
			}
			seen[m[0]] = true
			licence, unknown := licenceIn(m[2])
			if unknown != nil {
				err = errors.Join(err, fmt.Errorf("%s %s: %w", m[0], m[1], unknown))
			}
			parts = append(parts, part{Name: m[0], Version: m[1], Licence: licence})
		}
	}
	return parts, err
}

// known recognizes licences by words that no other licence has. A text may match several licences.
var known = []struct {
	name  string
	words *regexp.Regexp
}{
	{"Apache-2.0", words(`Apache License,? Version 2\.0`)},
	{"MIT", words(`Permission is hereby granted, free of charge, to any person obtaining a copy`)},
	{"ISC", words(`Permission to use, copy, modify, and(/or)? distribute this software for any purpose with or without fee`)},
	{"BSD-3-Clause", words(`Redistribution and use in source and binary forms.*(may be used to endorse or promote|be used to endorse)`)},
	{"BSD-2-Clause", words(`Redistribution and use in source and binary forms`)},
	{"MPL-2.0", words(`Mozilla Public License,? (Version|version|v\.) ?2\.0`)},
}

func words(pattern string) *regexp.Regexp {
	return regexp.MustCompile("(?is)" + strings.ReplaceAll(pattern, " ", `\s+`))
}

// licenceFile matches the name of a module's licence file.
var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying)(\.(txt|md))?$`)

func licenceIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return licenceFile.MatchString(e.Name()) })
	if i < 0 {
		return "", errors.New("it has no licence file")
	}
	text, err := os.ReadFile(filepath.Join(dir, entries[i].Name()))
	if err != nil {
		return "", err
	}
	var found []string
	for _, k := range known {
		if k.words.Match(text) && (k.name != "BSD-2-Clause" || !slices.Contains(found, "BSD-3-Clause")) {
			found = append(found, k.name)
		}
	}
	if len(found) == 0 {
		return "", errors.New("its licence is none that is known")
	}
	return strings.Join(found, " AND "), nil
}

// accepted are the accepted licences of npm packages, as declared by the packages. All of them
// allow embedding if their text is included.
var accepted = []string{"MIT", "Apache-2.0", "(MIT OR Apache-2.0)", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD",
	"Python-2.0"}

// npmPackages returns the packages in the playground's assets: all installed packages that are not
// for development only.
func npmPackages(root string) (parts []part, err error) {
	content, err := os.ReadFile(filepath.Join(root, "web", "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev, Optional    bool
		}
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, fmt.Errorf("web/package-lock.json: %w", err)
	}
	for path, p := range lock.Packages {
		i := strings.LastIndex(path, "node_modules/")
		// Optional packages are programs that the binary does not contain.
		if i < 0 || p.Dev || p.Optional {
			continue
		}
		name := path[i+len("node_modules/"):]
		if name == "esbuild" { // it makes the script of sections
			continue
		}
		if !slices.Contains(accepted, p.License) {
			err = errors.Join(err, fmt.Errorf("%s %s of npm: its licence %q is none that is accepted", name, p.Version, p.License))
		}
		parts = append(parts, part{Name: name, Version: p.Version, Licence: p.License, npm: true})
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.Name+" "+a.Version, b.Name+" "+b.Version) })
	return slices.Compact(parts), err
}
