package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watch calls sample again and again until the returned function is called.
func watch(every time.Duration, sample func()) (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			sample()
			select {
			case <-end:
				return
			case <-time.After(every):
			}
		}
	}()
	return func() {
		close(end)
		<-done
	}
}

// anonymous has the largest amounts of anonymous memory seen, in KiB: of a handler alone, and of a handler together
// with the document readers that it starts.
type anonymous struct{ handler, together int }

// sample reads the memory of the processes that a process has started.
func (m *anonymous) sample(pid int) {
	for _, handler := range children(pid) {
		if name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", handler)); filepath.Base(name) != "handler" {
			continue
		}
		own, _ := memoryKiB(handler, "RssAnon") // returns 0 for a process that has ended
		all := own
		for _, reader := range children(handler) {
			n, _ := memoryKiB(reader, "RssAnon")
			all += n
		}
		m.handler, m.together = max(m.handler, own), max(m.together, all)
	}
}

// children lists the processes that the threads of a process have started. See proc_pid_task_tid_children(5).
func children(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range lists {
		text, _ := os.ReadFile(name) // empty for a process that has ended
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}
