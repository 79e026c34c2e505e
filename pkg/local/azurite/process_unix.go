//go:build unix && !linux

package azurite

import "syscall"

// ownGroup shields the child from Ctrl-C of the terminal, because the child is stopped gracefully.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
