package terminal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Paged shows the output of do in the pager when a person reads it on a terminal. If the pager cannot be started, the
// output is printed directly.
func (t *Terminal) Paged(ctx context.Context, do func() error) error {
	pager := strings.Fields(t.Pager)
	if !t.Screen.Terminal || t.JSON || len(pager) == 0 || pager[0] == "cat" {
		return do()
	}
	path, err := exec.LookPath(pager[0])
	if err != nil {
		return do()
	}
	cmd := exec.CommandContext(ctx, path, pager[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return do()
	}
	out := t.Out
	t.Out = in
	err = do()
	t.Out = out
	_ = in.Close()
	if errors.Is(err, syscall.EPIPE) {
		err = nil // the user closed the pager before the end
	}
	return errors.Join(err, cmd.Wait())
}
