package gate

import (
	"os"
	"path/filepath"
	"testing"

	"product-comments/internal/testkit"
)

func TestSystemMemory(t *testing.T) {
	const meminfo = "MemTotal:       8388608 kB\nMemFree:        1 kB\n"
	for _, c := range []struct {
		name           string
		files          map[string]string
		machine, group int64
	}{
		{"nothing is known", nil, 0, 0},
		{"a machine", map[string]string{"proc/meminfo": meminfo}, 8 << 30, 0},
		{"a container sees its own group at the root", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n",
		}, 8 << 30, 512 << 20},
		{"or by the path outside", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/docker/abc\n", "sys/fs/cgroup/memory.max": "536870912\n",
		}, 8 << 30, 512 << 20},
		{"the least of those above counts", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/pc.service\n",
			"sys/fs/cgroup/system.slice/memory.max": "1073741824\n", "sys/fs/cgroup/system.slice/pc.service/memory.max": "2147483648\n",
		}, 8 << 30, 1 << 30},
		{"no limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 8 << 30, 0},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "7:cpu,cpuacct:/x\n4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
		}, 8 << 30, 256 << 20},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 8 << 30, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir() + "/"
			for name, text := range c.files {
				testkit.Must(t, os.MkdirAll(filepath.Dir(root+name), 0o700))
				testkit.Must(t, os.WriteFile(root+name, []byte(text), 0o600))
			}
			machine, group := systemMemory(root)
			testkit.Check(t, machine == c.machine && group == c.group, "%d, %d", machine, group)
		})
	}
}

func TestDivide(t *testing.T) {
	for _, c := range []struct{ machine, group, want int64 }{
		{0, 0, 1 << 30}, {8 << 30, 0, 2 << 30}, {8 << 30, 1 << 30, 768 << 20}, {8 << 30, 1 << 20, LeastMemory},
	} {
		testkit.Equal(t, DefaultMemory(c.machine, c.group), c.want, "%+v", c)
	}
	got := Divide(1<<30, 512<<20)
	testkit.Check(t, got.Answers == 64<<20 && got.Bodies == 16<<20, "%+v", got)
}
