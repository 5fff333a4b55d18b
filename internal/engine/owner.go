package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/child"
	"product-comments/internal/file"
)

// Bounds of starting, and of starting again.
const (
	keepAddressFor = time.Second     // a new owner waits for the last one's address
	takeOverWithin = 5 * time.Second // a follower waits for the address that it must have
	firstPause     = 20 * time.Millisecond
	longestPause   = 5 * time.Second
	steadyAfter    = 10 * time.Second // a child that lived this long starts over with firstPause
)

// run owns everything that an open Engine does in the background. It ends when
// ctx does, and leaves nothing behind.
func (e *Engine) run(ctx context.Context, held *os.File, process *child.Process) {
	defer close(e.done)
	if held == nil {
		if held = e.awaitLock(ctx); held == nil {
			return
		}
		e.log.Info("the process that owned the engine has ended: this one restarts it", "endpoint", e.Endpoint())
		e.endOrphan(ctx, readRecord(e.dir).PID)
	}
	stopped := e.supervise(ctx, process)
	// The lock goes last: the next owner finds no child.
	e.err = errors.Join(stopped, record{Address: e.address}.write(e.dir), held.Close())
}

// awaitLock polls for the lock, since a blocking flock cannot be cancelled. It
// returns nil when ctx ends first.
func (e *Engine) awaitLock(ctx context.Context) *os.File {
	for {
		if wait(ctx, pollEvery); ctx.Err() != nil {
			return nil
		}
		held, err := tryLock(e.dir)
		if err != nil {
			e.log.Error("cannot check whether the process that owns the engine has ended", "error", err, "pause", longestPause)
			wait(ctx, longestPause)
		} else if held != nil {
			return held
		}
	}
}

// supervise keeps a child running at our address until ctx ends, then stops it.
// A nil process is started first. Only its end makes it start another.
func (e *Engine) supervise(ctx context.Context, process *child.Process) error {
	for pause := firstPause; ; {
		started := time.Now()
		var err error
		if process == nil {
			e.awaitFree(ctx, takeOverWithin) // if it is not, the child says so
			process, err = e.start(ctx)
		}
		if process != nil {
			select {
			case <-ctx.Done():
				return process.Stop()
			case <-process.Done():
				err, process = process.Err(), nil
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(started) > steadyAfter {
			pause = firstPause
		}
		e.log.Error("the engine is down and will be restarted", "endpoint", e.Endpoint(), "pause", pause, "error", err)
		wait(ctx, pause)
		pause = min(2*pause, longestPause)
	}
}

// startFirst starts the child of a new owner: at the last owner's address if it is
// free, so that its followers go on, else at another one.
func (e *Engine) startFirst(ctx context.Context) (*child.Process, error) {
	last := readRecord(e.dir)
	e.endOrphan(ctx, last.PID)
	last.PID = 0 // followers must not believe it: another server may have the address
	if err := last.write(e.dir); err != nil {
		return nil, err
	}
	e.address = last.Address
	if e.address == "" || !e.awaitFree(ctx, keepAddressFor) {
		port, err := child.FreePort()
		if err != nil {
			return nil, err
		}
		e.address = net.JoinHostPort(e.server.host(), strconv.Itoa(port))
	}
	return e.start(ctx)
}

// start runs the child at our address and tells followers.
func (e *Engine) start(ctx context.Context) (*child.Process, error) {
	if err := e.server.prepare(); err != nil {
		return nil, fmt.Errorf("begin the engine's file: %w", err)
	}
	host, port, err := net.SplitHostPort(e.address)
	if err != nil {
		return nil, err
	}
	process, err := child.Start(ctx, child.Options{
		Path:   e.server.path,
		Args:   slices.Concat(e.server.data, e.server.listen(host, port)),
		Ready:  func(ctx context.Context) error { return Ping(ctx, e.Endpoint()) },
		Logger: e.log,
	})
	if err != nil {
		return nil, err
	}
	if err := (record{e.address, process.PID()}).write(e.dir); err != nil {
		return nil, errors.Join(err, process.Stop())
	}
	return process, nil
}

// awaitFree waits until our address is free: a killed owner's child may still be
// ending.
func (e *Engine) awaitFree(ctx context.Context, atMost time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for !child.Free(e.address) {
		if wait(ctx, 10*time.Millisecond); ctx.Err() != nil {
			return false
		}
	}
	return true
}

// endOrphan kills the engine of an owner that was killed. Linux ends it with its
// owner; elsewhere it continues, and has the address and the data. The process must
// name our data in its arguments: the number may be another program's by now.
func (e *Engine) endOrphan(ctx context.Context, pid int) {
	if pid == 0 {
		return
	}
	arguments, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !strings.Contains(string(arguments), strings.Join(e.server.data, " ")) {
		return
	}
	if orphan, err := os.FindProcess(pid); err == nil && orphan.Kill() == nil {
		e.log.Info("stopped the engine of a process that was killed", "pid", pid)
	}
}

// loopback returns an address of this machine that no web page can guess, where
// the system has more than one: a page would have to try some 10¹¹ places.
func loopback() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

// record is what engine.json tells followers and the next owner.
type record struct {
	Address string `json:"address"`       // where the engine listens, or listened last
	PID     int    `json:"pid,omitempty"` // of the child; 0 if none runs
}

// readRecord returns the zero record if there is none that can be read.
func readRecord(dir string) record {
	content, err := os.ReadFile(filepath.Join(dir, "engine.json"))
	var r record
	if err != nil || json.Unmarshal(content, &r) != nil {
		return record{}
	}
	return r
}

func (r record) write(dir string) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return file.Replace(filepath.Join(dir, "engine.json"), append(content, '\n'))
}

// pinger opens a connection for each ping and uses no proxy: it asks whether
// the server accepts connections, and servers come and go.
var pinger = &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// Ping returns nil when a server with DynamoDB's API answers at the endpoint,
// such as http://127.0.0.1:8000. It asks for the list of tables once, and waits
// a second at most.
func Ping(ctx context.Context, endpoint string) error {
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, HTTPClient: pinger, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	out, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	if err == nil && out.TableNames == nil {
		err = fmt.Errorf("%s does not answer like DynamoDB", endpoint)
	}
	return err
}
