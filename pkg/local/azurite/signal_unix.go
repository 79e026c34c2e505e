//go:build unix

package azurite

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pause"
)

// terminate asks the process to end; one that has ended needs no asking.
func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// lock takes an exclusive lock on a file, which the kernel gives back when its holder dies. It
// looks again rather than blocks, so that ctx may end the wait.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		if err := pause.For(ctx, 100*time.Millisecond); err != nil {
			f.Close()
			return nil, fault.New(fault.Unavailable, "another process is installing: %w", err)
		}
	}
	return func() { f.Close() }, nil
}
