package document

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// limitProcess bounds this process before it sees the document. A limit that cannot be set leaves
// the others, and the parent's watch.
func limitProcess(memory uint64) {
	const file = 64 << 20 // bytes: the compiled PDF reader has 20 MB
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_AS:    addressSpace() + memory,
		syscall.RLIMIT_CPU:   uint64(maxTime / time.Second), // the parent may be gone and not watch
		syscall.RLIMIT_FSIZE: file,
		syscall.RLIMIT_CORE:  0,
	} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most})
	}
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
