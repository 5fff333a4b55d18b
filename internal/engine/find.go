package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Env is the environment variable that names the engine's binary.
const Env = "DYNOXIDE"

// Binary is where `make tools` puts the engine, below web/node_modules.
const Binary = "@dynoxide/linux-x64/dynoxide"

// Find returns the absolute path of the engine's binary: the one that the
// environment variable DYNOXIDE names, else the one beside our own program, else
// dynoxide in the PATH. The working directory is never looked at: whoever can
// write there would say what we run.
//
// It fails when DYNOXIDE names no executable file, and when there is no engine
// anywhere; the message says what to do.
func Find() (string, error) {
	if name := os.Getenv(Env); name != "" {
		found, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("the environment variable %s is %q, which is not an executable file: %w", Env, name, err)
		}
		return filepath.Abs(found)
	}
	for _, file := range beside() {
		if found, err := exec.LookPath(file); err == nil {
			return found, nil
		}
	}
	// A relative entry of the PATH, such as ".", is an error here.
	if found, err := exec.LookPath("dynoxide"); err == nil && filepath.IsAbs(found) {
		return found, nil
	}
	return "", fmt.Errorf("the embedded engine, dynoxide, is not installed: "+
		"run `make tools` in the project's folder and start bin/product-comments there, or set %s to the path of its binary", Env)
}

// beside lists where the engine may be relative to our executable: in the same
// folder, and in the project's for bin/product-comments, as it is built.
func beside() []string {
	executable, err := os.Executable()
	if err == nil {
		executable, err = filepath.EvalSymlinks(executable)
	}
	if err != nil {
		return nil
	}
	folder := filepath.Dir(executable)
	files := []string{filepath.Join(folder, "dynoxide")}
	if project := filepath.Dir(folder); filepath.Base(folder) == "bin" {
		files = append(files, filepath.Join(project, "web", "node_modules", filepath.FromSlash(Binary)))
	}
	return files
}
