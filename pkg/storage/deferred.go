package storage

import (
	"context"
	"time"
)

// MaxHeld limits the number of deferred writes that a store holds, and MaxHeldTime the time for which it holds one.
const (
	MaxHeld     = 64
	MaxHeldTime = 20 * time.Millisecond
)

type deferredKey struct{}

// Deferred returns a context whose writes are deferred: transactions of a table, and blobs that are put. All other
// calls wait as usual. Only code whose caller is sure to write once more, and to wait then, may use it.
func Deferred(ctx context.Context) context.Context {
	return context.WithValue(ctx, deferredKey{}, true)
}

// IsDeferred reports whether the writes of a context are deferred.
func IsDeferred(ctx context.Context) bool { return ctx.Value(deferredKey{}) != nil }
