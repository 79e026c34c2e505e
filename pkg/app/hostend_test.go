package app

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// TestK9EndOfTheHostIsTold checks that a process is told that another has ended, also before the question (K9).
func TestK9EndOfTheHostIsTold(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	brief, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := awaitEnd(brief, cmd.Process.Pid)
	if errors.Is(err, errors.ErrUnsupported) {
		_ = cmd.Process.Kill()
		t.Skip(err)
	}
	if err == nil {
		t.Error("it lives")
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = cmd.Process.Kill() })
	for range 2 {
		if err := awaitEnd(t.Context(), cmd.Process.Pid); err != nil {
			t.Error(err)
		}
	}
	_ = cmd.Wait() // it was killed
}
