//go:build !unix || aix || solaris

package engine

import (
	"errors"
	"os"
)

func tryLock(string) (*os.File, error) {
	return nil, errors.New("the embedded engine needs a system with flock, such as Linux or macOS: use --engine dynamodb with the endpoint of a DynamoDB instead")
}
