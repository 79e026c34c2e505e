package app

import (
	"log/slog"
	"strings"
	"testing"
)

// The host knows a line's level only by its stream, and by the word "warn".
func TestS10LevelsReachTheHost(t *testing.T) {
	var out, bad strings.Builder
	log := slog.New(newByLevel(&out, &bad, slog.LevelInfo)).With("host", "example.com").WithGroup("more")
	log.Info("all is well")
	log.Warn("slow")
	log.Error("it broke", "err", "boom")
	if !strings.Contains(out.String(), "all is well") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("stdout: %s", out.String())
	}
	lines := strings.Split(strings.TrimSpace(bad.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("stderr: %s", bad.String())
	}
	if warn := strings.ToLower(lines[0]); !strings.Contains(warn, "warn") || !strings.Contains(warn, "example.com") {
		t.Errorf("the host takes this for an error: %s", lines[0])
	}
	if strings.Contains(strings.ToLower(lines[1]), "warn") || !strings.Contains(lines[1], `"more":{"err":"boom"}`) {
		t.Errorf("the host takes this for a warning: %s", lines[1])
	}
}
