package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version says which version of the service the binary is, from what Go's build
// noted of the module and its repository.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "product-comments, of an unknown version"
	}
	return spellVersion(info)
}

func spellVersion(info *debug.BuildInfo) string {
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
	return fmt.Sprintf("product-comments %s, %s, %s %s/%s", info.Main.Version, commit, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
