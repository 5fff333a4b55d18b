package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// binary is where `make tools` puts the engine, below web/node_modules.
const binary = "@dynoxide/linux-x64/dynoxide"

// Find returns the absolute path of the engine's binary: the one that the
// environment variable DYNOXIDE names, else the one that `make tools`
// installed, else dynoxide in the PATH.
//
// It fails when DYNOXIDE names no executable file, and when there is no engine
// anywhere; the message says what to do.
func Find() (string, error) {
	if name := os.Getenv("DYNOXIDE"); name != "" {
		found, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("the environment variable DYNOXIDE is %q, which is not an executable file: %w", name, err)
		}
		return filepath.Abs(found)
	}
	if installed, ok := Installed(binary); ok {
		if found, err := exec.LookPath(installed); err == nil {
			return found, nil
		}
	}
	if found, err := exec.LookPath("dynoxide"); err == nil {
		return filepath.Abs(found)
	}
	return "", errors.New("the embedded engine, dynoxide, is not installed: " +
		"run `make tools` in the project's folder, or set DYNOXIDE to the path of its binary")
}

// Installed returns the absolute path of a file that `make tools` installed.
// The pattern is a path below web/node_modules, with slashes, in the syntax of
// [path.Match]; of several matches the last one counts. The project's folder is
// looked for around the working directory and around our own executable.
func Installed(pattern string) (file string, ok bool) {
	for _, project := range projects() {
		modules := filepath.Join(project, "web", "node_modules")
		matches, err := fs.Glob(os.DirFS(modules), path.Clean(pattern))
		if err == nil && len(matches) > 0 {
			return filepath.Join(modules, filepath.FromSlash(matches[len(matches)-1])), true
		}
	}
	return "", false
}

// projects lists the folders that may be the project's, likeliest first: the
// working directory and its parents up to the one with go.mod, then the folder
// of the executable and its parent (it is built as bin/product-comments).
func projects() []string {
	var folders []string
	if folder, err := os.Getwd(); err == nil {
		for {
			folders = append(folders, folder)
			_, err := os.Stat(filepath.Join(folder, "go.mod"))
			parent := filepath.Dir(folder)
			if err == nil || parent == folder {
				break
			}
			folder = parent
		}
	}
	if executable, err := os.Executable(); err == nil {
		if resolved, err := filepath.EvalSymlinks(executable); err == nil {
			executable = resolved
		}
		folder := filepath.Dir(executable)
		folders = append(folders, folder, filepath.Dir(folder))
	}
	return folders
}
