package health_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
)

// TestS6Memory checks that a failure lasts until a try succeeds, that tries are bounded, and that damage stays.
func TestS6Memory(t *testing.T) {
	var m health.Memory
	now, tries, result := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 0, error(nil)
	check := func() error {
		return m.Check(now, func() error { tries++; return result })
	}
	expect := func(what string, err, want error, wantTries int) {
		t.Helper()
		if !errors.Is(err, want) || (err == nil) != (want == nil) || tries != wantTries {
			t.Errorf("%s: have %v after %d tries, want %v after %d", what, err, tries, want, wantTries)
		}
	}
	full, fuller, damaged := errors.New("full"), errors.New("fuller"), fault.New(fault.Unavailable, "damaged")
	expect("healthy", check(), nil, 0)
	m.Failed(full)
	result = full
	expect("still full", check(), full, 1)
	result = nil
	expect("asked again at once", check(), full, 1)
	now = now.Add(health.BetweenTries)
	expect("over", check(), nil, 2)
	expect("healthy again", check(), nil, 2)
	m.Failed(full)
	now = now.Add(health.BetweenTries)
	err := m.Check(now, func() error { m.Failed(fuller); return nil })
	expect("another write failed meanwhile", err, fuller, 2)
	m.Damaged(damaged)
	m.Damaged(full)
	now = now.Add(time.Hour)
	expect("damaged", check(), damaged, 2)
	if err := fmt.Errorf("registry: %w", m.Damage()); health.Message(err, "") != "damaged" ||
		!fault.Is(err, fault.Unavailable) {
		t.Errorf("told %q of %v (%s)", health.Message(err, ""), err, fault.KindOf(err))
	}
	if told := health.Message(full, "cannot be reached"); told != "cannot be reached" {
		t.Errorf("told %q of an error that is for the log only", told)
	}
}
