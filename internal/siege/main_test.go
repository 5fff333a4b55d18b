//go:build linux

package siege

import (
	"os"
	"testing"
	"time"

	"product-comments/internal/checkout"
	"product-comments/internal/testkit"
)

// program is the binary that is attacked.
var program string

// long says that there is time for the heavy forms.
var long = os.Getenv("SIEGE") == "long"

func TestMain(m *testing.M) {
	checkout.UseEngine()
	os.Exit(func() int {
		defer shared.stop()
		if program = os.Getenv("SIEGE_PROGRAM"); program != "" {
			return m.Run()
		}
		return testkit.RunWithProgram(m, &program)
	}())
}

// short returns one of two lengths of an attack.
func short(usual, whenLong time.Duration) time.Duration {
	if long {
		return whenLong
	}
	return usual
}
