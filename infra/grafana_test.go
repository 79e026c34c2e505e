package infra_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

var (
	metricName = regexp.MustCompile(`\btidemark_\w+`)
	byLabels   = regexp.MustCompile(`by \(([\w, ]+)\)`)
	histogram  = regexp.MustCompile(`_(?:bucket|sum|count)$`)
)

// TestDashboardAsksForWhatThereIs checks that every metric and label of a panel exists, because a panel without data
// looks like a quiet day. Every metric is on a panel.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/tidemark.json")), &d); err != nil || len(d.Panels) == 0 {
		t.Fatalf("%d panels: %v", len(d.Panels), err)
	}
	metrics, shown := metricsByName(), map[string]bool{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			names := metricName.FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("%s: asks nothing", p.Title)
			}
			var labels []string
			for _, name := range names {
				f, ok := metrics[name]
				if !ok {
					t.Errorf("%s: there is no %s", p.Title, name)
				}
				shown[f.Name] = true
				labels = append(labels, append(f.Labels, "le")...)
			}
			for _, by := range byLabels.FindAllStringSubmatch(target.Expr, -1) {
				for _, label := range strings.Split(by[1], ", ") {
					if !slices.Contains(labels, label) {
						t.Errorf("%s: %v have no label %s", p.Title, names, label)
					}
				}
			}
		}
	}
	for _, f := range telemetry.New().Read() {
		if !shown[f.Name] {
			t.Errorf("no panel shows %s", f.Name)
		}
	}
}

// metricsByName returns the metrics by the names that queries use.
func metricsByName() map[string]telemetry.Family {
	out := map[string]telemetry.Family{}
	for _, f := range telemetry.New().Read() {
		if f.Type != telemetry.TypeHistogram {
			out[f.Name] = f
			continue
		}
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			out[f.Name+part] = f
		}
	}
	return out
}

// TestMetricsAreDocumented checks that docs/monitoring.md names every metric with its labels, and no other metric.
func TestMetricsAreDocumented(t *testing.T) {
	doc := read(t, "../docs/monitoring.md")
	for _, f := range telemetry.New().Read() {
		row := regexp.MustCompile("(?m)^\\| `" + f.Name + "` \\|.*$").FindString(doc)
		for _, label := range f.Labels {
			if !strings.Contains(row, "`"+label+"`") {
				t.Errorf("docs/monitoring.md does not tell of %s and its label %s", f.Name, label)
			}
		}
		if row == "" {
			t.Errorf("docs/monitoring.md does not tell of %s", f.Name)
		}
	}
	names := metricsByName()
	for _, name := range metricName.FindAllString(doc, -1) {
		if _, ok := names[name]; !ok && !slices.ContainsFunc(telemetry.New().Read(),
			func(f telemetry.Family) bool { return f.Name == histogram.ReplaceAllString(name, "") }) {
			t.Errorf("docs/monitoring.md tells of %s, which there is not", name)
		}
	}
}
