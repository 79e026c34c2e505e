package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// TestS16LogLevel checks the levels that are accepted, and that lines below the level are not written (S16).
func TestS16LogLevel(t *testing.T) {
	for text, want := range map[string]slog.Level{"": slog.LevelInfo, "debug": slog.LevelDebug, "INFO": slog.LevelInfo,
		"warn": slog.LevelWarn, "error": slog.LevelError} {
		if have, err := ParseLevel(text); err != nil || have != want {
			t.Errorf("%q is %v (%v), want %v", text, have, err, want)
		}
	}
	if _, err := Load(env(map[string]string{"LOG_LEVEL": "loud"})); err == nil ||
		!strings.Contains(err.Error(), `LOG_LEVEL="loud": allowed is debug, info, warn or error`) {
		t.Errorf("loud is accepted: %v", err)
	}
	var out, bad strings.Builder
	log := slog.New(newByLevel(&out, &bad, slog.LevelError))
	log.Info("quiet")
	log.Warn("quiet, too")
	log.Error("it broke")
	if out.Len() > 0 || strings.Count(bad.String(), "\n") != 1 {
		t.Errorf("at the level error: %s%s", &out, &bad)
	}
}

// TestS16Machine checks that the metrics tell of the machine, and of a backup from when it was made (S16).
func TestS16Machine(t *testing.T) {
	values := func(c Config) map[string]float64 {
		c.Metrics = telemetry.New()
		c.showMachine()
		out := map[string]float64{}
		for _, f := range c.Metrics.Read() {
			for _, s := range f.Series {
				out[f.Name] = s.Sum
			}
		}
		return out
	}
	data := t.TempDir()
	have := values(Config{Data: data})
	_, backedUp := have["tidemark_last_backup_seconds"]
	if have["tidemark_disk_free_bytes"] <= 0 || have["tidemark_memory_bytes"] < 1e6 || have["tidemark_build_info"] != 1 ||
		backedUp {
		t.Errorf("%v", have)
	}
	if err := NoteBackup(data, time.Now()); err != nil {
		t.Fatal(err)
	}
	if age, known := values(Config{Data: data})["tidemark_last_backup_seconds"]; !known || age > 60 {
		t.Errorf("the backup is %v s old, known: %v", age, known)
	}
	if _, known := values(Config{Data: data, Cloud: true})["tidemark_disk_free_bytes"]; known {
		t.Error("the disk of an instance is shown")
	}
}
