package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
)

// TestBackfillAndAudit previews a site, starts the previewed run, and watches it to its end. Then it audits the
// index.
func TestBackfillAndAudit(t *testing.T) {
	s := newStage(t)
	s.open("/backfill")
	s.reads("main", "No runs yet")
	s.do(chromedp.Click("input[value=gauge]"), chromedp.Click("button[value=dry]"), chromedp.WaitVisible("#live-run"))
	s.reads("h1", "COMPLETED")
	s.reads("pre", "DRY RUN - no jobs will be queued")
	if st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: ""}); err != nil || st.Total() != 0 {
		t.Errorf("a dry run registered %d items (%v)", st.Total(), err)
	}
	s.press("button[value=run]")
	s.do(chromedp.WaitNotPresent("h1 .quiet"))
	s.reads("h1", "COMPLETED")
	s.reads("pre", "Queued 28 new items")
	s.shoot("run")
	s.press("#live-run table a")
	s.do(chromedp.WaitVisible("input[name=find]"))
	s.eventually("a page of the run was read", func() bool {
		s.do(chromedp.Reload(), chromedp.WaitReady("#results"))
		return strings.Contains(s.text("#results"), "Checking the radar")
	})
	s.eventually("all was looked at", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: ""})
		return err == nil && st.Backlog() == 0
	})
	s.open("/index")
	s.do(chromedp.Click("button[value=audit]"), chromedp.WaitVisible("#live-rebuild"))
	s.reads("#live-rebuild h1", "done")
	s.reads("#live-rebuild", "the index holds what it should")
	s.shoot("audit")
	s.open("/machine")
	s.reads("main", "Pages by their state")
	s.shoot("machine")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}

// TestEntriesAndBatches finds pushed entries, lets a model describe one, and ends a batch.
func TestEntriesAndBatches(t *testing.T) {
	model := llmtest.NewServer(t, "tier1", 8)
	s := newStage(t, "OPENAI_BASE_URL="+model.URL, "LITELLM_MASTER_KEY="+llmtest.Key, "T1_DEFAULT_MODEL=tier1",
		"T1_BATCH_MODEL=tier1")
	s.open("/entries")
	s.reads("main", "No entries yet")
	res, err := api.InsertEntry.Call(t.Context(), s.client, api.Entry{
		Source: "telegram", ContentType: "link", Title: "How to bend steel", IdempotencyPolicyKey: "telegram_link_v1",
		IdempotencyKeyPrimary: "1",
		URL:                   s.site + "/reference/specifications.html", CleanText: "A text about cold steel and harbours.",
	})
	must(t, err)
	s.open("/search")
	s.do(chromedp.SendKeys("input[type=search]", "cold steel harbours"))
	s.reads("#results", "How to bend steel")
	s.do(chromedp.Click("#results h3 a"), chromedp.WaitVisible("#live-entry"))
	s.reads("#live-entry", "Its page:")
	s.press("button[value=describe]")
	s.do(chromedp.WaitVisible(".toast"))
	s.reads("#live-entry", "Gist")
	s.shoot("entry")

	batch, err := api.StartEnrichBatch.Call(t.Context(), s.client,
		api.EnrichBatchRequest{EntryIDs: []string{res.ID, "nobody"}})
	must(t, err)
	s.open("/entries/batches")
	s.press("#live-batches tbody a")
	s.do(chromedp.WaitVisible("#live-batch"))
	s.press("button[value=cancel]")
	s.do(chromedp.WaitVisible(".toast"))
	if batch, err = api.GetEnrichBatch.Call(t.Context(), s.client, api.EnrichBatchID{ID: batch.ID}); err != nil ||
		batch.CancelledAt.IsZero() {
		t.Errorf("it was not cancelled: %+v (%v)", batch, err)
	}
	s.shoot("batch")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
