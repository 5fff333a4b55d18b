// Package checkout finds what `make tools` fetched, for tests and for what
// only developers run. They run inside of the project, so the working directory
// tells where it is; the program itself must never look there, since anybody
// may have put files into the folder that it is started in.
package checkout

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"product-comments/internal/engine"
)

// Installed returns the absolute path of a file that `make tools` installed.
// The pattern is a path below web/node_modules, with slashes, in the syntax of
// [path.Match]; of several matches the last one counts.
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

// UseEngine lets this process, and those that it starts, find the engines that
// `make tools` installed, unless the environment names others.
func UseEngine() {
	for name, pattern := range map[string]string{engine.Env: engine.Binary, engine.JarEnv: engine.Jar} {
		if file, ok := Installed(pattern); ok && os.Getenv(name) == "" {
			os.Setenv(name, file) // fails only for names and values that no system takes
		}
	}
}

// root is the folder with go.mod, of the working directory and its parents.
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
