package funchost

import (
	"log/slog"
	"testing"
	"time"
)

// TestK9TimerWritesRarely checks that the status of a timer that runs each minute is written once in a quarter of an
// hour, that of a rare one after each run, and that both run at once after a restart in which they were missed (K9).
func TestK9TimerWritesRarely(t *testing.T) {
	for schedule, want := range map[string]int{"0 * * * * *": 2, "0 0 * * * *": 20} {
		parsed, err := parseSchedule(schedule)
		if err != nil {
			t.Fatal(err)
		}
		loop := &timerLoop{store: statusFolder(t.TempDir()), f: &function{name: "T", schedule: parsed},
			log: slog.New(slog.DiscardHandler)}
		now, writes := time.Now(), 0
		for range 20 {
			if loop.ended(now, now); loop.saved.Equal(now) {
				writes++
			}
			now = loop.status.Next
		}
		if writes != want {
			t.Errorf("%s: written %d times in 20 runs, want %d", schedule, writes, want)
		}
		again := &timerLoop{store: loop.store, f: loop.f, log: loop.log}
		if !again.begin(now.Add(time.Hour)) {
			t.Errorf("%s: not missed after a restart", schedule)
		}
	}
}
