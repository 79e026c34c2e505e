// Package health remembers the last failure of a dependency that stores its data in files. A health check can then
// report the failure and notice when it is over.
package health

import (
	"errors"
	"sync"
	"time"
)

// Trouble is a failure that an operator has to deal with: a full disk, a folder that cannot be written, a damaged
// file. Its text says what to do. The text may be shown to anyone who asks for the app's health.
type Trouble struct{ err error }

func (t *Trouble) Error() string { return t.err.Error() }

// Unwrap returns the cause, which carries the kind.
func (t *Trouble) Unwrap() error { return t.err }

// Message returns the text of the [Trouble] in err, which is written for an operator. When err has no Trouble,
// Message returns the given other text instead, because the text of any other error may contain details that
// strangers must not see.
func Message(err error, otherwise string) string {
	if t, ok := errors.AsType[*Trouble](err); ok {
		return t.Error()
	}
	return otherwise
}

// BetweenTries is the shortest time between two writes by which health checks test the disk. A check in between
// reuses the last result.
const BetweenTries = time.Second

// Memory holds the known failures of one dependency. The zero value is healthy. Its methods are safe for concurrent
// use.
type Memory struct {
	mu      sync.Mutex
	damaged *Trouble
	failed  *Trouble
	tried   time.Time
}

// Damaged records damage until the program ends. Only the first report is kept. Damaged returns err as a [Trouble].
func (m *Memory) Damaged(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &Trouble{err}
	if m.damaged == nil {
		m.damaged = t
	}
	return t
}

// Damage returns the first error passed to [Memory.Damaged], or nil.
func (m *Memory) Damage() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.damaged == nil {
		return nil
	}
	return m.damaged
}

// Failed records a failure that can pass. The failure is kept until [Memory.Check] finds that it has passed. Failed
// returns err as a [Trouble].
func (m *Memory) Failed(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = &Trouble{err}
	return m.failed
}

// Check returns the current trouble, or nil. A failure that can pass is over once write succeeds. Check calls write
// only after such a failure, at most once per [BetweenTries], so that health requests cannot keep the disk busy.
// Check does not rely on the success of other writes, because on a full disk the smallest writes often succeed.
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
	if err == nil && m.failed == was { // a concurrent write may have recorded another failure
		m.failed = nil
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return m.failure()
}

// toTry returns the failure that may be over, or nil when the last try was less than [BetweenTries] ago.
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
