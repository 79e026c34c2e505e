//go:build unix

package folder

import "golang.org/x/sys/unix"

// makePrivate gives the files that this process and its children create to their owner alone, however the program was
// started.
func makePrivate() { unix.Umask(0o077) }
