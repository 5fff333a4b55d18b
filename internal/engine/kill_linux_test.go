package engine_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"product-comments/internal/engine"
	"product-comments/internal/testkit"
)

func TestKilledOwnerLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := startHelper(t, dir)
	createTable(t, owner.endpoint)
	put(t, owner.endpoint, "1")
	_, pid := recorded(t, dir)

	owner.kill()
	eventually(t, func() error { return ended(pid) })
	testkit.Need(t, engine.Ping(t.Context(), owner.endpoint) != nil, "an engine still answers")

	next := open(t, dir)
	testkit.Equal(t, next.Endpoint(), owner.endpoint, "the address changed from")
	get(t, next.Endpoint(), "1")
}

func TestFollowerOfAKilledOwnerTakesOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := startHelper(t, dir)
	createTable(t, owner.endpoint)
	put(t, owner.endpoint, "1")
	_, first := recorded(t, dir)
	follower := open(t, dir)

	owner.kill()
	eventually(t, func() error { return ended(first) })
	awaitAnswer(t, follower.Endpoint())
	get(t, follower.Endpoint(), "1")
	put(t, follower.Endpoint(), "2")
	eventually(t, func() error {
		if _, second := recorded(t, dir); second == first {
			return errors.New("engine.json still names the dead engine")
		}
		return nil
	})
}

// Elsewhere than on Linux an engine outlives an owner that is killed. The next
// owner ends it, and starts another one at the same address.
func TestOrphanIsEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir)
	createTable(t, first.Endpoint())
	put(t, first.Endpoint(), "1")
	closeEngine(t, first)
	address, _ := recorded(t, dir)
	host, port, _ := strings.Cut(address, ":")
	binary := testkit.Value(engine.Find())(t)
	orphan := exec.Command(binary, "--db-path="+filepath.Join(dir, "comments.db"), "--host="+host, "--port="+port)
	testkit.Must(t, orphan.Start())
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	t.Cleanup(func() { _ = orphan.Process.Kill() })
	awaitAnswer(t, first.Endpoint())
	writeFile(t, filepath.Join(dir, "engine.json"), fmt.Sprintf(`{"address":%q,"pid":%d}`, address, orphan.Process.Pid))

	next := open(t, dir)
	select {
	case err := <-ended:
		testkit.Check(t, err != nil && err.Error() == "signal: killed", "the orphan ended by itself: %v", err)
	case <-time.After(patience):
		t.Error("the orphan still runs")
	}
	testkit.Equal(t, next.Endpoint(), first.Endpoint(), "the address changed from")
	get(t, next.Endpoint(), "1")
}

// An engine that is late with its answers is at work: it is followed, and never
// replaced.
func TestBusyEngineIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner := open(t, dir)
	_, pid := recorded(t, dir)
	testkit.Must(t, syscall.Kill(pid, syscall.SIGSTOP))
	follower, err := engine.Open(t.Context(), engine.Options{DataDir: dir})
	testkit.Must(t, syscall.Kill(pid, syscall.SIGCONT))
	testkit.Must(t, err)
	defer follower.Close()
	awaitAnswer(t, owner.Endpoint())
	_, now := recorded(t, dir)
	testkit.Check(t, now == pid && follower.Endpoint() == owner.Endpoint(), "process %d at %s became %d at %s", pid, owner.Endpoint(), now, follower.Endpoint())
}

func TestKilledEngineIsRestarted(t *testing.T) {
	t.Parallel()
	need(t)
	dir := t.TempDir()
	var log testkit.Buffer
	e := testkit.Value(engine.Open(t.Context(), engine.Options{
		DataDir: dir,
		Logger:  slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}))(t)
	defer e.Close()
	createTable(t, e.Endpoint())

	for round := range 3 {
		put(t, e.Endpoint(), fmt.Sprint(round))
		_, pid := recorded(t, dir)
		testkit.Must(t, syscall.Kill(pid, syscall.SIGKILL))
		eventually(t, func() error { return ended(pid) })
		awaitAnswer(t, e.Endpoint())
		get(t, e.Endpoint(), fmt.Sprint(round))
		eventually(t, func() error {
			if _, now := recorded(t, dir); now == pid {
				return errors.New("engine.json still names the dead engine")
			}
			return nil
		})
	}
	testkit.Must(t, e.Close())
	testkit.Check(t, strings.Contains(log.String(), "level=ERROR") && strings.Contains(log.String(), "signal: killed"), "the restarts are not in the log:\n%s", log.String())
	testkit.Check(t, strings.Contains(log.String(), "Dynoxide listening"), "the engine's output is not in the log:\n%s", log.String())
}

func TestCloseKillsAnEngineThatHangs(t *testing.T) {
	t.Parallel()
	need(t)
	dir := t.TempDir()
	e := testkit.Value(engine.Open(t.Context(), engine.Options{DataDir: dir}))(t)
	_, pid := recorded(t, dir)
	testkit.Must(t, syscall.Kill(pid, syscall.SIGSTOP))
	testkit.Fails(t, e.Close(), "killed")
	testkit.Must(t, ended(pid))
}

func TestEngineHasItsOwnProcessGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	_, pid := recorded(t, dir)
	group, err := syscall.Getpgid(pid)
	testkit.Need(t, err == nil && group == pid, "process group of the engine %d: %d, %v", pid, group, err)
}

// ended returns nil when the process is gone, or dead and waiting for its new parent.
func ended(pid int) error {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, state, _ := strings.Cut(string(stat), ") ") // after the name in parentheses
	if strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X") {
		return nil
	}
	return fmt.Errorf("process %d runs: %s", pid, stat)
}
