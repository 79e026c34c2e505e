//go:build unix

package azurite

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// terminate asks the process to end. It has no effect on a process that has already ended.
func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }

// lock acquires an exclusive lock on a file. The kernel releases the lock when its holder dies. The function polls
// instead of blocking, so that the end of ctx ends the wait.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		if err := defaults.Pause(ctx, 100*time.Millisecond); err != nil {
			f.Close()
			return nil, fault.New(fault.Unavailable, "another process is installing: %w", err)
		}
	}
	return func() { f.Close() }, nil
}
