package infra_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestS16AlertsAskForWhatThereIs checks that the alerts for Prometheus ask for metrics and labels that exist, and that
// each alert of the template for Azure is one of them (S16).
func TestS16AlertsAskForWhatThereIs(t *testing.T) {
	rules, metrics := read(t, "prometheus/tidemark.rules.yml"), metricsByName()
	asked := regexp.MustCompile(`\b(tidemark_\w+)(?:\{(\w+)=)?`).FindAllStringSubmatch(rules, -1)
	if len(asked) < 8 {
		t.Fatalf("the rules ask for %d metrics", len(asked))
	}
	for _, m := range asked {
		f, ok := metrics[m[1]]
		if !ok || m[2] != "" && !slices.Contains(f.Labels, m[2]) {
			t.Errorf("there is no %s with the label %q", m[1], m[2])
		}
	}
	for _, name := range matches(read(t, "alerts.bicep"), `(?m)^    name: '(\w+)'$`) {
		alert := "- alert: Tidemark" + strings.ToUpper(name[:1]) + name[1:] + "\n"
		if !strings.Contains(rules, alert) {
			t.Errorf("the alert %s is for Azure only", name)
		}
	}
}
