package funchost

import "syscall"

// ownGroup puts the handler into a process group of its own, so that Ctrl-C reaches only the host,
// and has the kernel kill it should the host die without notice.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
