package telemetry_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// TestS16Gauges checks that a gauge is left out until its value is known, that it shows the last value, and that values
// that have ended are gone (S16).
func TestS16Gauges(t *testing.T) {
	m := telemetry.New()
	if have := text(t, m); strings.Contains(have, "tidemark_due") || strings.Contains(have, "tidemark_last_") {
		t.Errorf("told before it is known:\n%s", have)
	}
	free := false
	m.DiskFree.Ask(func() (float64, bool) { return 5e9, free })
	m.Due.Set(7)
	m.Due.Set(3)
	m.LastSweep.Since(time.Now().Add(-time.Minute))
	m.OldestDue.Since(time.Time{})
	m.Items.Set(2, "Indexed")
	m.DeliveriesWaiting.SetAll(map[string]float64{"a": 1, "b": 2})
	m.DeliveriesWaiting.SetAll(map[string]float64{"b": 4})
	have := text(t, m)
	for name, want := range map[string]string{
		"tidemark_due":                "tidemark_due 3\n",
		"tidemark_items":              `tidemark_items{status="Indexed"} 2` + "\n",
		"tidemark_deliveries_waiting": `tidemark_deliveries_waiting{channel="b"} 4` + "\n",
		"tidemark_oldest_due_seconds": "tidemark_oldest_due_seconds 0\n",
		"tidemark_disk_free_bytes":    "",
	} {
		if diff := cmp.Diff(want, samples(have, name)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", name, diff)
		}
	}
	var age float64
	said := samples(have, "tidemark_last_sweep_seconds")
	if _, err := fmt.Sscanf(said, "tidemark_last_sweep_seconds %g", &age); err != nil || age < 60 || age > 120 {
		t.Errorf("the last sweep was %g s ago, want 60 (%v)", age, err)
	}
	free = true
	if have := text(t, m); !strings.Contains(have, "# TYPE tidemark_disk_free_bytes gauge\n") ||
		samples(have, "tidemark_disk_free_bytes") != "tidemark_disk_free_bytes 5e+09\n" {
		t.Errorf("%s", have)
	}
}

// TestS16OneLineAnHour checks that failures are told a minute after the first, with their number and its reason, and
// then at most once in an hour (S16).
func TestS16OneLineAnHour(t *testing.T) {
	var r telemetry.Repeated
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	told := map[int][]string{}
	for minute := range 200 {
		now := begin.Add(time.Duration(minute) * time.Minute)
		if minute < 100 {
			r.Note("a.example", 2, fmt.Sprintf("HTTP 500 in minute %d", minute), now)
		}
		if minute == 30 {
			r.Note("b.example", 1, "no such host", now)
		}
		for _, f := range r.Due(now) {
			told[minute] = append(told[minute], fmt.Sprintf("%s %d %s", f.Name, f.Count, f.First))
		}
	}
	want := map[int][]string{1: {"a.example 4 HTTP 500 in minute 0"}, 31: {"b.example 1 no such host"},
		61: {"a.example 120 HTTP 500 in minute 2"}, 121: {"a.example 76 HTTP 500 in minute 62"}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	for i := range 5000 {
		r.Note(fmt.Sprint(i), 1, "why", begin)
	}
	if out := r.Due(begin.Add(time.Hour)); len(out) > 1001 || !strings.Contains(fmt.Sprint(out), telemetry.Other) {
		t.Errorf("%d names are kept", len(out))
	}
}

// TestS16ChannelsOfMetrics checks that the metrics name at most fifty channels, those with the most messages (S16).
func TestS16ChannelsOfMetrics(t *testing.T) {
	m, n, want := telemetry.New(), map[string]float64{}, map[string]float64{}
	for i := 1; i <= 60; i++ {
		n[fmt.Sprint("c", i)] = float64(i)
		if i > 10 {
			want[fmt.Sprint("c", i)] = float64(i)
		}
	}
	want[telemetry.Other] = 55
	m.DeliveriesWaiting.SetAll(n)
	have := map[string]float64{}
	for _, f := range m.Read() {
		for _, s := range f.Series {
			if f.Name == "tidemark_deliveries_waiting" {
				have[s.Values[0]] = s.Sum
			}
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if c20, c3 := m.DeliveriesWaiting.Of("c20"), m.DeliveriesWaiting.Of("c3"); c20 != 20 || c3 != 0 {
		t.Errorf("c20 has %v, and c3 %v of its own", c20, c3)
	}
}
