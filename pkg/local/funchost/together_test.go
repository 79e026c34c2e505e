package funchost

import (
	"testing"
	"time"
)

// TestK9IdleQueuesTogether checks that queues that have been idle for long are polled at the same moments, and others
// when it is their time (K9).
func TestK9IdleQueuesTogether(t *testing.T) {
	const most = 10 * time.Second
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for offset := range 200 {
		now := begin.Add(time.Duration(offset) * 137 * time.Millisecond)
		pause := together(most, most, now)
		if at := now.Add(pause); pause <= 0 || pause > most || !at.Equal(at.Truncate(most)) {
			t.Errorf("at %v a pause of %v", now, pause)
		}
		if pause := together(most-1, most, now); pause != most-1 {
			t.Errorf("a queue in use is polled after %v", pause)
		}
	}
}
