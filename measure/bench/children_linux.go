package main

import (
	"syscall"
	"time"
)

// childrenKiB returns the largest resident memory that an ended child of this process had. The measurement includes
// the moment between fork and exec, when a child is as large as this process. See getrusage(2).
func childrenKiB() int {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) // Unreachable: both arguments are valid
	return int(u.Maxrss)
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // Unreachable: as above
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// threadTime returns the processor time that this thread has used.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	_ = syscall.Getrusage(thread, &u) // Unreachable: as above
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
