package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
)

// quiet is the time after which idle memory is read. By then what a process gives back when it is idle is back.
const quiet = 30 * time.Second

// idle measures what an idle product takes.
func (b *bench) idle() error { return errors.Join(b.idleMemory(), b.idleWork()) }

// idleWork measures the processor time and the bytes written of a product with 100 pages of which none is due, and then
// how long a page waits that becomes due.
func (b *bench) idleWork() (err error) {
	const hosts, pages, standard = 10, 10, 15 * time.Minute
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	p, err := b.startProduct("embedded")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if err := p.add(s.urls(hosts, pages)); err != nil {
		return err
	}
	if err := errors.Join(p.answered(&s.served, hosts*pages), p.until(idle)); err != nil {
		return err
	}
	if err := defaults.Pause(b.ctx, 2*time.Minute); err != nil { // what follows a crawl is over
		return err
	}
	section(fmt.Sprintf("Idle work, %d pages, in %s, and by that in %s", hosts*pages, b.idleFor, standard), "process",
		"processor, s", "written, kB", "processor in 15 min, s", "written in 15 min, kB")
	before := p.used()
	if err := defaults.Pause(b.ctx, b.idleFor); err != nil {
		return err
	}
	var all use
	scale := standard.Seconds() / b.idleFor.Seconds()
	used := p.used()
	for _, name := range slices.Sorted(maps.Keys(used)) {
		u := use{used[name].cpu - before[name].cpu, used[name].kB - before[name].kB}
		row(name, u.cpu, u.kB, u.cpu*scale, u.kB*scale)
		all = use{all.cpu + u.cpu, all.kB + u.kB}
	}
	row("all", all.cpu, all.kB, all.cpu*scale, all.kB*scale)
	return p.promptness(s, hosts*pages)
}

// use is the processor time of a process in seconds, and how many thousand bytes it has had written.
type use struct{ cpu, kB float64 }

// used returns what each process of a product has used until now.
func (p *product) used() map[string]use {
	out := map[string]use{}
	for pid, stat := range family(p.cmd.Process.Pid) {
		number, _ := strconv.Atoi(pid)
		name := "handler" // of the same program as its host
		if number == p.cmd.Process.Pid {
			name = "host"
		}
		user, _ := strconv.Atoi(stat[12])
		system, _ := strconv.Atoi(stat[13])
		out[name] = use{out[name].cpu + float64(user+system)/100, out[name].kB + float64(writtenBytes(pid))/1000}
	}
	return out
}

// promptness measures how long pages wait that become due while the product is idle.
func (p *product) promptness(s *site, pages int64) error {
	began := time.Now()
	if err := makeDue(p.b.ctx, p.store); err != nil {
		return err
	}
	due := time.Now()
	if err := p.answered(&s.notMod, 1); err != nil {
		return err
	}
	first := time.Since(due)
	if err := p.answered(&s.notMod, pages); err != nil {
		return err
	}
	row(fmt.Sprintf("due at second %d of a minute: first and last page checked after s", began.Second()), first.Seconds(),
		time.Since(due).Seconds())
	return nil
}

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
