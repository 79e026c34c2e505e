// Package clock times a phase of a baseline, and prints what cmd/bench reads.
package clock

import (
	"fmt"
	"syscall"
	"time"
)

// Started is when a phase began.
type Started struct {
	at  time.Time
	cpu time.Duration
}

func Now() Started { return Started{time.Now(), processor()} }

// Tell prints how many pages a phase has done, in how many seconds, and with how many of the processor.
func (s Started) Tell(phase string, pages int) {
	fmt.Printf("%s: %d pages, %f s, %f s of processor\n", phase, pages, time.Since(s.at).Seconds(),
		(processor() - s.cpu).Seconds())
}

func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for other arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
