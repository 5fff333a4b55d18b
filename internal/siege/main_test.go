//go:build linux

package siege

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"product-comments/internal/checkout"
)

// program is the binary that is attacked.
var program string

// long says that there is time for the heavy forms.
var long = os.Getenv("SIEGE") == "long"

func TestMain(m *testing.M) {
	checkout.UseEngine()
	os.Exit(func() int {
		if program = os.Getenv("SIEGE_PROGRAM"); program == "" {
			dir, err := os.MkdirTemp("", "product-comments-siege-")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			defer os.RemoveAll(dir)
			program = filepath.Join(dir, "product-comments")
			if out, err := exec.Command("go", "build", "-o", program, "product-comments").CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
				return 1
			}
		}
		defer shared.stop()
		return m.Run()
	}())
}

// short returns one of two lengths of an attack.
func short(usual, whenLong time.Duration) time.Duration {
	if long {
		return whenLong
	}
	return usual
}
