package terminal

import (
	"context"
	"errors"
	"io"
	"testing"
)

// L7: an interrupt ends a question.
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
