//go:build !unix || aix || solaris

package engine

import (
	"errors"
	"os"
)

func lockFile(*os.File) (held bool, err error) {
	return false, errors.New("the embedded engine needs a system with flock, such as Linux or macOS: use the endpoint of a DynamoDB instead")
}
