package client

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
)

// TestZ2ReprocessedIsNoAnswer checks that a body which was extracted again by other rules counts as one answer.
func TestZ2ReprocessedIsNoAnswer(t *testing.T) {
	c := api.Capture{SHA256: "a", CapturedAt: noon, NormalizationVersion: "text_v1"}
	again := c
	again.NormalizationVersion, again.ReprocessedAt = "text_v2", noon.Add(time.Hour)
	have := eventsOf(api.ItemDetail{Item: api.Item{ID: "url_p"}, Captures: []api.Capture{again, c}})
	if len(have) != 1 || have[0].capture.NormalizationVersion != "text_v1" {
		t.Errorf("have %+v", have)
	}
}

// TestEventsOf checks which events follow from an item's captures, edges and history.
func TestEventsOf(t *testing.T) {
	at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	a, b := api.Capture{SHA256: "a", CapturedAt: at(1)}, api.Capture{SHA256: "b", CapturedAt: at(4)}
	edge := func(newer string, h int) api.Edge { return api.Edge{Newer: newer, At: at(h)} }
	said := func(why string, h int) api.Decision { return api.Decision{At: at(h), What: "unchanged", Why: why} }
	item := api.ItemDetail{Item: api.Item{ID: "url_p"}, Captures: []api.Capture{b, a},
		Lineage: []api.Edge{edge("url_p/a", 6), edge("url_p/b", 4), edge("url_q/a", 5), edge("url_p/gone", 3)},
		History: []api.Decision{
			said(verdict.WhyNotModified, 0), said(verdict.WhyNotModified, 2), said(verdict.WhyValidators, 3),
			said(verdict.WhySameContent, 3),
			said(verdict.WhySameBytes, 5), said("anything else", 5), {At: at(5), What: "scheduled", Why: verdict.WhyNotModified},
			said(verdict.WhyNotModified, 7),
		},
	}
	var have []string
	for _, e := range eventsOf(item) {
		have = append(have, fmt.Sprintf("%d %s revisit=%t claimed=%t", int(e.at.Sub(noon).Hours()), e.capture.SHA256,
			e.revisit, e.claimed))
	}
	want := []string{
		"1 a revisit=false claimed=false", "2 a revisit=true claimed=true", "3 a revisit=true claimed=true",
		"4 b revisit=false claimed=false",
		"5 b revisit=true claimed=false", "6 a revisit=true claimed=false", "7 a revisit=true claimed=true",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

func TestFileName(t *testing.T) {
	for of, want := range map[string]string{
		"url_a": "url_a.warc.gz", "Localhost:8099": "localhost_8099.warc.gz", "[::1]:80": "___1__80.warc.gz",
		"../x": "_x.warc.gz",
	} {
		if have := fileName(of); have != want {
			t.Errorf("%s: have %s, want %s", of, have, want)
		}
	}
}
