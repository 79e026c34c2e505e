//go:build !linux

package doctor

import "errors"

var errOnlyLinux = errors.New("only on Linux")

func roomOf(string) (diskRoom, error) { return diskRoom{}, errOnlyLinux }

func openLimit() (uint64, error) { return 0, errOnlyLinux }
