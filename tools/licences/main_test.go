package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Everything that the binary is made of has a licence that is known, and is
// listed.
func TestListed(t *testing.T) {
	parts := testkit.Value(all("../.."))(t)
	page := testkit.Value(os.ReadFile("../../docs/licences.md"))(t)
	want := list(parts)
	testkit.Check(t, bytes.Equal(page, want), "docs/licences.md is not up to date: make licences")
	for _, name := range []string{"github.com/99designs/gqlgen", "graphiql", "golang.org/x/sys"} {
		testkit.Check(t, strings.Contains(string(page), "| "+name+" |"), "%s is not listed", name)
	}
	content := testkit.Value(bill(parts))(t)
	var read struct{ Components []struct{ PURL string } }
	err := json.Unmarshal(content, &read)
	testkit.Need(t, err == nil && len(read.Components) == len(parts), "%d components of %d parts, %v", len(read.Components), len(parts), err)
	for _, want := range []string{"pkg:npm/graphiql@4.1.2", "pkg:npm/%40codemirror/", "pkg:golang/github.com/99designs/gqlgen@v"} {
		testkit.Check(t, bytes.Contains(content, []byte(want)), "the bill lacks %s", want)
	}
}

func TestLicenceIn(t *testing.T) {
	dir := t.TempDir()
	testkit.Fails(t, testkit.Err(licenceIn(dir)), "no licence file")
	write := func(text string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "LICENSE.txt"), []byte(text), 0o600))
	}
	write("All rights are reserved. You may look, and nothing else.")
	testkit.Fails(t, testkit.Err(licenceIn(dir)), "none that is known")
	write("Permission is hereby granted, free of charge,\n to any person obtaining a copy")
	got, err := licenceIn(dir)
	testkit.Check(t, got == "MIT" && err == nil, "got %q, %v", got, err)
}
