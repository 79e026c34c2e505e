//go:build !linux

package main

import "time"

var began = time.Now()

// processorTime is the time that has passed, where the system is not asked for better.
func processorTime() time.Duration { return time.Since(began) }
