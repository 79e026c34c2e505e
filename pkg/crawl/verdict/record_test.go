package verdict

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

const day = 24 * time.Hour

const backoff = 8 * time.Minute // ErrorBase × 0.8, the smallest value with jitter

var (
	emptyEntry    = &index.Prepared{}
	goneOutcome   = Outcome{Kind: schedule.Gone, Why: "HTTP 404", Note: "HTTP 404 on 3 checks in a row"}
	indexDown     = fault.New(fault.Unavailable, "down")
	indexRefusing = fault.New(fault.Invalid, "bad")
)

var recordCases = map[string]struct {
	set    func(*Checked)
	status registry.Status
	line   string
	wait   time.Duration
}{
	"unchanged: the ladder's first step": {func(c *Checked) { c.Outcome = Unchanged("304") },
		registry.Indexed, "unchanged", day},
	"failed: soon again, the index keeps it": {func(c *Checked) { c.Outcome = Failed("HTTP 500") },
		registry.Error, "error", backoff},
	"failed, and the site asked for an hour": {func(c *Checked) {
		c.Outcome = Failed("HTTP 503")
		c.Outcome.RetryAfter = time.Hour
	}, registry.Error, "error", time.Hour},
	"missing once: to be confirmed": {func(c *Checked) { c.Outcome = Missing("HTTP 404") }, registry.Indexed,
		"missing", day / 4},
	"missing, never fetched": {func(c *Checked) {
		c.Outcome, c.Item.Status = Missing("HTTP 404"), registry.Pending
	}, registry.Error, "missing", day / 4},
	"missing with too many others: guarded": {func(c *Checked) {
		c.Outcome, c.Item.MissingChecks = Outcome{Kind: schedule.Guarded, Why: "held"}, 2
	}, registry.Indexed, "held", day},
	"gone": {func(c *Checked) { c.Outcome, c.Item.MissingChecks = goneOutcome, 2 }, registry.Gone, "gone", day},
	"robots.txt disallows it": {func(c *Checked) {
		c.Outcome, c.Placement.Kind = Excluded("robots.txt disallows it"), OutOfIndex
	}, registry.OutOfScope, "outOfScope", day},
	"noindex: stored, but not searched": {func(c *Checked) {
		c.Outcome, c.Item.Exclusion = Outcome{Kind: schedule.Changed}, exclusionNoIndex
		c.Placement = Placement{Kind: OutOfIndex, Why: exclusionNoIndex}
	}, registry.OutOfScope, "notIndexed", day},
	"unknown type: stored, but not searched": {func(c *Checked) {
		c.Outcome, c.Item.Exclusion = Outcome{Kind: schedule.Changed}, "text cannot be extracted from x/y yet"
		c.Placement = Placement{Kind: OutOfIndex, Why: c.Item.Exclusion}
	}, registry.Crawled, "notIndexed", day},
	"a new alias is checked again soon": {func(c *Checked) {
		c.Outcome = Outcome{Kind: schedule.Changed}
		c.Placement = Placement{Kind: BehindAlias, Alias: "url_b", Why: "duplicate", NewAlias: true, Soon: true}
	}, registry.OutOfScope, "alias", 10 * time.Minute},
	"indexed": {func(c *Checked) {
		c.Outcome, c.Placement = Outcome{Kind: schedule.Changed}, Placement{Kind: OnItsOwn, Entry: emptyEntry}
	}, registry.Indexed, "indexed", day},
	"the index is down: its snapshot is indexed soon": {func(c *Checked) {
		c.Outcome = Outcome{Kind: schedule.Changed}
		c.Placement = Placement{Kind: OnItsOwn, Entry: emptyEntry, Refused: indexDown}
	}, registry.Crawled, "indexDebt", 10 * time.Minute},
	"the index refuses the page": {func(c *Checked) {
		c.Outcome = Outcome{Kind: schedule.Changed}
		c.Placement = Placement{Kind: OnItsOwn, Entry: emptyEntry, Refused: indexRefusing}
	}, registry.Error, "error", backoff},
	"no index is configured": {func(c *Checked) {
		c.Basis.Rules.Indexes = false
		c.Outcome, c.Placement = Outcome{Kind: schedule.Changed}, Placement{Kind: OnItsOwn}
	}, registry.Crawled, "notIndexed", day},
	"indexed from its snapshot: the schedule goes on": {func(c *Checked) {
		c.Basis.IndexOnly, c.Item.ResumeAt = true, noon.Add(3*day)
		c.Outcome, c.Placement = Unchanged(""), Placement{Kind: OnItsOwn, Entry: emptyEntry}
	}, registry.Indexed, "indexed", 3 * day},
	"it killed its worker: left alone for a day": {func(c *Checked) {
		c.Outcome, c.Item.Deadly = Failed("killed"), true
	}, registry.Error, "error", day},
}

// TestRecord checks the result of a check: the item's status, the last history entry before that of the schedule, and
// the time of the next check.
func TestRecord(t *testing.T) {
	for name, tt := range recordCases {
		t.Run(name, func(t *testing.T) {
			c := Checked{Item: indexedItem(), Basis: Basis{Rules: tableRules()}, Ended: noon}
			tt.set(&c)
			f := Record(c, noon, 0)
			var line string
			for _, d := range f.Item.History {
				if d.What != "scheduled" {
					line = d.What
				}
			}
			if wait := f.Item.NextCrawlAt.Sub(noon); f.Item.Status != tt.status || line != tt.line || wait != tt.wait {
				t.Errorf("%s, %q, again in %s; want %s, %q, %s", f.Item.Status, line, wait, tt.status, tt.line, tt.wait)
			}
		})
	}
}

// TestRecordForce checks A15: a force lasts until a check has succeeded.
func TestRecordForce(t *testing.T) {
	for _, tt := range []struct {
		outcome Outcome
		want    bool
	}{{Unchanged("304"), false}, {Failed("HTTP 500"), true}} {
		c := Checked{
			Item:    indexedItem(),
			Outcome: tt.outcome,
			Basis:   Basis{Rules: tableRules(), Forced: true},
			Ended:   noon,
		}
		c.Item.ReindexRequested, c.Item.ReindexGeneration = true, 1
		if f := Record(c, noon, 0); f.Item.Forced() != tt.want {
			t.Errorf("after %s forced is %v", tt.outcome.Kind, f.Item.Forced())
		}
	}
}

// TestH7HowManyChunksAreNew checks that the history says how many chunks of a page the index did not have (H7).
func TestH7HowManyChunksAreNew(t *testing.T) {
	e := &index.Prepared{Page: search.Page{Chunks: []search.Chunk{{Key: "a"}, {Key: "b"}, {Key: "c"}}}}
	if got := indexedShare(e); got != "3 chunks" {
		t.Errorf("where nothing is known: %q", got)
	}
	e.Page.Known = &search.Contents{Chunks: map[string]string{"a": "1", "old": "2"}}
	if got := indexedShare(e); got != "3 chunks (2 new)" {
		t.Errorf("where one is known: %q", got)
	}
}
