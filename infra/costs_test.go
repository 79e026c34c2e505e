package infra_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// TestCostsFollowFromMeasurements checks that the costs in docs/deploy.md follow, by its formulas, from its prices
// and from the requests in docs/benchmarks.md, so that a new measurement that changes the costs is noticed.
func TestCostsFollowFromMeasurements(t *testing.T) {
	doc, bench := read(t, "../docs/deploy.md"), read(t, "../docs/benchmarks.md")
	unchanged, changed := row(t, bench, "unchanged check (304)"), row(t, bench, "changed page")
	formula := fmt.Sprintf("N × ((1 − s) × (%v T + %v Q) + s × (%v T + %v Q + W + R))", unchanged[0], unchanged[1],
		changed[0], changed[1])
	if !strings.Contains(doc, formula) {
		t.Fatalf("docs/deploy.md does not have the formula of the measured requests: %s", formula)
	}
	tables, queues := row(t, doc, "T")[0], row(t, doc, "Q")[0]
	writes, reads := row(t, doc, "W")[0], row(t, doc, "R")[0]
	if changed[2] != 2 {
		t.Fatalf("a changed page takes %v requests of blobs, not a write and a read", changed[2])
	}
	const pause = 1.5 // in seconds: the mean of the default pauses
	gbSecond := row(t, doc, "G")[0]
	for _, tt := range []struct {
		pages  string
		change float64
	}{{"that hardly ever change, each twice a month", 0}, {"that are looked at daily, 5% changed", 0.05},
		{"that all change daily", 1}} {
		have := row(t, doc, tt.pages)
		n := have[0]
		want := []float64{
			n,
			n * ((1-tt.change)*(unchanged[0]*tables+unchanged[1]*queues) + tt.change*(changed[0]*tables+changed[1]*queues+
				writes+reads)) / 1e6,
			n * pause * 2 * gbSecond,
			n * pause / 10 * 2 * gbSecond,
			n * pause / 10 * 0.5 * gbSecond,
		}
		for i := range want {
			// The document prints one or two digits.
			if i >= len(have) || math.Abs(have[i]-want[i]) > 0.4*want[i] || want[i] > 0.01 &&
				math.Abs(have[i]-want[i]) > 0.06*want[i]+0.005 {
				t.Errorf("%s: column %d of %v, want %.4g", tt.pages, i+1, have, want[i])
			}
		}
	}
}

// row returns the numbers in the table line that begins with a name, without the text.
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

// TestS15CountsFollowFromFunctions checks that the figures for an idle app in docs/deploy.md follow from the timers
// and queues of the functions, and that its rate of checks follows from the measured requests.
func TestS15CountsFollowFromFunctions(t *testing.T) {
	queues, runs := 0, 0
	files, err := filepath.Glob("../functions/*/function.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		var f struct {
			Bindings []struct{ Type, Schedule string }
		}
		if err := json.Unmarshal([]byte(read(t, name)), &f); err != nil {
			t.Fatal(err)
		}
		switch f.Bindings[0].Type {
		case "queueTrigger":
			queues++
		case "timerTrigger":
			runs += 31 * daily(t, f.Bindings[0].Schedule)
		}
	}
	unchanged := row(t, read(t, "../docs/benchmarks.md"), "unchanged check (304)")
	doc := strings.Join(strings.Fields(read(t, "../docs/deploy.md")), " ")
	for _, want := range []string{
		words.Thousands(runs) + " executions",
		words.Thousands(2*runs) + " GB-s with 2 GB and " + words.Thousands((runs+1)/2) + " with 512 MB",
		fmt.Sprintf("looks into %d queues", queues),
		words.Thousands(int(20_000/(unchanged[0]+unchanged[1])/1000)*1000) + " unchanged checks a second",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("docs/deploy.md does not say %q", want)
		}
	}
}

// daily returns how often a schedule of seconds, minutes and hours runs in a day.
func daily(t *testing.T, schedule string) int {
	t.Helper()
	fields, n := strings.Fields(schedule), 1
	if len(fields) != 6 || strings.Join(fields[3:], " ") != "* * *" {
		t.Fatalf("schedule %q does not run daily", schedule)
	}
	for i, all := range []int{60, 60, 24} {
		step, every := strings.CutPrefix(fields[i], "*")
		if !every {
			if _, err := strconv.Atoi(fields[i]); err != nil {
				t.Fatalf("schedule %q: %v", schedule, err)
			}
			continue
		}
		if step != "" {
			by, err := strconv.Atoi(strings.TrimPrefix(step, "/"))
			if err != nil {
				t.Fatalf("schedule %q: %v", schedule, err)
			}
			all = (all + by - 1) / by
		}
		n *= all
	}
	return n
}
