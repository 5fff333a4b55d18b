package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// Everything that the binary is made of has a licence that is known, and is
// listed.
func TestListed(t *testing.T) {
	parts := testkit.Value(all("../.."))(t)
	page := testkit.Value(os.ReadFile("../../docs/licences.md"))(t)
	if want := list(parts); !bytes.Equal(page, want) {
		t.Errorf("docs/licences.md is not up to date: make licences")
	}
	for _, name := range []string{"github.com/99designs/gqlgen", "graphiql", "golang.org/x/sys"} {
		if !strings.Contains(string(page), "| "+name+" |") {
			t.Errorf("%s is not listed", name)
		}
	}
	content := testkit.Value(bill(parts))(t)
	var read struct{ Components []struct{ PURL string } }
	if err := json.Unmarshal(content, &read); err != nil || len(read.Components) != len(parts) {
		t.Fatalf("%d components of %d parts, %v", len(read.Components), len(parts), err)
	}
	for _, want := range []string{"pkg:npm/graphiql@4.1.2", "pkg:npm/%40codemirror/", "pkg:golang/github.com/99designs/gqlgen@v"} {
		if !bytes.Contains(content, []byte(want)) {
			t.Errorf("the bill lacks %s", want)
		}
	}
}

func TestLicenceIn(t *testing.T) {
	dir := t.TempDir()
	if _, err := licenceIn(dir); err == nil || !strings.Contains(err.Error(), "no licence file") {
		t.Errorf("got %v", err)
	}
	write := func(text string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "LICENSE.txt"), []byte(text), 0o600))
	}
	write("All rights are reserved. You may look, and nothing else.")
	if _, err := licenceIn(dir); err == nil || !strings.Contains(err.Error(), "none that is known") {
		t.Errorf("got %v", err)
	}
	write("Permission is hereby granted, free of charge,\n to any person obtaining a copy")
	if got, err := licenceIn(dir); got != "MIT" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
