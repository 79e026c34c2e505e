package document

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// limitProcess limits the resources of this process before it reads a document. If one limit cannot be set, the other
// limits and the checks in the parent still apply.
func limitProcess(memory uint64) {
	const file = 64 << 20 // in bytes; the compiled PDF reader has 20 MB
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_AS:    addressSpace() + memory,
		syscall.RLIMIT_FSIZE: file,
		syscall.RLIMIT_CORE:  0,
	} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most})
	}
}

// limitTime limits the processor time of the next document, because the parent cannot stop the process if it is gone.
func limitTime() {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // Unreachable: both arguments are valid
	used := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	all := uint64(maxDocuments * maxTime / time.Second)
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: uint64((used + maxTime) / time.Second), Max: all})
}

// addressSpace returns the address space that this process already uses. The Go runtime reserves more than a
// gigabyte, depending on its version and the program, without using it. See proc_pid_statm(5).
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
