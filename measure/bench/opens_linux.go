package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// opens counts the files of a folder that any process opens, by the kernel's notices (inotify).
type opens struct {
	notices *os.File
	mu      sync.Mutex
	n       int
	names   map[string]bool
	lost    bool
}

// watchOpens begins to count.
func watchOpens(dir string) (*opens, error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	o := &opens{notices: os.NewFile(uintptr(fd), "inotify"), names: map[string]bool{}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, err = syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN)
		return err
	})
	if err != nil {
		o.close()
		return nil, err
	}
	go o.read()
	return o, nil
}

// read counts until the notices are closed.
func (o *opens) read() {
	b := make([]byte, 1<<20)
	for {
		n, err := o.notices.Read(b)
		if err != nil {
			return
		}
		o.mu.Lock()
		for rest := b[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			mask, size := binary.NativeEndian.Uint32(rest[4:]), int(binary.NativeEndian.Uint32(rest[12:]))
			name := rest[syscall.SizeofInotifyEvent:][:size]
			rest = rest[syscall.SizeofInotifyEvent+size:]
			o.lost = o.lost || mask&syscall.IN_Q_OVERFLOW != 0
			if mask&syscall.IN_OPEN != 0 && mask&syscall.IN_ISDIR == 0 {
				o.n++
				o.names[string(bytes.TrimRight(name, "\x00"))] = true
			}
		}
		o.mu.Unlock()
	}
}

func (o *opens) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n, o.names, o.lost = 0, map[string]bool{}, false
}

// text tells how often files were opened since the reset, and how many different ones.
func (o *opens) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost {
		return "more than were counted"
	}
	return fmt.Sprintf("%d, of %d files", o.n, len(o.names))
}

func (o *opens) close() { _ = o.notices.Close() }

// forgetPeak makes the largest resident memory of a process, VmHWM, the present one. See proc_pid_clear_refs(5).
func forgetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}
