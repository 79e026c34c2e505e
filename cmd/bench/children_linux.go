package main

import (
	"syscall"
	"time"
)

// childrenKiB is the most resident memory that a child of this process had which has ended. A
// child is counted from before it becomes another program, when it is as large as this process.
// See getrusage(2).
func childrenKiB() int {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) // Unreachable: both are valid
	return int(u.Maxrss)
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // Unreachable: as above
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
