package funchost

import "syscall"

// ownGroup puts the handler into a process group of its own, so that Ctrl-C reaches only the host. It also asks the
// kernel to kill the handler if the host dies without notice.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
