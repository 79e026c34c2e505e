//go:build unix

package devtools

import (
	"os"
	"syscall"
)

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
