package devtools

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Memory returns the memory of the processes that show pages, in bytes, and of the largest of them.
func (p *Process) Memory() (total, largest int64) {
	total, largest, _ = memoryOf(family(p.cmd.Process.Pid))
	return total, largest
}

// KillLargest ends the largest of the processes that show pages.
func (p *Process) KillLargest() {
	if _, size, pid := memoryOf(family(p.cmd.Process.Pid)); size > 0 {
		kill(pid)
	}
}

// memoryOf returns the memory of the processes among these that show pages, and the one with the most.
func memoryOf(pids []int) (total, largest int64, pid int) {
	for _, p := range pids {
		args, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/cmdline")
		if err != nil || !bytes.Contains(args, []byte("--type=renderer")) {
			continue
		}
		if size := privateBytes(p); size > 0 {
			if total += size; size > largest {
				largest, pid = size, p
			}
		}
	}
	return total, largest, pid
}

// privateBytes returns the memory of a process that it shares with no other one.
func privateBytes(pid int) int64 {
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(statm))
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(fields[1], 10, 64)
	shared, _ := strconv.ParseInt(fields[2], 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}
