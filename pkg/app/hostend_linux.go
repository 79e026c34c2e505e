package app

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// awaitEnd returns nil when a process has ended. Until then it costs nothing. It returns an error if ctx ends, or where
// the kernel (before 5.10) or a sandbox does not tell.
func awaitEnd(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "host")
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })()
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var bad error
	err = conn.Read(func(fd uintptr) (ended bool) {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != nil && !errors.Is(err, unix.EINTR) {
			bad = err
		}
		return n > 0 || bad != nil
	})
	return errors.Join(err, bad)
}
