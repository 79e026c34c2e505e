// Package clock measures the time of a baseline's phase, and prints it for measure/bench.
package clock

import (
	"fmt"
	"syscall"
	"time"
)

// Started is the start of a phase.
type Started struct {
	at  time.Time
	cpu time.Duration
}

func Now() Started { return Started{time.Now(), processor()} }

// Tell prints the number of pages of a phase, its duration and its processor time, both in seconds.
func (s Started) Tell(phase string, pages int) {
	fmt.Printf("%s: %d pages, %f s, %f s of processor\n", phase, pages, time.Since(s.at).Seconds(),
		(processor() - s.cpu).Seconds())
}

func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for other arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
