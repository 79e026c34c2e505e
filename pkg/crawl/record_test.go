package crawl

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

const backoff = 8 * time.Minute // ErrorBase × 0.8, the least that the jitter makes of it

var (
	emptyEntry    = &index.Prepared{}
	goneOutcome   = outcome{kind: schedule.Gone, why: "HTTP 404", note: "HTTP 404 on 3 checks in a row"}
	indexDown     = fault.New(fault.Unavailable, "down")
	indexRefusing = fault.New(fault.Invalid, "bad")
)

var recordCases = map[string]struct {
	set    func(*checked)
	status registry.Status
	line   string
	wait   time.Duration
}{
	"unchanged: the ladder's first step": {func(c *checked) { c.outcome = unchanged("304") },
		registry.Indexed, "unchanged", day},
	"failed: soon again, the index keeps it": {func(c *checked) { c.outcome = failed("HTTP 500") },
		registry.Error, "error", backoff},
	"failed, and the site asked for an hour": {func(c *checked) {
		c.outcome = failed("HTTP 503")
		c.outcome.retryAfter = time.Hour
	}, registry.Error, "error", time.Hour},
	"missing once: to be confirmed": {func(c *checked) { c.outcome = missing("HTTP 404") }, registry.Indexed,
		"missing", day / 4},
	"missing, never fetched": {func(c *checked) {
		c.outcome, c.item.Status = missing("HTTP 404"), registry.Pending
	}, registry.Error, "missing", day / 4},
	"missing with too many others: guarded": {func(c *checked) {
		c.outcome, c.item.MissingChecks = outcome{kind: schedule.Guarded, why: "held"}, 2
	}, registry.Indexed, "held", day},
	"gone": {func(c *checked) { c.outcome, c.item.MissingChecks = goneOutcome, 2 }, registry.Gone, "gone", day},
	"robots.txt disallows it": {func(c *checked) {
		c.outcome, c.place.kind = excluded("robots.txt disallows it"), outOfIndex
	}, registry.OutOfScope, "outOfScope", day},
	"noindex: stored, but not searched": {func(c *checked) {
		c.outcome, c.item.Exclusion = outcome{kind: schedule.Changed}, exclusionNoIndex
		c.place = place{kind: outOfIndex, why: exclusionNoIndex}
	}, registry.OutOfScope, "notIndexed", day},
	"unknown type: stored, but not searched": {func(c *checked) {
		c.outcome, c.item.Exclusion = outcome{kind: schedule.Changed}, "text cannot be extracted from x/y yet"
		c.place = place{kind: outOfIndex, why: c.item.Exclusion}
	}, registry.Crawled, "notIndexed", day},
	"a new alias is checked again soon": {func(c *checked) {
		c.outcome = outcome{kind: schedule.Changed}
		c.place = place{kind: behindAlias, alias: "url_b", why: "duplicate", newAlias: true, soon: true}
	}, registry.OutOfScope, "alias", 10 * time.Minute},
	"indexed": {func(c *checked) {
		c.outcome, c.place = outcome{kind: schedule.Changed}, place{kind: onItsOwn, entry: emptyEntry}
	}, registry.Indexed, "indexed", day},
	"the index is down: its snapshot is indexed soon": {func(c *checked) {
		c.outcome, c.place = outcome{kind: schedule.Changed}, place{kind: onItsOwn, entry: emptyEntry, refused: indexDown}
	}, registry.Crawled, "indexDebt", 10 * time.Minute},
	"the index refuses the page": {func(c *checked) {
		c.outcome, c.place = outcome{kind: schedule.Changed}, place{kind: onItsOwn, entry: emptyEntry, refused: indexRefusing}
	}, registry.Error, "error", backoff},
	"no index is configured": {func(c *checked) {
		c.memory.rules.indexes = false
		c.outcome, c.place = outcome{kind: schedule.Changed}, place{kind: onItsOwn}
	}, registry.Crawled, "notIndexed", day},
	"indexed from its snapshot: the schedule goes on": {func(c *checked) {
		c.memory.indexOnly, c.item.ResumeAt = true, noon.Add(3*day)
		c.outcome, c.place = unchanged(""), place{kind: onItsOwn, entry: emptyEntry}
	}, registry.Indexed, "indexed", 3 * day},
	"it killed its worker: left alone for a day": {func(c *checked) {
		c.outcome, c.item.Deadly = failed("killed"), true
	}, registry.Error, "error", day},
}

// What a check comes to: the item's status, the last line of its history before that of the schedule,
// and when it is checked next.
func TestRecord(t *testing.T) {
	for name, tt := range recordCases {
		t.Run(name, func(t *testing.T) {
			c := checked{item: indexedItem(), memory: memory{rules: tableRules()}, ended: noon}
			tt.set(&c)
			f := record(c, noon, 0)
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

// A15: a force lasts until a check has come to something.
func TestRecordForce(t *testing.T) {
	for _, tt := range []struct {
		outcome outcome
		want    bool
	}{{unchanged("304"), false}, {failed("HTTP 500"), true}} {
		c := checked{
			item:    indexedItem(),
			outcome: tt.outcome,
			memory:  memory{rules: tableRules(), forced: true},
			ended:   noon,
		}
		c.item.ReindexRequested, c.item.ReindexGeneration = true, 1
		if f := record(c, noon, 0); f.Item.Forced() != tt.want {
			t.Errorf("after %s forced is %v", tt.outcome.kind, f.Item.Forced())
		}
	}
}
