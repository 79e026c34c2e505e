// Package fault defines the few kinds of failure that callers act upon. Every decision about retrying, recording or
// answering depends on a kind and never on the text of an error.
//
// An error without a kind is [Internal]: a bug or an unforeseen failure. The host retries the message and moves it to
// the poison queue after the last try. Package handlers has the table that maps each kind to the answer for the host.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Kind says what a caller should do about an error. Kinds are stored as text in rows and metrics, so adding a kind
// never renumbers another.
type Kind string

const (
	// Internal is the kind of an error that has no other kind.
	Internal Kind = "internal"
	// Invalid means that the input can never work as given. The message says which field is wrong and why.
	Invalid Kind = "invalid"
	// NotFound means that the named object does not exist.
	NotFound Kind = "not_found"
	// Conflict means that another writer changed or created the object first. Callers must reload it and decide
	// again.
	Conflict Kind = "conflict"
	// Expired means that the requested data existed once and is no longer kept.
	Expired Kind = "expired"
	// Blocked means that a rule forbids the operation: the address guard, robots.txt, a disabled feature.
	Blocked Kind = "blocked"
	// TooLarge means that a limit on bytes, depth or count was reached.
	TooLarge Kind = "too_large"
	// NoRoom means that there is no room on disk for what was asked for. The message says how much is needed.
	NoRoom Kind = "no_room"
	// Unavailable means that a dependency did not answer. It is unknown whether the operation took effect, so
	// repeating the operation must be safe.
	Unavailable Kind = "unavailable"
	// Throttled means that a dependency or site asked for a pause; see [RetryAfter].
	Throttled Kind = "throttled"
)

// Error is an error with a kind. When an input field is at fault, the error also names the field.
type Error struct {
	Kind  Kind
	Field string        // the input field at fault, or empty
	After time.Duration // how long to wait before the next try, or zero
	err   error
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// New returns an error of kind k. The format follows fmt.Errorf, including %w.
func New(k Kind, format string, args ...any) error {
	return &Error{Kind: k, err: fmt.Errorf(format, args...)}
}

// Field returns an [Invalid] error that names one input field.
func Field(name, format string, args ...any) error {
	return &Error{Kind: Invalid, Field: name, err: fmt.Errorf(format, args...)}
}

// After returns a [Throttled] error that asks for a pause of d.
func After(d time.Duration, format string, args ...any) error {
	return &Error{Kind: Throttled, After: d, err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of the outermost error in err's chain that has a kind. It returns [Internal] when no error
// in the chain has one, and "" when err is nil.
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

// Lost reports whether a write did nothing because another writer changed, created or deleted the row first.
func Lost(err error) bool { return Is(err, Conflict) || Is(err, NotFound) }

// Except returns err, or nil if it is of one of the given kinds.
func Except(err error, kinds ...Kind) error {
	if slices.Contains(kinds, KindOf(err)) {
		return nil
	}
	return err
}

// Refused reports whether the input itself is at fault, so that a retry cannot help.
func Refused(err error) bool { return Is(err, Invalid) || Is(err, TooLarge) }

// Down reports whether a dependency does not answer now or asks for a pause, so that a later retry may work.
func Down(err error) bool { return Is(err, Unavailable) || Is(err, Throttled) }

// FieldOf returns the input field that err names, or "".
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

// Wrap prefixes *err with the operation and keeps its kind. Use it in a defer, once per layer: defer fault.Wrap(&err,
// "registry.Claim(%s)", id).
func Wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}
