// Package checkout finds files that `make tools` installed, for tests and for developers' tools.
// They run inside the project, so the working directory determines its location. The service
// itself must not use this package, because other users may control the directory that it is
// started in.
package checkout

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Installed returns the absolute path of a file that `make tools` installed. The pattern is a path
// below web/node_modules, with slashes, in the syntax of [path.Match]; of several matches the last
// one counts.
func Installed(pattern string) (file string, ok bool) {
	root, ok := root()
	if !ok {
		return "", false
	}
	modules := filepath.Join(root, "web", "node_modules")
	matches, err := fs.Glob(os.DirFS(modules), path.Clean(pattern))
	if err != nil || len(matches) == 0 {
		return "", false
	}
	return filepath.Join(modules, filepath.FromSlash(matches[len(matches)-1])), true
}

// root returns the directory with go.mod: the working directory or one of its parents.
func root() (string, bool) {
	folder, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, true
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", false
		}
		folder = parent
	}
}
