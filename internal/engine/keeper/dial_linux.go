package keeper

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Dial asks the keeper whose socket is in the folder for a connection to its
// engine, and returns the engine's process id too. It fails when there is no
// keeper, when the engine does not listen (yet), and when ctx ends.
func Dial(ctx context.Context, folder string) (net.Conn, int, error) {
	path, done, err := short(folder)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, handOverWithin)
	defer cancel()
	var dialer net.Dialer
	asked, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, 0, err
	}
	defer asked.Close()
	stop := context.AfterFunc(ctx, func() { _ = asked.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	pid, rights := make([]byte, 4), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := asked.(*net.UnixConn).ReadMsgUnix(pid, rights)
	if err != nil || n < len(pid) {
		return nil, 0, fmt.Errorf("the engine takes no connection: %w", errors.Join(err, ctx.Err()))
	}
	conn, err := received(rights[:m])
	return conn, int(binary.BigEndian.Uint32(pid)), err
}

// received makes a connection of the descriptor in a message.
func received(message []byte) (net.Conn, error) {
	messages, err := unix.ParseSocketControlMessage(message)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		descriptors, err := unix.ParseUnixRights(&m)
		if err != nil || len(descriptors) != 1 {
			continue
		}
		file := os.NewFile(uintptr(descriptors[0]), "engine")
		defer file.Close()
		return net.FileConn(file)
	}
	return nil, errors.New("the engine's keeper sent no connection")
}
