package local

import "golang.org/x/sys/unix"

// openLimit returns how many files this process may have open.
func openLimit() (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
	return r.Cur, err
}
