package child

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// stateListen is TCP_LISTEN as /proc/net/tcp spells it.
const stateListen = "0A"

// Listens says whether the process listens on the TCP port: an answer on the
// port may come from another server. Where the system does not tell, as for
// another user's process, it is true.
func Listens(pid, port int) bool {
	folder := filepath.Join("/proc", strconv.Itoa(pid))
	sockets, err := listening(folder, port)
	if err != nil {
		return !os.IsNotExist(err) // no such process
	}
	descriptors, err := os.ReadDir(filepath.Join(folder, "fd"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	for _, descriptor := range descriptors {
		target, err := os.Readlink(filepath.Join(folder, "fd", descriptor.Name()))
		if err == nil && sockets[target] {
			return true
		}
	}
	return false
}

// listening returns the sockets that listen on the port in the process's
// network namespace, spelled like the links in /proc/PID/fd.
func listening(folder string, port int) (map[string]bool, error) {
	sockets := map[string]bool{}
	for _, table := range []string{"tcp", "tcp6"} {
		file, err := os.Open(filepath.Join(folder, "net", table))
		if os.IsNotExist(err) && table == "tcp6" {
			continue // a system without IPv6
		}
		if err != nil {
			return nil, err
		}
		suffix := fmt.Sprintf(":%04X", port)
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
			fields := strings.Fields(lines.Text())
			if len(fields) > 9 && strings.HasSuffix(fields[1], suffix) && fields[3] == stateListen {
				sockets["socket:["+fields[9]+"]"] = true
			}
		}
		file.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return sockets, nil
}
