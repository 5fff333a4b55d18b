package command

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// completionCmd prints what a shell evaluates to complete command lines. The shell then runs the
// program with the line in COMP_LINE, which kongplete answers, so that completions are never out of
// date.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// completions have files where the program has no word. That of zsh serves as a file of $fpath, too.
var completions = map[string]string{
	"bash": "complete -o default -C product-comments product-comments\n",
	"zsh": `#compdef product-comments
_product-comments() {
  compadd -- ${(f)"$(COMP_LINE="${(j: :)words[1,CURRENT]}" product-comments)"} || _files
}
if [[ ${funcstack[1]} = _product-comments ]]; then _product-comments; else compdef _product-comments product-comments; fi
`,
	"fish": `function __product_comments
  set -l words (commandline -opc) (commandline -ct)
  set -l found (COMP_LINE="$words" product-comments)
  and test -n "$found"
  and printf '%s\n' $found
  or __fish_complete_path (commandline -ct)
end
complete -c product-comments -f -a '(__product_comments)'
`,
}

func (c *completionCmd) Run(k *kong.Kong) error {
	_, err := fmt.Fprint(k.Stdout, completions[c.Shell])
	return err
}
