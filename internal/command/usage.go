package command

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// refuseUsage prints an invalid command line's error and where to find help, and returns the exit
// status.
func refuseUsage(to io.Writer, name string, err error) int {
	command, status := name, exitFailed
	var refused *kong.ParseError
	if errors.As(err, &refused) {
		status = refused.ExitCode()
		if refused.Context != nil && refused.Context.Selected() != nil {
			command += " " + refused.Context.Selected().Path()
		}
	}
	command = strings.TrimSpace(placeholders.ReplaceAllString(command, ""))
	_, _ = fmt.Fprintf(to, "%s: %s\n%s --help says more\n", command, rephrase(err.Error()), command)
	return status
}

// placeholders match arguments in the path of a command.
var placeholders = regexp.MustCompile(` [<\[].*`)

// wording rewrites the parser's messages as sentences, in this order: first what must be given,
// then its form.
var wording = []struct {
	of   *regexp.Regexp
	into string
}{
	{regexp.MustCompile(`^[a-z]+: (.+)$`), "$1"}, // a Validate error, after the command's name
	{regexp.MustCompile(`^unknown flag (\S+), did you mean "([^"]+)"\?$`), "unknown flag $1; did you mean $2?"},
	{regexp.MustCompile(`^unknown flag (\S+?),? did you mean one of (.*)\?$`),
		"unknown flag $1; did you mean one of $2?"},
	{regexp.MustCompile(`^unknown flag (\S+)$`), "unknown flag $1"},
	{regexp.MustCompile(`^unexpected argument (.+?), did you mean "([^"]+)"\?$`),
		`unknown command $1; did you mean $2?`},
	{regexp.MustCompile(`^unexpected argument (.+?),? did you mean one of (.*)\?$`),
		`unknown command $1; did you mean one of $2?`},
	{regexp.MustCompile(`^unexpected argument (.+)$`), `unexpected argument $1`},
	{regexp.MustCompile(`^missing flags: (.+)$`), "$1 must be given"},
	{regexp.MustCompile(`^missing positional arguments (.+)$`), "$1 must be given"},
	{regexp.MustCompile(`^expected one of (.+)$`), "no command is given: use one such as $1"},
	{regexp.MustCompile(`^expected "(.+)"$`), "$1 must be given"},
	{regexp.MustCompile(`^(\S+) must be one of (.*) but got (".*")$`), "$1 is $3: it must be one of $2"},
	{regexp.MustCompile(`one of "",`), "one of "},
	{regexp.MustCompile(`^(\S+): expected duration but got "?([^:"]*)"?.*$`),
		`$1 is "$2": give a time with its unit, such as 500ms, 5s or 2h`},
	{regexp.MustCompile(`^(\S+): expected a valid (?:\d+ bit )?u?int but got ("?.*?"?)(?: \(.*\))?$`),
		"$1 is $2: give a whole number"},
	{regexp.MustCompile(`^(\S+): expected an? (?:unsigned )?int(?:eger)? but got ("?.*?"?)(?: \(.*\))?$`),
		"$1 is $2: give a whole number"},
	{regexp.MustCompile(`^(\S+): expected a float but got ("?.*?"?)(?: \(.*\))?$`), "$1 is $2: give a number"},
	{regexp.MustCompile(`^(\S+): expected .* value but got .*; perhaps try (.*)\?$`),
		"$1 has no value; if its value begins with a hyphen, write $2"},
	{regexp.MustCompile(`^(\S+): expected \S+ value but got "EOL".*$`), "$1 has no value"},
	{regexp.MustCompile(`^(\S+): expected "<key>=<value>" but got (".*")$`), "$1 is $2: give NAME=VALUE"},
	{regexp.MustCompile(`^(\S+): slog: level string (".*"): unknown name$`),
		"$1 is $2: it must be debug, info, warn or error"},
	{regexp.MustCompile(`^(--\S+) and (--\S+) can't be used together$`),
		"$1 and $2 exclude each other: give one of them"},
	{regexp.MustCompile(`\[?<(\w+)>(?: \.\.\.)?\]?`), "$1"}, // an argument
	{regexp.MustCompile(` \(from envar (\w+)=".*"\)$`), " (set by the environment variable $1)"},
}

func rephrase(message string) string {
	for _, w := range wording {
		message = w.of.ReplaceAllString(message, w.into)
	}
	return message
}

// version returns the version of the binary, from the build information of the module and its
// repository.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "product-comments, of an unknown version"
	}
	return formatVersion(info)
}

func formatVersion(info *debug.BuildInfo) string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	commit := "of an unknown commit"
	if revision := set["vcs.revision"]; revision != "" {
		commit = fmt.Sprintf("commit %.12s of %s", revision, set["vcs.time"])
		if set["vcs.modified"] == "true" {
			commit += " with changes"
		}
	}
	return fmt.Sprintf("product-comments %s, %s, %s %s/%s", info.Main.Version, commit, info.GoVersion, runtime.GOOS,
		runtime.GOARCH)
}
