package telemetry_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

func text(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	var b strings.Builder
	if err := m.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// samples returns the lines of a text about one metric.
func samples(text, name string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func TestTextFormat(t *testing.T) {
	m := telemetry.New()
	m.Checks.Add(2, "unchanged")
	m.Checks.Add(1, "changed")
	m.Checks.Add(1, "unchanged")
	m.Bytes.Add(1.5e9)
	m.Errors.Add(1, "a \"quoted\"\n\\path", "internal")
	m.QueueAge.Observe(0.5, "CrawlWorker") // a bound is inclusive
	m.QueueAge.Observe(7, "CrawlWorker")
	m.QueueAge.Observe(1e6, "CrawlWorker") // above the last bound
	have := text(t, m)
	const bucket = `tidemark_queue_age_seconds_bucket{function="CrawlWorker",`
	for name, want := range map[string]string{
		"tidemark_checks_total": "tidemark_checks_total{outcome=\"changed\"} " +
			"1\ntidemark_checks_total{outcome=\"unchanged\"} 3\n",
		"tidemark_changes_total":                 "tidemark_changes_total 0\n",
		"tidemark_fetched_bytes_total":           "tidemark_fetched_bytes_total 1.5e+09\n",
		"tidemark_errors_total":                  `tidemark_errors_total{of="a \"quoted\"\n\\path",kind="internal"} 1` + "\n",
		bucket + `le="0.5"`:                      bucket + `le="0.5"} 1` + "\n",
		bucket + `le="5"`:                        bucket + `le="5"} 1` + "\n",
		bucket + `le="10"`:                       bucket + `le="10"} 2` + "\n",
		bucket + `le="+Inf"`:                     bucket + `le="+Inf"} 3` + "\n",
		"tidemark_queue_age_seconds_sum":         "tidemark_queue_age_seconds_sum{function=\"CrawlWorker\"} 1.0000075e+06\n",
		"tidemark_queue_age_seconds_count":       "tidemark_queue_age_seconds_count{function=\"CrawlWorker\"} 3\n",
		"tidemark_politeness_wait_seconds_count": "tidemark_politeness_wait_seconds_count 0\n",
		"# TYPE tidemark_queue_age_seconds":      "# TYPE tidemark_queue_age_seconds histogram\n",
	} {
		if diff := cmp.Diff(want, samples(have, name)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", name, diff)
		}
	}
}

// TestEveryFamilyIsRead checks that Read returns each metric once. A missing or repeated family would be shown
// wrongly or not at all.
func TestEveryFamilyIsRead(t *testing.T) {
	names := map[string]bool{}
	for _, f := range telemetry.New().Read() {
		if names[f.Name] || f.Help == "" || !strings.HasPrefix(f.Name, "tidemark_") ||
			(f.Type == telemetry.TypeCounter) != strings.HasSuffix(f.Name, "_total") {
			t.Errorf("%+v", f)
		}
		names[f.Name] = true
	}
	if len(names) != 27 {
		t.Errorf("%d families", len(names))
	}
}

// TestSeriesAreBounded checks that memory stays bounded and that no count is lost even when label values do not come
// from the code.
func TestSeriesAreBounded(t *testing.T) {
	m := telemetry.New()
	for i := range 10_000 {
		m.Checks.Add(1, fmt.Sprint("outcome", i))
	}
	f := m.Read()[0]
	if len(f.Series) > 257 || m.Checks.Total() != 10_000 || m.Checks.Total(telemetry.Other) < 9_000 {
		t.Errorf("%d series, %v in all, %v of them other", len(f.Series), m.Checks.Total(), m.Checks.Total(telemetry.Other))
	}
}

func TestMetricsAreSafeForConcurrentUse(t *testing.T) {
	m := telemetry.New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				m.Changes.Add(1)
				m.Duration.Observe(1, "f")
				m.Read()
			}
		})
	}
	wg.Wait()
	if n := m.Changes.Total(); n != 800 {
		t.Errorf("%v", n)
	}
}

// TestR3Totals checks that a histogram adds up all its series, or those that were asked for (R3).
func TestR3Totals(t *testing.T) {
	m := telemetry.New()
	m.Renders.Observe(2, "ok")
	m.Renders.Observe(3, "ok")
	m.Renders.Observe(400, "page")
	if sum, n := m.Renders.Total(); sum != 405 || n != 3 {
		t.Errorf("of all: %g, %d", sum, n)
	}
	if sum, n := m.Renders.Total("ok", "browser"); sum != 5 || n != 2 {
		t.Errorf("of two: %g, %d", sum, n)
	}
}
