//go:build !linux

package main

import "time"

// childrenKiB is never called: the benchmark needs /proc before this point.
func childrenKiB() int { return 0 }

var began = time.Now()

// processorTime returns the elapsed time, which is longer than the processor time.
func processorTime() time.Duration { return time.Since(began) }

// threadTime is the wall clock on systems where threads have none.
func threadTime() time.Duration { return sinceStart() }
