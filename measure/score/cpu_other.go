//go:build !linux

package main

import "time"

var began = time.Now()

// processorTime returns the elapsed time, because these systems offer no better measure here.
func processorTime() time.Duration { return time.Since(began) }
