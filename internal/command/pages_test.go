package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

var (
	fenced   = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	shown    = regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )*(?:bin/)?product-comments (.+)$`)
	follows  = regexp.MustCompile(`\\\n\s*`)
	shellEnd = regexp.MustCompile(`\s(?:#|[|>&]|2>).*$`)
	word     = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
)

// The command line takes every command that a page shows in a block of its own.
func TestCommandsOfThePagesAreTaken(t *testing.T) {
	tried := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		for _, file := range testkit.Value(filepath.Glob(pattern))(t) {
			text := testkit.Value(os.ReadFile(file))(t)
			for _, block := range fenced.FindAllSubmatch(text, -1) {
				for _, m := range shown.FindAllStringSubmatch(follows.ReplaceAllString(string(block[1]), " "), -1) {
					var arguments []string
					for _, w := range word.FindAllString(shellEnd.ReplaceAllString(" "+m[1], ""), -1) {
						arguments = append(arguments, strings.Trim(w, `"'`))
					}
					tried++
					var c commands
					_, err := c.parser().Parse(arguments)
					testkit.Check(t, err == nil, "%s: %s: %v", filepath.Base(file), m[1], err)
				}
			}
		}
	}
	testkit.Check(t, tried >= 20, "the pages show %d commands", tried)
}
