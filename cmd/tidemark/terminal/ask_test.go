package terminal

import (
	"context"
	"errors"
	"io"
	"testing"
)

// TestL7InterruptEndsTheQuestion checks that an interrupt ends a question (L7).
func TestL7InterruptEndsTheQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typing := io.Pipe()
	defer typing.Close()
	a, done := (&Terminal{In: in, Out: io.Discard}).Asking()
	defer done()
	cancel()
	if _, err := a.Ask(ctx, "? "); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}
