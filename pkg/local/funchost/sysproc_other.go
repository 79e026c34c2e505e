//go:build !unix

package funchost

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { p.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
