//go:build unix && !linux

package funchost

import "syscall"

// ownGroup puts the handler into a process group of its own, so that Ctrl-C reaches only the host.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
