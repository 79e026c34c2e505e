// Package health remembers what last went wrong with a dependency that is made of files, so that a
// health check can tell it, and tell when it is over.
package health

import (
	"errors"
	"sync"
	"time"
)

// Trouble is a failure that an operator has to deal with: a full disk, a folder that cannot be written,
// a damaged file. Its text says what to do and may be shown to anyone who asks for the app's health.
type Trouble struct{ err error }

func (t *Trouble) Error() string { return t.err.Error() }

// Unwrap gives the cause, which carries the kind.
func (t *Trouble) Unwrap() error { return t.err }

// Told is what an operator can be told of an error, and otherwise says what is said of errors that have
// nothing for them, which may name what strangers should not see.
func Told(err error, otherwise string) string {
	if t, ok := errors.AsType[*Trouble](err); ok {
		return t.Error()
	}
	return otherwise
}

// BetweenTries is how long a write that was tried for a health check stands for those that follow.
const BetweenTries = time.Second

// Memory is what is known of one dependency. The zero value is healthy. Its methods may be called
// concurrently.
type Memory struct {
	mu      sync.Mutex
	damaged *Trouble
	failed  *Trouble
	tried   time.Time
}

// Damaged remembers damage for as long as the program runs; the first is kept. It returns err as a
// [Trouble].
func (m *Memory) Damaged(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &Trouble{err}
	if m.damaged == nil {
		m.damaged = t
	}
	return t
}

// Damage is what [Memory.Damaged] was told first, or nil.
func (m *Memory) Damage() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.damaged == nil {
		return nil
	}
	return m.damaged
}

// Failed remembers a failure that can pass, until [Memory.Check] finds that it has. It returns err as a
// [Trouble].
func (m *Memory) Failed(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = &Trouble{err}
	return m.failed
}

// Check returns the trouble that there is. A failure that can pass is over when write succeeds, which
// is called only after such a failure, and no more often than every [BetweenTries], so that requests for the health
// cannot keep the disk busy. That other writes succeed says little, because on a full disk the smallest often do.
func (m *Memory) Check(now time.Time, write func() error) error {
	if err := m.Damage(); err != nil {
		return err
	}
	was := m.toTry(now)
	if was == nil {
		return m.failure()
	}
	err := write()
	m.mu.Lock()
	if err == nil && m.failed == was { // not another failure, of a concurrent write
		m.failed = nil
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return m.failure()
}

// toTry is the failure that may be over, unless that was tried just now.
func (m *Memory) toTry(now time.Time) *Trouble {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil || now.Sub(m.tried).Abs() < BetweenTries {
		return nil
	}
	m.tried = now
	return m.failed
}

func (m *Memory) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil {
		return nil
	}
	return m.failed
}
