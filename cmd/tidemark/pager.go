package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// paged has what do prints go through the pager that PAGER names, where people read it on a terminal: less, which ends
// by itself when all fits, if it is not set, and none if it is cat.
func (p *program) paged(ctx context.Context, do func() error) error {
	pager := strings.Fields(p.setting("PAGER", "less -FRX"))
	if !p.screen.terminal || p.json || pager[0] == "cat" {
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
	out := p.out
	p.out = in
	err = do()
	p.out = out
	_ = in.Close()
	if errors.Is(err, syscall.EPIPE) {
		err = nil // the reader has seen enough
	}
	return errors.Join(err, cmd.Wait())
}
