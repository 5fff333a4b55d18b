package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const document = "../../docs/scale.md"

// The tables of docs/scale.md are those that the program prints.
func TestDocumentIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	all, err := report()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		begin, end := s.marks()
		_, rest, _ := strings.Cut(string(text), begin)
		body, _, ok := strings.Cut(rest, end)
		if !ok {
			t.Errorf("docs/scale.md has no section %s", s.name)
		} else if !alike(body, s.body) {
			t.Errorf("docs/scale.md: %s is not what the program prints: run go run ./internal/scale --write docs/scale.md and read what changed.\n%s", s.name, s.body)
		}
	}
}

// number is one in a table.
var number = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)

// alike compares two tables. Processors other than amd64 may round differently
// where a multiplication meets an addition, so a simulation may take another
// turn there: figures may then differ a little.
func alike(a, b string) bool {
	if a == b || runtime.GOARCH == "amd64" {
		return a == b
	}
	first, second := number.FindAllString(a, -1), number.FindAllString(b, -1)
	if number.ReplaceAllString(a, "0") != number.ReplaceAllString(b, "0") {
		return false
	}
	for i := range first {
		x, _ := strconv.ParseFloat(strings.ReplaceAll(first[i], ",", ""), 64)
		y, _ := strconv.ParseFloat(strings.ReplaceAll(second[i], ",", ""), 64)
		if math.Abs(x-y) > 0.05*max(x, y) {
			return false
		}
	}
	return true
}

func TestRewrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	sections := []section{{"one", "One", "| 1 |\n"}, {"two", "Two", "| 2 |\n"}}
	text := "before\n<!-- make scale: one -->\n\nold\n\n<!-- end -->\nbetween\n<!-- make scale: two -->\n\n\n<!-- end -->\nafter\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(file, sections); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n<!-- make scale: one -->\n\n| 1 |\n\n<!-- end -->\nbetween\n<!-- make scale: two -->\n\n| 2 |\n\n<!-- end -->\nafter\n"
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if err := rewrite(file, []section{{"three", "Three", ""}}); err == nil || !strings.Contains(err.Error(), "make scale: three") {
		t.Errorf("a missing mark: %v", err)
	}
	var b bytes.Buffer
	if err := show(&b, sections); err != nil || b.String() != "## One\n\n| 1 |\n\n## Two\n\n| 2 |\n\n" {
		t.Errorf("printed %q, %v", b.String(), err)
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.5: "0.5", 2857: "2,860", 997.4: "997", 9.996: "10", 1e6: "1,000,000", 12.34: "12.3", 0.0321: "0.0321", 999.6: "1,000"} {
		if got := figure(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "none", 0.0002: "under 0.1 %", 0.658: "65.8 %", 1: "100 %"} {
		if got := percent(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "$0.00", 8.291: "$8.29", 4730.4: "$4,730", 1e9 / 4: "$250,000,000"} {
		if got := dollars(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}
