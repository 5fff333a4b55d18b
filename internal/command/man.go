package command

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// manFlag prints the page of man, from the texts of --help. It has no date, so that releases can be
// reproduced.
type manFlag bool

// BeforeApply prints the page and exits, as --help does.
func (manFlag) BeforeApply(k *kong.Kong) error {
	name := k.Model.Name
	fmt.Fprintf(k.Stdout, ".TH %s 1\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s COMMAND [flags]\n.SH COMMANDS\n", strings.ToUpper(name), name, k.Model.Help, name)
	item := func(of string, v *kong.Value) {
		fmt.Fprintf(k.Stdout, ".TP\n.B %s\n%s\n", escape(of), escape(kong.DefaultHelpValueFormatter(v)))
	}
	leaves := k.Model.Leaves(true)
	having := map[string]int{} // commands by the help of a flag
	for _, leaf := range leaves {
		for _, f := range leaf.Flags {
			having[f.Help]++
		}
	}
	flags := func(of *kong.Node, common bool) {
		for _, f := range of.Flags {
			if !f.Hidden && (having[f.Help] > len(leaves)/2) == common {
				item(f.String(), f.Value)
			}
		}
	}
	for _, leaf := range leaves {
		fmt.Fprintf(k.Stdout, ".SS %s\n%s\n", escape(leaf.Summary()), escape(leaf.Help))
		for _, p := range leaf.Positional {
			item(p.Summary(), p)
		}
		flags(leaf, false)
	}
	fmt.Fprint(k.Stdout, ".SH FLAGS OF MOST COMMANDS\n")
	flags(leaves[0], true)
	k.Exit(0)
	return nil
}

// escape returns a text as man reads it: it takes a backslash for an escape, a hyphen for one that may
// be typeset, and a dot or an apostrophe at the start of a line for a request.
func escape(text string) string {
	return `\&` + strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}
