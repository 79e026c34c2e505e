package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
)

// quiet is the time after which idle memory is read. By then what a process gives back when it is idle is back.
const quiet = 30 * time.Second

// idleMemory measures the memory of the handler and of its host when nothing has happened for a while: after a start,
// and after a first crawl.
func (b *bench) idleMemory() error {
	const pages = 2000
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	section(fmt.Sprintf("Idle memory, MiB, %s after the last work", quiet), "after", "process", "resident",
		"of it anonymous", "of it files", "most resident")
	p, err := b.startProduct("embedded")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if err := p.idleRows("a start"); err != nil {
		return err
	}
	if err := p.add(s.urls(1, pages)); err != nil {
		return err
	}
	if err := errors.Join(p.answered(&s.served, pages), p.until(idle)); err != nil {
		return err
	}
	return p.idleRows(fmt.Sprintf("a first crawl of %d pages", pages))
}

// idleRows waits, and prints the memory of the processes.
func (p *product) idleRows(after string) error {
	if err := defaults.Pause(p.b.ctx, quiet); err != nil {
		return err
	}
	for _, pid := range append(children(p.cmd.Process.Pid), p.cmd.Process.Pid) {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // the name is only shown
		cells := []any{after, filepath.Base(name)}
		for _, which := range []string{"VmRSS", "RssAnon", "RssFile", "VmHWM"} {
			kib, err := memoryKiB(pid, which)
			if err != nil {
				return err
			}
			cells = append(cells, kib/1024)
		}
		row(cells...)
	}
	return nil
}
