package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"product-comments/internal/manual"
	"product-comments/internal/testkit"
)

// A flag is listed once, with all commands that have it with the same words.
type listed struct {
	flag            string
	cells, commands []string
}

// The page has every flag of every command, as --help says them.
func TestConfigurationOfThePage(t *testing.T) {
	var c commands
	model := c.parser().Model
	var flags []*listed
	leaves := 0
	for _, node := range model.Leaves(true) {
		leaves++
		command := strings.TrimSpace(placeholders.ReplaceAllString(node.Path(), ""))
		for _, f := range node.Flags {
			if f.Name == "help" || f.Name == "version" {
				continue
			}
			cells := spellFlag(f)
			i := slices.IndexFunc(flags, func(l *listed) bool { return slices.Equal(l.cells, cells) })
			if i < 0 {
				i = len(flags)
				flags = append(flags, &listed{flag: f.Name, cells: cells})
			}
			flags[i].commands = append(flags[i].commands, "`"+command+"`")
		}
	}
	slices.SortStableFunc(flags, func(a, b *listed) int { return strings.Compare(a.flag, b.flag) })
	testkit.Need(t, leaves > 15 && len(flags) > 60, "%d commands with %d flags", leaves, len(flags))
	for _, g := range []struct {
		part string
		has  func(l *listed) bool
	}{
		{"store", func(l *listed) bool { return len(l.commands) > leaves/2 }},
		{"serve", func(l *listed) bool { return len(l.commands) <= leaves/2 && slices.Contains(l.commands, "`serve`") }},
		{"others", func(l *listed) bool { return len(l.commands) <= leaves/2 && !slices.Contains(l.commands, "`serve`") }},
	} {
		var rows [][]string
		for _, l := range flags {
			if !g.has(l) {
				continue
			}
			cells := slices.Clone(l.cells)
			if g.part != "store" {
				cells = append(cells, strings.Join(slices.DeleteFunc(l.commands, func(c string) bool { return c == "`serve`" }), ", "))
			}
			rows = append(rows, cells)
		}
		head := []string{"flag", "environment", "default", ""}
		if g.part != "store" {
			head = append(head, map[string]string{"serve": "also of", "others": "of"}[g.part])
		}
		manual.Generated(t, "configuration.md", g.part, manual.Table(head, rows))
	}
}

// spellFlag returns a flag's name, environment variable, default and help.
func spellFlag(f *kong.Flag) []string {
	environment, fallback := "", ""
	if len(f.Envs) > 0 {
		environment = "`" + strings.Join(f.Envs, "`, `") + "`"
	}
	if f.HasDefault && f.Default != "" {
		fallback = "`" + f.Default + "`"
	}
	name := "--" + f.Name
	if f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	return []string{"`" + name + "`", environment, fallback, strings.ReplaceAll(f.Help, "|", `\|`)}
}
