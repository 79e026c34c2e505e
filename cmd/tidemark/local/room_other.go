//go:build !linux

package local

import "errors"

func openLimit() (uint64, error) { return 0, errors.New("only on Linux") }
