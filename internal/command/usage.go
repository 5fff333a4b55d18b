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
			command += " " + placeholders.ReplaceAllString(refused.Context.Selected().Path(), "")
		}
	}
	_, _ = fmt.Fprintf(to, "%s: %s\n%s --help says more\n", name, err, command)
	return status
}

// placeholders match arguments in the path of a command.
var placeholders = regexp.MustCompile(` ?[<\[].*`)

// version returns the version of the binary, from the build information of the module and its
// repository.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "product-comments, of an unknown version"
	}
	return formatVersion(info)
}

// agent returns the program as headers of requests and mails name it.
func agent() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "product-comments"
	}
	return "product-comments/" + strings.Trim(info.Main.Version, "()")
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
