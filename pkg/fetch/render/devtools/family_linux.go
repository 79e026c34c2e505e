package devtools

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes a process the leader of a group, which is killed with this process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// parents returns the parent of each process.
func parents() map[int]int {
	out := map[int]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
		if fields := strings.Fields(string(after)); len(fields) > 1 {
			out[pid], _ = strconv.Atoi(fields[1])
		}
	}
	return out
}

// family returns the descendants of a process.
func family(root int) (out []int) {
	parent := parents()
	for pid := range parent {
		for at, steps := pid, 0; at > 1 && steps < 20; at, steps = parent[at], steps+1 {
			if parent[at] == root {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}

// reap waits for a process that became a child of this one when its parent ended, as it does in the first process of
// a container.
func reap(pid int) {
	var status unix.WaitStatus
	_, _ = unix.Wait4(pid, &status, unix.WNOHANG, nil)
}
