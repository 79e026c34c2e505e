package infra_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCostsFollowFromMeasurements: the costs in docs/deploy.md are what its formulas make of its prices and of
// the requests in docs/benchmarks.md, so a new measurement that changes them is noticed.
func TestCostsFollowFromMeasurements(t *testing.T) {
	doc, bench := read(t, "../docs/deploy.md"), read(t, "../docs/benchmarks.md")
	unchanged, changed := row(t, bench, "unchanged check (304)"), row(t, bench, "changed page")
	formula := fmt.Sprintf("N × ((1 − s) × (%v T + %v Q) + s × (%v T + %v Q + 2 W + R))", unchanged[0], unchanged[1], changed[0], changed[1])
	if !strings.Contains(doc, formula) {
		t.Fatalf("docs/deploy.md does not have the formula of the measured requests: %s", formula)
	}
	tables, queues := row(t, doc, "T")[0], row(t, doc, "Q")[0]
	writes, reads := row(t, doc, "W, R")[0], row(t, doc, "W, R")[1]
	const pause = 1.5 // seconds, the mean of the defaults
	gbSecond := row(t, doc, "G")[0]
	for _, tt := range []struct {
		pages  string
		change float64
	}{{"that hardly ever change, each twice a month", 0}, {"that are looked at daily, 5% changed", 0.05}, {"that all change daily", 1}} {
		have := row(t, doc, tt.pages)
		n := have[0]
		want := []float64{
			n,
			n * ((1-tt.change)*(unchanged[0]*tables+unchanged[1]*queues) + tt.change*(changed[0]*tables+changed[1]*queues+2*writes+reads)) / 1e6,
			n * pause * 2 * gbSecond,
			n * pause / 10 * 2 * gbSecond,
			n * pause / 10 * 0.5 * gbSecond,
		}
		for i := range want {
			// One or two digits are printed.
			if i >= len(have) || math.Abs(have[i]-want[i]) > 0.4*want[i] || want[i] > 0.01 && math.Abs(have[i]-want[i]) > 0.06*want[i]+0.005 {
				t.Errorf("%s: column %d of %v, want %.4g", tt.pages, i+1, have, want[i])
			}
		}
	}
}

// row are the numbers in the line of a table that begins with a name, its text left out.
func row(t *testing.T, doc, name string) (numbers []float64) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|(.*)\|$`).FindStringSubmatch(doc)
	if line == nil {
		t.Fatalf("no table has a line of %q", name)
	}
	for cell := range strings.SplitSeq(line[1], "|") {
		for part := range strings.SplitSeq(cell, ", ") {
			if f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(part), ",", ""), 64); err == nil {
				numbers = append(numbers, f)
			}
		}
	}
	if len(numbers) == 0 {
		t.Fatalf("the line of %q has no number", name)
	}
	return numbers
}
