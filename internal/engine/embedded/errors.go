package embedded

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// fileError is an error of the file, in contrast to an error of DynamoDB.
type fileError struct{ err error }

func (e *fileError) Error() string { return e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// ofFile marks an error of the file; nil stays nil.
func ofFile(err error) error {
	if err == nil {
		return nil
	}
	return &fileError{err}
}

// codeOf returns SQLite's primary result code; 0 if the error is not SQLite's.
func codeOf(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// answer converts the error of a call to the error that DynamoDB's client would return. An error of
// DynamoDB stays as it is, a busy file becomes a throttling error, and any other error of the file
// becomes the error of a broken connection, with advice.
func (e *Engine) answer(operation string, err error) error {
	var api smithy.APIError
	switch {
	case err == nil, errors.As(err, &api), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case codeOf(err) == sqlite3.SQLITE_BUSY, codeOf(err) == sqlite3.SQLITE_LOCKED:
		return &types.ProvisionedThroughputExceededException{Message: aws.String("another process is writing: " + err.Error())}
	}
	return &smithy.OperationError{ServiceID: "DynamoDB", OperationName: operation, Err: explain(e.file, err)}
}

// explain adds advice to an error of the file.
func explain(file string, err error) error {
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk that has %s is full: free some space on it: %w", file, err)
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return damaged(file, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s cannot be opened for writing: give this user write permission for the file "+
			"and its directory, or name another directory with --data-dir: %w", file, err)
	}
	if errors.Is(err, errDamaged) {
		return damaged(file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

func damaged(file string, err error) error {
	return fmt.Errorf("%s is damaged: restore a backup of the data directory, or name another one with --data-dir "+
		"and import the comments again: %w", file, err)
}
