//go:build !linux

package main

import "time"

var began = time.Now()

// processorTime is the elapsed time, on systems without a better measure here.
func processorTime() time.Duration { return time.Since(began) }
