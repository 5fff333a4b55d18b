//go:build unix

package photos

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

// A disk that is full while a photo is written leaves no part of it. The disk is a limit of the
// size of files, in a process of its own.
func TestDiskIsFull(t *testing.T) {
	const in = "PHOTOS_FULL_DISK"
	if os.Getenv(in) == "" {
		cmd := exec.Command(testkit.Value(os.Executable())(t), "-test.run=^TestDiskIsFull$")
		cmd.Env = append(os.Environ(), in+"=1")
		out, err := cmd.CombinedOutput()
		testkit.Check(t, err == nil, "%v: %s", err, out)
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	b := open(t, t.TempDir())
	testkit.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}))
	testkit.Must(t, b.Put(t.Context(), some(160))) // 640 bytes
	testkit.Equal(t, errs.CodeOf(b.Put(t.Context(), some(160, 480))), errs.Unavailable, "put")
	testkit.Equal(t, len(ids(t, b)), 1, "photos")
	testkit.Equal(t, len(testkit.Value(os.ReadDir(b.folder))(t)), 1, "folders")
}
