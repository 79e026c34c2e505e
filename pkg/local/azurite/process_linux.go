package azurite

import "syscall"

// ownGroup shields the child from Ctrl-C of the terminal, because it is stopped gracefully, and asks the kernel to
// kill it if this process dies first.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
