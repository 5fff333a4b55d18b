//go:build linux

package siege

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"product-comments/internal/command"
	"product-comments/internal/testing/testkit"
)

// memory is what the attacked servers may take: --memory.
const memory = 256 << 20

// server is `product-comments serve` in a separate process.
type server struct {
	cmd     *exec.Cmd
	url     string // of the API, without a slash at the end
	admin   string // of the operators' address, likewise
	dataDir string
	log     *testkit.Buffer
	end     chan struct{} // closed when the process has ended

	usual time.Duration // that the README's query takes when nothing else happens, the median
}

// start starts a server with flags on an empty data directory. It is stopped by
// stop.
func start(folder string, flags ...string) (*server, error) {
	s := &server{dataDir: filepath.Join(folder, "data")}
	s.cmd = exec.Command(program, append([]string{"serve", "--addr=127.0.0.1:0", "--data-dir=" + s.dataDir}, flags...)...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also when a test panics
	s.cmd.Env, s.cmd.Dir = environment(), folder
	serving, err := testkit.Serve(s.cmd)
	if err != nil {
		return nil, err
	}
	s.url, s.admin, s.log, s.end = serving.URL, serving.Admin, serving.Log, serving.End
	return s, nil
}

// kill ends the process.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.end
}

// interrupt asks the process to end.
func (s *server) interrupt() { _ = s.cmd.Process.Signal(syscall.SIGTERM) }

// environment is ours without what would configure the program, with the limit of its
// memory and a free port for operators.
// They are variables and not flags, so that versions can be attacked that do not
// have them.
func environment() []string {
	env := []string{fmt.Sprintf("MEMORY=%dB", memory), "ADMIN_ADDR=127.0.0.1:0"}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR":
			env = append(env, v)
		}
	}
	return env
}

// begin starts a server of the test's own, with the short comments of every server
// here.
func begin(t *testing.T, flags ...string) *server {
	t.Helper()
	s := testkit.Value(start(t.TempDir(), flags...))(t)
	t.Cleanup(func() { s.kill(); s.tell(t) })
	testkit.Must(t, s.fill(0, 300*time.Millisecond))
	return s
}

// tell shows what a server logged, if the test failed.
func (s *server) tell(t *testing.T) {
	if !t.Failed() {
		return
	}
	lines := strings.Split(s.log.String(), "\n")
	lines = lines[max(0, len(lines)-6):]
	for i := range lines {
		lines[i] = lines[i][:min(len(lines[i]), 300)]
	}
	t.Logf("the end of the log:\n%s", strings.Join(lines, "\n"))
}

// shared is the server of the tests that do not change it.
var shared onlyServer

type onlyServer struct {
	once   sync.Once
	folder string
	s      *server
	err    error
}

// attacked returns the shared server.
func attacked(t *testing.T) *server {
	t.Helper()
	shared.once.Do(func() {
		if shared.folder, shared.err = os.MkdirTemp("", "product-comments-siege-"); shared.err != nil {
			return
		}
		if shared.s, shared.err = start(shared.folder); shared.err == nil {
			if long || testkit.All(t) {
				shared.err = shared.s.fill(longProducts, time.Second)
			} else {
				shared.err = shared.s.fill(0, 300*time.Millisecond)
			}
		}
	})
	testkit.Need(t, shared.err == nil, "%v", shared.err)
	t.Cleanup(func() { shared.s.tell(t) })
	select {
	case <-shared.s.end:
		t.Fatal("an attack has ended the server")
	default:
	}
	return shared.s
}

func (o *onlyServer) stop() {
	if o.s != nil {
		o.s.kill()
	}
	if o.folder != "" {
		os.RemoveAll(o.folder)
	}
}

// command runs another command of the program on the server's data.
func (s *server) command(stdin []byte, arguments ...string) (string, error) {
	c := exec.Command(program, append(arguments, "--data-dir="+s.dataDir)...)
	var out, errs bytes.Buffer
	c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr = environment(), filepath.Dir(s.dataDir), bytes.NewReader(stdin), &out, &errs
	if err := c.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("%v: %s", arguments, errs.String()), err)
	}
	return out.String(), nil
}

// program is the binary that is attacked.
var program string

// long says that there is time for the heavy forms.
var long = os.Getenv("SIEGE") == "long"

func TestMain(m *testing.M) {
	os.Exit(func() int {
		defer shared.stop()
		if program = os.Getenv("SIEGE_PROGRAM"); program != "" {
			return m.Run()
		}
		return testkit.RunWithProgram(m, &program, command.Main)
	}())
}

// costly skips an attack that takes long, unless long ones run.
func costly(t *testing.T, why string) {
	t.Helper()
	if !long {
		testkit.Long(t, why)
	}
}

// short returns one of two lengths of an attack.
func short(usual, whenLong time.Duration) time.Duration {
	if long {
		return whenLong
	}
	return usual
}
