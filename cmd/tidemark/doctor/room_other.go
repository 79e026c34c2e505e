//go:build !linux

package doctor

import "errors"

func openLimit() (uint64, error) { return 0, errors.New("only on Linux") }
