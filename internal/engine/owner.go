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

// Times of starting and restarting.
const (
	keepAddressFor = time.Second     // a new owner waits for the last owner's address
	takeOverWithin = 5 * time.Second // a follower waits for the address that it must keep
	firstPause     = 20 * time.Millisecond
	longestPause   = 5 * time.Second
	steadyAfter    = 10 * time.Second // a child that lived this long resets the pause to firstPause
)

// run does all background work of an open Engine until ctx ends, then stops the child.
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
	// Release the lock last, so that the next owner finds no child.
	e.err = errors.Join(stopped, record{Address: e.address}.write(e.dir), held.Close())
}

// awaitLock polls for the lock, because a blocking flock cannot be canceled. It returns nil if ctx
// ends first.
func (e *Engine) awaitLock(ctx context.Context) *os.File {
	for {
		if wait(ctx, pollEvery); ctx.Err() != nil {
			return nil
		}
		held, err := tryLock(e.dir)
		if err != nil {
			e.log.Error("cannot check whether the process that owns the engine has ended", "error", err,
				"pause", longestPause)
			wait(ctx, longestPause)
		} else if held != nil {
			return held
		}
	}
}

// supervise keeps a child running at the Engine's address until ctx ends, then stops it. A nil
// process is started first. It restarts the child only when the process has ended.
func (e *Engine) supervise(ctx context.Context, process *child.Process) error {
	for pause := firstPause; ; {
		started := time.Now()
		var err error
		if process == nil {
			e.awaitFree(ctx, takeOverWithin) // if it is not, starting the child reports that
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

// startFirst starts the child of a new owner: at the last owner's address if it is free, so that
// followers stay connected, else at another one.
func (e *Engine) startFirst(ctx context.Context) (*child.Process, error) {
	last := readRecord(e.dir)
	e.endOrphan(ctx, last.PID)
	last.PID = 0 // another server may have this address, so followers must not use it
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

// start runs the child at the Engine's address and writes the record for followers.
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

// awaitFree waits until the Engine's address is free, because the child of a killed owner may
// still be ending.
func (e *Engine) awaitFree(ctx context.Context, atMost time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for !child.IsFree(e.address) {
		if wait(ctx, 10*time.Millisecond); ctx.Err() != nil {
			return false
		}
	}
	return true
}

// endOrphan kills the engine of an owner that was killed. Linux kills it with its owner; on other
// systems it continues to hold the address and the data. The process must have the data's path in
// its arguments, because its id may have been reused.
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

// loopback returns a loopback address that web pages cannot guess, if the system has more than
// one: a page would have to try about 10¹¹ combinations of address and port.
func loopback() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
}

// record is the content of engine.json, for followers and the next owner.
type record struct {
	Address string `json:"address"`       // of the engine, running or last run
	PID     int    `json:"pid,omitempty"` // of the child; 0 if none runs
}

// readRecord returns the zero record if there is no valid one.
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

// pinger opens a connection for each ping and uses no proxy, because it checks whether the server
// accepts connections.
var pinger = &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// Ping returns nil if a server with DynamoDB's API answers at the endpoint, such as
// http://127.0.0.1:8000. It lists the tables once, and waits a second at most.
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
