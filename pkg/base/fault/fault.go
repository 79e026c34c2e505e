// Package fault names the few kinds of failure that callers act upon, so that every decision
// about retrying, recording or answering is made on a kind and never on a text.
//
// An error without a kind is [Internal]: a bug or something unforeseen. The host retries it and moves its
// message to the poison queue in the end. The table that turns a kind into the host's answer is in package
// handlers.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what a caller should do about an error. Kinds are stored in rows and metrics as
// text, so adding one never renumbers another.
type Kind string

const (
	// Internal is the kind of an error that carries none.
	Internal Kind = "internal"
	// Invalid means the input can never work as given; the message says which field and why.
	Invalid Kind = "invalid"
	// NotFound means the named thing does not exist.
	NotFound Kind = "not_found"
	// Conflict means somebody else changed or created the thing first. Reload and decide again.
	Conflict Kind = "conflict"
	// Expired means that what was asked for was there and is not kept any more.
	Expired Kind = "expired"
	// Blocked means a rule forbids it: the address guard, robots.txt, a disabled feature.
	Blocked Kind = "blocked"
	// TooLarge means a bound on bytes, depth or count was reached.
	TooLarge Kind = "too_large"
	// Unavailable means a dependency did not answer. Whether the operation took effect is
	// unknown; repeating it must be safe.
	Unavailable Kind = "unavailable"
	// Throttled means a dependency or site asked for a pause; see [RetryAfter].
	Throttled Kind = "throttled"
)

// Error is an error with a kind and, where one field of an input is at fault, its name.
type Error struct {
	Kind  Kind
	Field string        // input field at fault, or empty
	After time.Duration // how long to wait before trying again, or zero
	err   error
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.err }

// New makes an error of kind k. The format follows fmt.Errorf, %w included.
func New(k Kind, format string, args ...any) error {
	return &Error{Kind: k, err: fmt.Errorf(format, args...)}
}

// Field makes an [Invalid] error that blames one input field.
func Field(name, format string, args ...any) error {
	return &Error{Kind: Invalid, Field: name, err: fmt.Errorf(format, args...)}
}

// After makes a [Throttled] error that asks for a pause of d.
func After(d time.Duration, format string, args ...any) error {
	return &Error{Kind: Throttled, After: d, err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of the outermost kinded error in err's chain, [Internal] when there is
// none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of kind k.
func Is(err error, k Kind) bool { return KindOf(err) == k }

// Lost reports whether a write did nothing because another writer was quicker: it changed, created or deleted the
// row first.
func Lost(err error) bool { return Is(err, Conflict) || Is(err, NotFound) }

// Refused reports whether the input itself is at fault, so that trying again is of no use.
func Refused(err error) bool { return Is(err, Invalid) || Is(err, TooLarge) }

// Down reports whether a dependency does not answer now, or asks for a pause, so that trying later may work.
func Down(err error) bool { return Is(err, Unavailable) || Is(err, Throttled) }

// FieldOf returns the input field that err blames, or "".
func FieldOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Field
	}
	return ""
}

// RetryAfter returns the pause that err asks for, or zero.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.After
	}
	return 0
}

// Wrap puts the operation before *err and keeps its kind. It is meant for a defer, once per
// layer: defer fault.Wrap(&err, "registry.Claim(%s)", id).
func Wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}
