package azurite

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pause"
)

// ownGroup keeps the terminal's Ctrl-C from the child.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate kills: Windows has no signal that a process without a console would hear.
func terminate(p *os.Process) { _ = p.Kill() }

// lock makes a file that must not be there. A holder that died leaves it, and the error says
// which file to remove.
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
		if err := pause.For(ctx, 100*time.Millisecond); err != nil {
			return nil, fault.New(fault.Unavailable, "another process is installing, or died and left %s: %w", path, err)
		}
	}
}
