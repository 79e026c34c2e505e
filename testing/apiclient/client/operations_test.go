package client

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA19EveryOperation checks that a client generated from the description alone can use every operation of the real
// app. Each request and each answer matches the description, and each answer is decoded (A19).
func TestA19EveryOperation(t *testing.T) {
	r := start(t)
	rule := r.rules()
	id := r.sources()
	r.mutes(id)
	r.deliveries(rule)
	r.index(id)
	r.entries()
	r.generations()
	r.enrichment()
	r.imports()
	r.backfill()
	r.looks()
	r.service()
	if gone := accepted(r.RemoveItemWithResponse(t.Context(), id)); gone.RemoveRequested == nil || !*gone.RemoveRequested {
		t.Errorf("removed: %+v", gone)
	}
	if left := r.uncalled(); len(left) > 0 {
		t.Errorf("no request had success with %v: send one in operations_test.go", left)
	}
}

// mutes mutes an item and ends the mute.
func (r *running) mutes(item string) {
	mute := ok(r.AddMuteWithResponse(r.Context(), MuteRequest{ItemId: item, For: "day"}))
	if list := ok(r.ListMutesWithResponse(r.Context(), &ListMutesParams{ItemId: &item})).Mutes; len(list) != 1 {
		r.Errorf("mutes %+v", list)
	}
	ended := ok(r.RemoveMuteWithResponse(r.Context(), mute.Id))
	if back := ok(r.UndoWithResponse(r.Context(), ended.Undo.Id)); back.Kind == "" {
		r.Errorf("taken back: %+v", back)
	}
	ok(r.SavePublicAddressWithResponse(r.Context(), PublicAddressRequest{Url: "https://tide.example/"}))
	if at := ok(r.GetPublicAddressWithResponse(r.Context())); at.Url == nil || *at.Url != "https://tide.example" {
		r.Errorf("the address is %+v", at)
	}
}

// rules creates a channel and a rule, and returns the rule's id.
func (r *running) rules() (id string) {
	ctx, hook := r.Context(), r.site+"/hook"
	made := ok(r.AddChannelWithResponse(ctx, ChannelSpec{Name: "ops", Kind: "webhook", Url: &hook}))
	if made.SigningSecret == nil || !strings.HasPrefix(*made.SigningSecret, "whsec_") {
		r.Errorf("a channel: %+v", made)
	}
	ok(r.SaveChannelWithResponse(ctx, "ops", ChannelUpdate{Kind: "webhook", Url: &hook}))
	ok(r.PatchChannelWithResponse(ctx, "ops", PatchChannelJSONRequestBody{Url: &hook}))
	if list := ok(r.ListChannelsWithResponse(ctx)).Channels; len(list) != 1 || list[0].SigningSecret != nil {
		r.Errorf("channels %+v", list)
	}
	found := ok(r.CheckChannelWithResponse(ctx, "ops", ChannelUpdate{Kind: "webhook", Url: &hook}))
	if len(found.Errors) > 0 {
		r.Errorf("a check: %+v", found)
	}
	said := ok(r.TestChannelWithBodyWithResponse(ctx, "ops", "application/json", http.NoBody))
	if said.Ok || said.Status == nil || *said.Status != 404 {
		r.Errorf("a test: %+v", said)
	}
	added := "harbour"
	rule := ok(r.AddRuleWithResponse(ctx, NewRule{Name: "News", Channels: []string{"ops"}}))
	ok(r.SaveRuleWithResponse(ctx, rule.Id, RuleUpdate{Name: "Harbours", Channels: []string{"ops"},
		Filter: &RuleFilter{Added: &added}}))
	ok(r.SaveRuleWithResponse(ctx, rule.Id, RuleUpdate{Name: "Tides", Channels: []string{"ops"}}))
	news := "News"
	ok(r.PatchRuleWithResponse(ctx, rule.Id, PatchRuleJSONRequestBody{Name: &news}))
	if list := ok(r.ListRulesWithResponse(ctx, &ListRulesParams{})).Rules; len(list) != 1 || ok(r.GetRuleWithResponse(ctx,
		rule.Id)).Name != "News" {
		r.Errorf("rules %+v", list)
	}
	return rule.Id
}

// deliveries reads the deliveries of a rule, sends one again, and removes the rule.
func (r *running) deliveries(rule string) {
	ctx := r.Context()
	if test := ok(r.TestRuleWithResponse(ctx, rule)); test.Matched == 0 {
		r.Errorf("a rule: %+v", test)
	}
	if test := ok(r.PreviewRuleWithResponse(ctx, NewRule{Channels: []string{}})); test.Matched == 0 {
		r.Errorf("a preview: %+v", test)
	}
	r.trigger("/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
	all := ok(r.ListDeliveriesWithResponse(ctx, nil)).Deliveries
	if len(all) == 0 || all[0].State != "waiting" {
		r.Fatalf("deliveries %+v", all)
	}
	accepted(r.RetryDeliveryWithResponse(ctx, all[0].Id))
	if why := ok(r.ExplainChangeWithResponse(ctx, all[0].First, nil)); len(why.Rules) != 1 || len(why.Deliveries) != 1 {
		r.Errorf("why %+v", why)
	}
	ok(r.RemoveRuleWithResponse(ctx, rule))
	ok(r.RemoveChannelWithResponse(ctx, "ops"))
}

// sources registers pages and a file, reads everything about a page, and returns the page's id.
func (r *running) sources() (id string) {
	ctx, page := r.Context(), r.site+"/tides"
	item, err := accepted(r.AddUrlsWithResponse(ctx, nil, AddURLRequest{Url: &page})).AsItem()
	must(r.T, err)
	batch, err := accepted(r.AddUrlsWithResponse(ctx, nil,
		AddURLRequest{Urls: &[]string{page, "ftp://port.example/"}})).AsAddURLBatch()
	if must(r.T, err); len(batch.Items) != 2 || batch.Items[0].Item.Id != item.Id || batch.Items[1].Error == nil {
		r.Errorf("a batch: %+v", batch)
	}
	file := filepath.Join(r.files, "a.txt")
	must(r.T, os.WriteFile(file, []byte("Low water is at six."), 0o600))
	_, err = accepted(r.AddFilesWithResponse(ctx, nil, AddFileRequest{Path: &file})).AsItem()
	must(r.T, err)
	r.work()

	if got := ok(r.GetItemWithResponse(ctx, item.Id)); got.Status != StatusIndexed || len(*got.Captures) != 1 {
		r.Errorf("item %+v", got)
	}
	capture := ok(r.ListCapturesWithResponse(ctx, item.Id, nil)).Captures[0]
	text, err := r.GetCaptureWithResponse(ctx, item.Id, capture.Sha256, nil)
	if must(r.T, err); !strings.Contains(string(text.Body), "High water") {
		r.Errorf("capture: %s", text.Body)
	}
	read, err := r.GetTextWithResponse(ctx, item.Id, nil)
	if must(r.T, err); !strings.Contains(string(read.Body), "High water") {
		r.Errorf("page: %s", read.Body)
	}
	if got := ok(r.GetFieldWithResponse(ctx, item.Id, "price", nil)); len(got.Entries) != 1 {
		r.Errorf("a price: %+v", got)
	}
	none, err := r.GetFieldWithResponse(ctx, item.Id, "weight", nil)
	if must(r.T, err); none.StatusCode() != http.StatusNotFound {
		r.Errorf("a field that was not read: %s", none.Body)
	}
	r.changes(item.Id, capture.Sha256)
	ok(r.ListLineageWithResponse(ctx, item.Id, nil))
	if got := ok(r.ListChunksWithResponse(ctx, item.Id)); len(got.Chunks) != 1 {
		r.Errorf("chunks %+v", got)
	}
	if got := ok(r.ListImagesWithResponse(ctx, item.Id)); len(got.Images) != 0 {
		r.Errorf("images %+v", got)
	}
	r.settings(item.Id)
	force := true
	accepted(r.ReindexItemWithResponse(ctx, &ReindexItemParams{Force: &force}, ReindexRequest{Id: &item.Id}))
	top := 1
	if got := ok(r.ListItemsWithResponse(ctx, &ListItemsParams{Top: &top})); len(got.Items) != 1 ||
		got.Continuation == nil {
		r.Errorf("items %+v", got)
	}
	return item.Id
}

// settings changes the settings of an item, of a tag, and of many items.
func (r *running) settings(id string) {
	ctx, least := r.Context(), "1h"
	ok(r.SaveTagWithResponse(ctx, TagRequest{Name: "news", Interval: &Interval{Min: &least}}))
	tags := []string{"news"}
	if got := ok(r.PatchItemWithResponse(ctx, id, PatchItemJSONRequestBody{Tags: &tags})); len(*got.Tags) != 1 {
		r.Errorf("an item with a tag %+v", got)
	}
	words := "daily at 9am"
	ok(r.PatchTagWithResponse(ctx, "news", PatchTagJSONRequestBody{Schedule: &SchedulePatch{Text: &words}}))
	if got := ok(r.GetTagWithResponse(ctx, "news")); got.Schedule == nil || got.Interval != nil {
		r.Errorf("a tag %+v", got)
	}
	if got := ok(r.ListTagsWithResponse(ctx)); len(got.Tags) != 1 {
		r.Errorf("tags %+v", got)
	}
	tag := "news"
	run := accepted(r.StartBulkWithResponse(ctx, BulkRequest{Op: "untag", Tag: &tag, Filter: &ItemFilter{Tag: &tag}}))
	r.work()
	if got := ok(r.GetBulkWithResponse(ctx, run.Id)); got.Status != "done" || got.Done != 1 {
		r.Errorf("a run %+v", got)
	}
	ok(r.RemoveTagWithResponse(ctx, "news"))
}

// changes reads the changes, of which the only one is the new page.
func (r *running) changes(id, capture string) {
	ctx := r.Context()
	ok(r.ListFailuresWithResponse(ctx, nil))
	got := ok(r.ListChangesWithResponse(ctx, nil))
	if len(got.Changes) == 0 || *got.Changes[len(got.Changes)-1].ItemId != id || got.Changes[0].Kind != "new" {
		r.Errorf("changes %+v", got)
	}
	ids := []string{got.Changes[len(got.Changes)-1].Id}
	if me := ok(r.MarkReadWithResponse(ctx, ReadRequest{Ids: &ids})); me.UpTo == nil || *me.UpTo != ids[0] {
		r.Errorf("reader %+v", me)
	}
	if me := ok(r.GetReaderWithResponse(ctx)); me.Unread >= len(got.Changes) { // small changes are not counted
		r.Errorf("reader %+v of %d changes", me, len(got.Changes))
	}
	kept := []SavedFilter{{Name: "Failing", List: "items", Query: "status=Error"}}
	if me := ok(r.SaveReaderWithResponse(ctx, ReaderRequest{Filters: kept})); me.Filters == nil || len(*me.Filters) != 1 {
		r.Errorf("reader %+v", me)
	}
	oldest := "oldest"
	if got := ok(r.ListChangesWithResponse(ctx, &ListChangesParams{Since: &got.Cursor, Order: &oldest})); len(
		got.Changes) != 0 {
		r.Errorf("changes since then %+v", got)
	}
	atom, err := r.ChangesAtomWithResponse(ctx, nil)
	if must(r.T, err); !strings.Contains(string(atom.Body), "<feed") {
		r.Errorf("%s", atom.Body)
	}
	feed, err := r.ChangesJsonWithResponse(ctx, nil)
	if must(r.T, err); feed.ApplicationfeedJSON200 == nil || len(feed.ApplicationfeedJSON200.Items) == 0 {
		r.Errorf("%s", feed.Body)
	}
	items, err := r.ExportItemsWithResponse(ctx, nil)
	if must(r.T, err); !strings.HasPrefix(string(items.Body), "url,id,") {
		r.Errorf("%s", items.Body)
	}
	changes, err := r.ExportChangesWithResponse(ctx, nil)
	if must(r.T, err); !strings.HasPrefix(string(changes.Body), "at,kind,") {
		r.Errorf("%s", changes.Body)
	}
	if diff := ok(r.GetDiffWithResponse(ctx, id, &GetDiffParams{From: &capture, To: &capture})); len(diff.Hunks) != 0 {
		r.Errorf("a capture differs from itself: %+v", diff)
	}
	pattern, preview := "^Seen by", true
	if got := ok(r.IgnoreLinesWithResponse(ctx, id, IgnoreRequest{Pattern: &pattern, Preview: &preview})); got.Saved ||
		len(got.Ignore) != 1 {
		r.Errorf("a preview: %+v", got)
	}
	must(r.T, registry.NewFieldLog(r.store).Remember(ctx, source.ID(id), linememory.Memory{Slots: []linememory.Slot{
		{ID: "boats", Line: "12 boats", Moves: []linememory.Move{{Check: 1}, {Check: 2}}}}}))
	if got := ok(r.GetMemoryWithResponse(ctx, id)); len(got.Parts) != 1 || got.Parts[0].Silent {
		r.Errorf("what moves: %+v", got)
	}
	decided := ok(r.DecideMemoryWithResponse(ctx, id, MemoryRequest{Id: "boats", Do: "never"}))
	if d := decided.Parts[0].Decision; d == nil || *d != "never" {
		r.Errorf("a decision: %+v", decided)
	}
	if got := ok(r.ExplainItemWithResponse(ctx, id, nil)); len(got.Ignore) != 0 || len(got.Memory) != 1 {
		r.Errorf("why: %+v", got)
	}
	listed := ok(r.ListElementsWithResponse(ctx, id, nil))
	if len(listed.Lines) == 0 {
		r.Fatalf("no elements: %+v", listed)
	}
	if got := ok(r.ListOffersWithResponse(ctx, id)); len(got.Offers) > 20 {
		r.Errorf("offers: %+v", got)
	}
	chosen := TryRequest{Capture: &listed.Capture, Element: &listed.Lines[0].Element}
	if got := ok(r.TryWatchWithResponse(ctx, id, chosen)); got.Selector == nil || len(got.Captures) == 0 {
		r.Errorf("a trial: %+v", got)
	}
	if got := accepted(r.AcceptItemWithResponse(ctx, id)); got.Id != id {
		r.Errorf("accepted: %+v", got)
	}
	if got := accepted(r.AcceptWatchWithResponse(ctx, id)); got.WatchBroken != nil {
		r.Errorf("nothing was broken: %+v", got)
	}
}

// index searches the index and rebuilds it.
func (r *running) index(id string) {
	ctx, yes, all := r.Context(), true, "true"
	if got := ok(r.SearchWithResponse(ctx, &SearchParams{Q: "harbour", Facets: &all, NestImages: &yes})); got.Count != 1 ||
		got.Results[0].Id != id || got.Facets == nil {
		r.Errorf("search %+v", got)
	}
	q := "harbour"
	if got := ok(r.RetrieveWithResponse(ctx, RetrieveRequest{Q: &q})); len(got.Passages) != 1 ||
		*got.Passages[0].Capture == "" {
		r.Errorf("retrieved %+v", got)
	}
	if got := ok(r.SearchByPostWithResponse(ctx, SearchRequest{Q: "submarine"})); got.Count != 0 {
		r.Errorf("search for what is not there %+v", got)
	}
	if got := ok(r.SuggestWithResponse(ctx, &SuggestParams{Q: "harb"})); got.Suggestions == nil {
		r.Errorf("suggestions %+v", got)
	}
	host := ok(r.GetStatusWithResponse(ctx, nil)).Hosts[0].Host
	ok(r.GetHostWithResponse(ctx, host))
	run := accepted(r.StartRebuildWithResponse(ctx, nil, RebuildRequest{}))
	ok(r.GetStatusWithResponse(ctx, &GetStatusParams{Host: &host}))
	r.work()
	ok(r.GetRebuildWithResponse(ctx, &GetRebuildParams{Id: run.Id}))
	if got := accepted(r.StartMigrationWithResponse(ctx, MigrationRequest{DryRun: &yes})); got.Steps == nil {
		r.Errorf("migration %+v", got)
	}
	ok(r.GetMigrationWithResponse(ctx))
	missing, err := r.GetRebuildWithResponse(ctx, &GetRebuildParams{Id: "rebuild-x"})
	if must(r.T, err); missing.ApplicationproblemJSON404 == nil || missing.ApplicationproblemJSON404.Detail == nil {
		r.Errorf("a rebuild that there is not: %s", missing.Body)
	}
}

// generations builds a second generation of the index, compares it, lets it answer, and takes that back.
func (r *running) generations() {
	ctx := r.Context()
	begun := accepted(r.BeginGenerationWithResponse(ctx, GenerationRequest{}))
	var whole Generation
	for range 600 {
		if whole = ok(r.GetGenerationWithResponse(ctx, begun.Id)); whole.State == "whole" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if got := ok(r.CompareGenerationWithResponse(ctx, begun.Id, CompareRequest{Queries: []string{"harbour"}})); len(
		got.Queries) != 1 {
		r.Errorf("compared %+v", got)
	}
	ok(r.SwitchGenerationWithResponse(ctx, begun.Id))
	if list := ok(r.ListGenerationsWithResponse(ctx)).Generations; len(list) != 2 || list[0].Id != begun.Id {
		r.Errorf("generations %+v", list)
	}
	ok(r.RollbackGenerationWithResponse(ctx, "g1"))
	ok(r.RemoveGenerationWithResponse(ctx, begun.Id))
	if got := ok(r.FollowChunksWithResponse(ctx, nil)); len(got.Changes) == 0 || got.Generation != "g1" {
		r.Errorf("chunks %+v", got)
	}
}

// entries pushes entries in, alone and in batches, and changes their policies.
func (r *running) entries() {
	ctx, text := r.Context(), "High tide"
	var chat, message TelegramID
	must(r.T, chat.FromTelegramID1(-100))
	must(r.T, message.FromTelegramID0("7"))
	note := ok(r.NormalizeTelegramWithResponse(ctx,
		TelegramRequest{Text: &text, Source: &TelegramSource{ChatId: &chat, MessageId: &message}}))
	mail := "From: a@port.example\nSubject: Tides\nMessage-ID: <1@port.example>\nDate: Sun, 1 Mar 2026 03:00:00 " +
		"+0000\n\nHigh water at noon.\n"
	letter := ok(r.NormalizeEmailWithResponse(ctx, EmailRequest{RawText: &mail}))
	ok(r.NormalizeWebpageWithResponse(ctx, WebpageRequest{Text: &text}))

	inserted, err := ok(r.InsertEntriesWithResponse(ctx, one(note))).AsEntryResult()
	if must(r.T, err); inserted.EntryId == nil || *inserted.Action != "inserted" {
		r.Errorf("inserted %+v", inserted)
	}
	var both EntryOrEntryBatch
	must(r.T, both.FromEntryBatch(EntryBatch{Items: []Entry{note, letter}}))
	many, err := ok(r.InsertEntriesWithResponse(ctx, both)).AsEntryBatchResult()
	if must(r.T, err); len(many.Results) != 2 || *many.Results[1].Action != "inserted" {
		r.Errorf("inserted many %+v", many)
	}
	ok(r.UpdateEntriesWithResponse(ctx, one(Entry{EntryId: inserted.EntryId, Title: &text})))

	ok(r.ListEntryChunksWithResponse(ctx, *inserted.EntryId))
	if got := ok(r.GetEntryWithResponse(ctx, *inserted.EntryId)); got.Title == nil || *got.Title != text {
		r.Errorf("entry %+v", got)
	}
	if got := ok(r.ListEntriesWithResponse(ctx, nil)); len(got.Entries) != 2 {
		r.Errorf("entries %+v", got)
	}

	policy := ok(r.ListPoliciesWithResponse(ctx)).Policies[0]
	ok(r.SavePolicyWithResponse(ctx, *policy.PolicyKey, policy))
	if !ok(r.SetTestModeWithResponse(ctx, TestMode{IsTestMode: true})).IsTestMode ||
		ok(r.ToggleTestModeWithResponse(ctx)).IsTestMode || ok(r.GetTestModeWithResponse(ctx)).IsTestMode {
		r.Error("the test mode is not what it was set to")
	}
}

// one returns a body with one entry, for a route that also accepts many.
func one(e Entry) (body EntryOrEntryBatch) {
	if err := body.FromEntry(e); err != nil {
		panic(err)
	}
	return body
}

// enrichment enriches entries with the language model.
func (r *running) enrichment() {
	ctx, text, source := r.Context(), "The crane moves at high tide.", "notes"
	if got := ok(r.EnrichWithResponse(ctx, EnrichRequest{Text: &text})); got.Gist == "" {
		r.Errorf("enriched %+v", got)
	}
	entry, err := ok(r.InsertEntriesWithResponse(ctx, one(Entry{Source: &source, CleanText: &text}))).AsEntryResult()
	must(r.T, err)
	batch := accepted(r.EnrichBatchWithResponse(ctx, EnrichBatchRequest{EntryIds: []string{*entry.EntryId}}))
	accepted(r.CancelEnrichBatchWithResponse(ctx, batch.Id))
	r.work()
	if got := ok(r.GetEnrichBatchWithResponse(ctx, batch.Id)); got.CancelledAt == nil || len(*got.Lines) != 1 {
		r.Errorf("batch %+v", got)
	}
	if got := ok(r.ListEnrichBatchesWithResponse(ctx, nil)); len(got.Batches) != 1 {
		r.Errorf("batches %+v", got)
	}
}

// imports imports a file of mails.
func (r *running) imports() {
	ctx := r.Context()
	mbox := "From a@port.example Sun Mar  1 03:00:00 2026\nFrom: a@port.example\nSubject: Tides\nMessage-ID: " +
		"<2@port.example>\n\nLow water at six.\n"
	must(r.T, os.WriteFile(filepath.Join(r.files, "a.mbox"), []byte(mbox), 0o600))
	listed := accepted(r.ImportListWithResponse(ctx, ListImportRequest{Content: "mailto:a@port.example"}))
	if got := ok(r.GetListImportWithResponse(ctx, listed.Id)); got.Refused != 1 || len(got.Refusals) != 1 {
		r.Errorf("import of a list %+v", got)
	}
	done := ok(r.ImportMboxWithResponse(ctx, ImportRequest{MboxPath: "a.mbox"}))
	if got := ok(r.GetImportWithResponse(ctx, done.ImportId)); got.Mails != 1 {
		r.Errorf("import %+v", got)
	}
	if got := ok(r.ListImportsWithResponse(ctx, nil)); len(got.Imports) != 1 {
		r.Errorf("imports %+v", got)
	}
}

// backfill starts a run, pauses it, resumes it and cancels it.
func (r *running) backfill() {
	ctx := r.Context()
	if got := ok(r.ListBackfillSitesWithResponse(ctx)); len(got.Sites) != 1 {
		r.Errorf("sites %+v", got)
	}
	run := accepted(r.StartBackfillWithResponse(ctx, BackfillRequest{Sources: []string{"port"}}))
	accepted(r.PauseBackfillWithResponse(ctx, run.Id))
	accepted(r.ResumeBackfillWithResponse(ctx, run.Id))
	accepted(r.CancelBackfillWithResponse(ctx, run.Id))
	ok(r.GetBackfillWithResponse(ctx, run.Id))
	ok(r.ListBackfillsWithResponse(ctx, nil))
}

// looks polls a site, and submits pages of it.
func (r *running) looks() {
	ctx, page := r.Context(), r.site+"/tides"
	if got := ok(r.ListSitesWithResponse(ctx)); len(got.Sites) != 1 || !got.Sites[0].Watched {
		r.Errorf("sites %+v", got)
	}
	if got := accepted(r.LookAtSiteWithResponse(ctx, "port")); got.Look == nil {
		r.Errorf("a look %+v", got)
	}
	ok(r.GetSiteWithResponse(ctx, "port"))
	added := ok(r.AddSiteWithResponse(ctx, SiteRequest{Url: "quay.invalid/news"}))
	feeds := []string{"https://quay.invalid/f"}
	if got := ok(r.PatchSiteWithResponse(ctx, added.Slug, PatchSiteJSONRequestBody{Feeds: &feeds})); got.Set == nil {
		r.Errorf("changed %+v", got)
	}
	if got := ok(r.RemoveSiteWithResponse(ctx, added.Slug)); got.Domain != "quay.invalid" {
		r.Errorf("removed %+v", got)
	}
	at := r.site + "/" + indexNowKey + ".txt"
	ok(r.IndexNowWithResponse(ctx,
		IndexNowRequest{Host: strings.TrimPrefix(r.site, "http://"), Key: indexNowKey, KeyLocation: &at,
			UrlList: []string{page}}))
	ok(r.IndexNowOneWithResponse(ctx, &IndexNowOneParams{Url: page, Key: indexNowKey, KeyLocation: &at}))
}

// service uses the operations about the app itself.
func (r *running) service() {
	ctx := r.Context()
	if got := ok(r.GetHealthWithResponse(ctx)); got.Status != "ok" {
		r.Errorf("health %+v", got)
	}
	if got := ok(r.GetConfigWithResponse(ctx)); got.Settings["LITELLM_MASTER_KEY"] != "(set)" {
		r.Errorf("settings %+v", got)
	}
	for _, s := range ok(r.GetSettingsWithResponse(ctx)).Settings {
		if s.Name == "LITELLM_MASTER_KEY" && (s.Value != "set" || !s.Secret || s.From != "environment") {
			r.Errorf("setting %+v", s)
		}
	}
	level := "warn"
	changed := ok(r.PatchSettingsWithResponse(ctx, SettingsPatch{"LOG_LEVEL": &level}))
	isChanged := func(s ServerSetting) bool { return s.Name == "LOG_LEVEL" && s.Value == level }
	if !slices.ContainsFunc(changed.Settings, isChanged) {
		r.Errorf("after a change: %+v", changed.Settings)
	}
	if got := ok(r.GetOpenAPIWithResponse(ctx)); got["openapi"] != "3.1.0" {
		r.Errorf("openapi %v", got["openapi"])
	}
	if got := ok(r.GetSchemaWithResponse(ctx, "rules")); got["$id"] != "urn:tidemark:schema:rules" {
		r.Errorf("schema %v", got["$id"])
	}
	if got := ok(r.GetActivityWithResponse(ctx, nil)); len(got.Hours) == 0 || got.Total.Checks == 0 {
		r.Errorf("activity %+v", got)
	}
	made := ok(r.AddKeyWithResponse(ctx, KeyRequest{Name: "reports", Scope: "read"}))
	if list := ok(r.ListKeysWithResponse(ctx)).Keys; len(list) != 1 || list[0].Name != made.Name || made.Key == "" {
		r.Errorf("made %+v, listed %+v", made, list)
	}
	ok(r.RemoveKeyWithResponse(ctx, made.Name))
	numbers, err := r.GetMetricsWithResponse(ctx)
	if must(r.T, err); !strings.Contains(string(numbers.Body), "tidemark_checks_total") {
		r.Errorf("metrics: %s", numbers.Body)
	}
	called := ok(r.CallToolWithResponse(ctx, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
		func(_ context.Context, q *http.Request) error {
			q.Header.Set("Accept", "application/json, text/event-stream")
			return nil
		}))
	if message, _ := called.(map[string]any); message["result"] == nil {
		r.Errorf("tools %+v", called)
	}
	page, err := r.GetDocsWithResponse(ctx)
	if must(r.T, err); !bytes.HasPrefix(page.Body, []byte("<!doctype html>")) {
		r.Errorf("docs: %.40s", page.Body)
	}
}
