package engine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Env is the environment variable that names the engine's binary.
const Env = "DYNOXIDE"

// Binary is where npm puts the engine of this system, below web/node_modules.
var Binary = "@dynoxide/" + system(runtime.GOOS, runtime.GOARCH) + "/dynoxide"

// fetched are the systems that `make tools` has an engine for: web/package-lock.json has
// its package.
var fetched = []string{"linux-x64"}

// system returns what npm calls an operating system and an architecture.
func system(goos, goarch string) string {
	names := map[string]string{"windows": "win32", "amd64": "x64", "386": "ia32"}
	return cmp.Or(names[goos], goos) + "-" + cmp.Or(names[goarch], goarch)
}

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
	return "", errors.New(missing(system(runtime.GOOS, runtime.GOARCH)))
}

// missing says what to do on a system where there is no engine.
func missing(system string) string {
	get := fmt.Sprintf("run `make tools` in the project's folder and use its bin/product-comments, from whatever folder, "+
		"or set %s to the path of the binary of the npm package @dynoxide/%s", Env, system)
	if !slices.Contains(fetched, system) {
		get = fmt.Sprintf("`make tools` fetches it for %s alone; where npm has the package @dynoxide/%s, install that and set %s to the path of its binary",
			strings.Join(fetched, ", "), system, Env)
	}
	return fmt.Sprintf("the embedded engine, dynoxide, is not installed for %s: %s; or do without it: --engine dynamodb uses DynamoDB on AWS, "+
		"or what listens at AWS_ENDPOINT_URL_DYNAMODB, such as DynamoDB Local at http://127.0.0.1:8000", system, get)
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
