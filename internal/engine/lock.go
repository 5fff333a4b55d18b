package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lock is the ownership of a data directory. The system releases it when its
// process ends in any way. The file stays, and remembers the port for the next
// owner: followers of the last one still use it.
type lock struct{ file *os.File }

// tryLock returns nil without an error when someone else holds the lock: a
// process, or another Engine in ours.
func tryLock(dir string) (*lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "engine.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	held, err := lockFile(file)
	if err != nil || !held {
		file.Close()
		if err != nil {
			err = fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		return nil, err
	}
	return &lock{file}, nil
}

// port is the one that was used last, 0 when there is none.
func (l *lock) port() int {
	content, err := io.ReadAll(io.NewSectionReader(l.file, 0, 16))
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || port < 1 || port > 65535 {
		return 0
	}
	return port
}

func (l *lock) setPort(port int) error {
	content := []byte(strconv.Itoa(port) + "\n")
	if _, err := l.file.WriteAt(content, 0); err != nil {
		return err
	}
	return l.file.Truncate(int64(len(content)))
}

func (l *lock) release() error { return l.file.Close() }
