package azurite

import "syscall"

// ownGroup shields the child from Ctrl-C of the terminal, because the child is stopped gracefully. It also asks the
// kernel to kill the child if this process dies first.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
