//go:build unix && !linux

package azurite

import "syscall"

// ownGroup keeps the terminal's Ctrl-C from the child, which is stopped in order.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
