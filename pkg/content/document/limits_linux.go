package document

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// limitProcess bounds this process before it sees a document. A limit that cannot be set leaves
// the others, and the parent's watch.
func limitProcess(memory uint64) {
	const file = 64 << 20 // bytes: the compiled PDF reader has 20 MB
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_AS:    addressSpace() + memory,
		syscall.RLIMIT_FSIZE: file,
		syscall.RLIMIT_CORE:  0,
	} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most})
	}
}

// limitTime bounds the processor time of the next document: the parent may be gone and not watch.
func limitTime() {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // Unreachable: both are valid
	used := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	all := uint64(maxDocuments * maxTime / time.Second)
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: uint64((used + maxTime) / time.Second), Max: all})
}

// addressSpace is what this process has already. The Go runtime reserves more than a gigabyte, by
// version and by program, without using it. See proc_pid_statm(5).
func addressSpace() uint64 {
	const assumed = 1536 << 20
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return assumed
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return assumed
	}
	return pages * uint64(os.Getpagesize())
}
