package browser

import (
	"fmt"
	"os"
	"os/exec"
)

// find returns the path of the Chromium to run: $CHROMIUM when that is set,
// otherwise the first of the usual names on the PATH. The error of a machine
// without one says what to install.
func find() (string, error) {
	if name := os.Getenv("CHROMIUM"); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("the variable CHROMIUM names no browser: %w", err)
		}
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("this test needs Chromium: install it (apt-get install chromium) or set CHROMIUM to its path")
}
