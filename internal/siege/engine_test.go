//go:build linux

package siege

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// ports returns the TCP ports on which the server and its children listen.
func (s *server) ports(t *testing.T) (ports []int) {
	t.Helper()
	sockets := map[string]bool{} // inodes
	for _, pid := range append(s.children(t), s.cmd.Process.Pid) {
		folder := fmt.Sprintf("/proc/%d/fd", pid)
		files := testkit.Value(os.ReadDir(folder))(t)
		for _, f := range files {
			if to, err := os.Readlink(filepath.Join(folder, f.Name())); err == nil && strings.HasPrefix(to, "socket:[") {
				sockets[strings.Trim(to, "socket:[]")] = true
			}
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

// A page in a browser does not find the table: the engine lets every page in, but
// listens at none of the addresses that a page can guess, whatever the port.
func TestPagesDoNotFindTheTable(t *testing.T) {
	s := attacked(t)
	ports := s.ports(t)
	t.Logf("ports %v", ports)
	testkit.Need(t, len(ports) >= 3, "the API, the operators' address and the engine each have a port")
	for _, port := range ports {
		for _, host := range []string{"127.0.0.1", "localhost"} {
			engine := server{url: fmt.Sprintf("http://%s:%d", host, port)}
			header := http.Header{"Origin": {"https://evil.example"}, "Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Target": {"DynamoDB_20120810.Scan"}, "X-Amz-Date": {"20260101T000000Z"},
				"Authorization": {"AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00"}}
			a, err := engine.send(request{http.MethodPost, "/", []byte(`{"TableName":"comments","Limit":1}`), header}, 5*time.Second)
			if err != nil {
				continue // nothing listens there, or it does not speak HTTP
			}
			if a.status == http.StatusOK || strings.Contains(string(a.start), "Items") || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s answers: %d %v %.200s", engine.url, a.status, a.header, a.start)
			}
			preflight := request{http.MethodOptions, "/", nil, http.Header{"Origin": {"https://evil.example"},
				"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"x-amz-target"}}}
			a, err = engine.send(preflight, 5*time.Second)
			testkit.Check(t, err != nil || a.header.Get("Access-Control-Allow-Origin") == "", "%s allows every origin: %v", engine.url, a.header)
		}
	}
}

// The data folder is closed to other users, also one that was open.
func TestOthersCannotReadTheData(t *testing.T) {
	needEngine(t)
	folder := t.TempDir()
	data := filepath.Join(folder, "data")
	testkit.Must(t, os.Mkdir(data, 0o755))
	s := testkit.Value(start(folder))(t)
	defer s.kill()
	info, err := os.Stat(data)
	testkit.Check(t, err == nil && info.Mode().Perm() == 0o700, "%v, %v", info, err)
}

// The engine's binary is not looked for where the program is started, nor above.
func TestAPlantedEngineIsNotRun(t *testing.T) {
	folder := t.TempDir()
	mark := filepath.Join(folder, "planted-was-run")
	script := "#!/bin/sh\ntouch " + mark + "\nexit 1\n"
	working := filepath.Join(folder, "a", "b")
	for _, at := range []string{working, filepath.Dir(working), folder} {
		for _, name := range []string{"web/node_modules/@dynoxide/linux-x64/dynoxide", "dynoxide", "bin/dynoxide", "node_modules/@dynoxide/linux-x64/dynoxide"} {
			path := filepath.Join(at, name)
			testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			testkit.Must(t, os.WriteFile(path, []byte(script), 0o755))
		}
		testkit.Must(t, os.WriteFile(filepath.Join(at, "go.mod"), []byte("module product-comments\n"), 0o644))
	}
	for _, env := range [][]string{{"PATH=/usr/bin:/bin"}, {"PATH=:/usr/bin:/bin"}, {"PATH=.:/usr/bin:/bin"}} {
		s := &server{dataDir: filepath.Join(folder, "data")}
		s.prepare("serve", "--addr=127.0.0.1:0", "--data-dir="+s.dataDir)
		s.cmd.Dir, s.cmd.Env = working, append(env, "HOME="+folder)
		if err := s.run(); err == nil {
			s.kill() // it found a true one, next to itself
		}
		testkit.Need(t, testkit.Err(os.Stat(mark)) != nil, "with %v the planted one was run", env)
	}
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
