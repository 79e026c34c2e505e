//go:build !linux

package app

import (
	"context"
	"errors"
)

// awaitEnd returns an error: this system does not tell when a process ends that is no child.
func awaitEnd(context.Context, int) error { return errors.ErrUnsupported }
