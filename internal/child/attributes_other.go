//go:build !unix

package child

import (
	"errors"
	"syscall"
)

func attributes(confined bool) (*syscall.SysProcAttr, error) {
	if confined {
		return nil, errors.ErrUnsupported
	}
	return nil, nil
}
