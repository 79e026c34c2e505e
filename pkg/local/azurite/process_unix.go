//go:build unix && !linux

package azurite

import "syscall"

// ownGroup shields the child from Ctrl-C of the terminal, because it is stopped gracefully.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
