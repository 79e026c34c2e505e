//go:build unix

package file

import "syscall"

// noWait opens pipes without their writer.
const noWait = syscall.O_NONBLOCK
