package sitepoll

import "testing"

// TestE16HurryDuringAStep checks that a page which is fetched while a step is in progress is not forgotten, and asks
// for one more step (E16).
func TestE16HurryDuringAStep(t *testing.T) {
	var h hurries
	if h.ask("a") {
		t.Error("no step is in progress")
	}
	end := h.begin("a")
	if h.asked("a") || !h.ask("a") || h.ask("b") || !h.asked("a") || h.asked("a") {
		t.Error("one more step is asked for once")
	}
	h.ask("a")
	if end(); h.asked("a") || h.ask("a") {
		t.Error("the step has ended")
	}
	for job, want := range map[string]string{jobOf("a-b", 7): "a-b", "backfill:a:1": "", "": "", "sentinel:a": ""} {
		if have := slugOf(job); have != want {
			t.Errorf("%q is of %q", job, have)
		}
	}
}
