//go:build !linux

package keeper

import (
	"context"
	"errors"
	"net"
)

func keep([]string) int { return Denied }

// Dial fails: only Linux has networks of one's own.
func Dial(context.Context, string) (net.Conn, int, error) {
	return nil, 0, errors.ErrUnsupported
}
