package folder

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Exchange exchanges the folders fresh and used in one step.
func Exchange(fresh, used string) error {
	err := unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, used, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, fs.ErrNotExist) {
		return exchangeByHand(fresh, used)
	}
	return err
}
