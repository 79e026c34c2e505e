//go:build unix

package file

import "syscall"

// noWait makes opening a pipe return without waiting for its writer.
const noWait = syscall.O_NONBLOCK
