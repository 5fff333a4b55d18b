//go:build linux

package siege

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// ports returns the TCP ports on which the server listens.
func (s *server) ports(t *testing.T) (ports []int) {
	t.Helper()
	sockets := map[string]bool{} // inodes
	folder := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
	for _, f := range testkit.Value(os.ReadDir(folder))(t) {
		if to, err := os.Readlink(filepath.Join(folder, f.Name())); err == nil && strings.HasPrefix(to, "socket:[") {
			sockets[strings.Trim(to, "socket:[]")] = true
		}
	}
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // without IPv6
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			const listening = "0A"
			if len(fields) < 10 || fields[3] != listening || !sockets[fields[9]] {
				continue
			}
			port := testkit.Value(strconv.ParseUint(fields[1][strings.LastIndex(fields[1], ":")+1:], 16, 16))(t)
			ports = append(ports, int(port))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(ports)))
}

// The server listens for visitors and for operators: nothing of the engine can be reached.
func TestTheTableHasNoPort(t *testing.T) {
	ports := attacked(t).ports(t)
	testkit.Check(t, len(ports) == 2, "it listens on the ports %v", ports)
}

// The data folder is closed to other users, also one that was open.
func TestOthersCannotReadTheData(t *testing.T) {
	folder := t.TempDir()
	data := filepath.Join(folder, "data")
	testkit.Must(t, os.Mkdir(data, 0o755))
	s := testkit.Value(start(folder))(t)
	defer s.kill()
	info, err := os.Stat(data)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o700, "%v, %v", info, err)
}

// listening reports whether something listens on the server's port.
func (s *server) listening() bool {
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
