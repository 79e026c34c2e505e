package azurite

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// ownGroup shields the child from Ctrl-C of the terminal.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate kills the process, because Windows has no termination signal for a process without a console.
func terminate(p *os.Process) { _ = p.Kill() }

// lock creates a file, which must not exist yet. If the process that holds the lock dies, the file remains, and the
// error of later calls says which file to remove.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			f.Close()
			return func() { os.Remove(path) }, nil
		}
		if !os.IsExist(err) {
			return nil, err
		}
		if err := defaults.Pause(ctx, 100*time.Millisecond); err != nil {
			return nil, fault.New(fault.Unavailable, "another process is installing, or died and left %s: %w", path, err)
		}
	}
}
