package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asked is a request through a route, with its expected form on the wire.
type asked struct {
	of         *Endpoint
	line, body string
	answer     string // "{}" when empty
	do         func(t *testing.T, c *Client) error
}

func ask[Q, A any](r Route[Q, A], q Q, line, body string) asked {
	return asked{r.Endpoint, line, body, "", func(t *testing.T, c *Client) error {
		_, err := r.Call(t.Context(), c, q)
		return err
	}}
}

// tideSHA256 is the digest of "tide".
const tideSHA256 = "8a28929ac7f9a17e97a421ac2cd63ac73568ebe87bc0cee641a193d91c761577"

var requests = []asked{
	ask(AddURL, AddURLRequest{URL: "https://a.example/", Force: true}, "POST AddUrlDocument",
		`{"url":"https://a.example/","force":true}`),
	{addURLs.Endpoint, "POST AddUrlDocument", `{"urls":["a","b"]}`, `{"items":[{"source":"a"},{"source":"b"}]}`,
		func(t *testing.T, c *Client) error {
			_, err := c.AddURLs(t.Context(), []string{"a", "b"}, AddOptions{})
			return err
		}},
	ask(AddFile, AddFileRequest{Path: "/x"}, "POST AddFileDocument", `{"path":"/x"}`),
	{addFiles.Endpoint, "POST AddFileDocument", `{"paths":["/x"]}`, `{"items":[{"source":"/x"}]}`,
		func(t *testing.T, c *Client) error {
			_, err := c.AddFiles(t.Context(), []string{"/x"}, AddOptions{})
			return err
		}},
	ask(ReindexItem, ReindexRequest{ID: "url_a", Force: true}, "POST ReindexItem", `{"id":"url_a","force":true}`),
	ask(ListItems, ItemQuery{Status: StatusError, Top: 5, Continuation: "a b"},
		"GET items?continuation=a+b&status=Error&top=5", ""),
	ask(GetItem, ItemID{ID: "url_a/b"}, "GET items/url_a%2Fb", ""),
	ask(RemoveItem, ItemID{ID: "url_a"}, "DELETE items/url_a", ""),
	ask(PatchItem, ItemPatch{ID: "url_a", ItemSettings: ItemSettings{Tags: []string{"a"}}}, "PATCH items/url_a",
		`{"tags":["a"]}`),
	ask(StartBulk, BulkRequest{IDs: []string{"url_a"}, Op: "check"}, "POST items/bulk",
		`{"ids":["url_a"],"op":"check"}`),
	ask(GetBulk, BulkID{ID: "bulk-1"}, "GET bulk/bulk-1", ""),
	ask(ListTags, None{}, "GET tags", ""),
	ask(SaveTag, TagRequest{Name: "a b", TagSettings: TagSettings{Interval: &Interval{Min: "1h"}}}, "POST tags",
		`{"name":"a b","interval":{"min":"1h"}}`),
	ask(GetTag, TagName{Name: "a b"}, "GET tags/a%20b", ""),
	ask(PatchTag, TagPatch{Name: "a", TagSettings: TagSettings{Schedule: &Schedule{Text: "hourly"}}}, "PATCH tags/a",
		`{"schedule":{"text":"hourly"}}`),
	ask(RemoveTag, TagName{Name: "a"}, "DELETE tags/a", ""),
	ask(ListCaptures, CaptureQuery{ID: "url_a", Continuation: "b"}, "GET items/url_a/captures?continuation=b", ""),
	ask(ListEdges, EdgeQuery{ID: "url_a"}, "GET items/url_a/lineage", ""),
	ask(ListChunks, ItemID{ID: "url_a"}, "GET items/url_a/chunks", ""),
	ask(FollowChunks, ChunkQuery{Since: "a.1", Top: 5, Tag: "b", Vectors: true},
		"GET chunks/changes?since=a.1&tag=b&top=5&vectors=true", ""),
	ask(EntryChunks, EntryID{ID: "entry_a"}, "GET entries/entry_a/chunks", ""),
	ask(ListGenerations, None{}, "GET generations", ""),
	ask(BeginGeneration, GenerationRequest{Model: new("tide-2")}, "POST generations", `{"model":"tide-2"}`),
	ask(GetGeneration, GenerationID{ID: "a"}, "GET generations/a", ""),
	ask(RemoveGeneration, GenerationID{ID: "a"}, "DELETE generations/a", ""),
	ask(CompareGeneration, CompareRequest{ID: "a", Queries: []string{"tide"}, Top: 5}, "POST generations/a/compare",
		`{"queries":["tide"],"top":5}`),
	ask(SwitchGeneration, GenerationID{ID: "a"}, "POST generations/a/switch", ""),
	ask(RollbackGeneration, GenerationID{ID: "a"}, "POST generations/a/rollback", ""),
	ask(ListImages, ItemID{ID: "url_a"}, "GET items/url_a/images", ""),
	{GetCapture.Endpoint, "GET items/url_a/captures/" + tideSHA256 + "?raw=true", "", "tide",
		func(t *testing.T, c *Client) error {
			_, err := c.Capture(t.Context(), "url_a", tideSHA256)
			return err
		}},
	{GetText.Endpoint, "GET items/url_a/text?asOf=day", "", "# Tide", func(t *testing.T, c *Client) error {
		_, err := GetText.Call(t.Context(), c, TextQuery{ID: "url_a", AsOf: "day"})
		return err
	}},
	{GetField.Endpoint, "GET items/url_a/fields/sale%20price?format=csv", "", "at,value",
		func(t *testing.T, c *Client) error {
			_, err := GetFieldCSV.Call(t.Context(), c, FieldQuery{ID: "url_a", Name: "sale price", Format: "csv"})
			return err
		}},
	ask(GetField, FieldQuery{ID: "url_a", Name: "price", Top: 5}, "GET items/url_a/fields/price?top=5", ""),
	ask(GetPageText, TextQuery{ID: "url_a", Format: "json"}, "GET items/url_a/text?format=json", ""),
	ask(SearchByGet, SearchRequest{Q: "tide", NestImages: true}, "GET Search?nestImages=true&q=tide", ""),
	ask(Suggest, SuggestQuery{Q: "ti"}, "GET suggest?q=ti", ""),
	ask(Search, SearchRequest{Q: "tide", Top: 3}, "POST Search", `{"q":"tide","top":3}`),
	ask(Retrieve, RetrieveRequest{Queries: []string{"tide"}, Filter: RetrieveFilter{Host: "a.example"}, MaxAge: "7d"},
		"POST retrieve", `{"queries":["tide"],"filter":{"host":"a.example"},"maxAge":"7d"}`),
	ask(ListChanges, ChangeQuery{Since: "1-2-3", MinShare: .5, Q: "a b", Top: 5},
		"GET changes?minShare=0.5&q=a+b&since=1-2-3&top=5", ""),
	{ChangesAtom.Endpoint, "GET changes.atom?host=a.example", "", "<feed/>", func(t *testing.T, c *Client) error {
		_, err := ChangesAtom.Call(t.Context(), c, FeedQuery{Host: "a.example"})
		return err
	}},
	ask(ChangesJSON, FeedQuery{Kind: "gone"}, "GET changes.json?kind=gone", ""),
	ask(ListFailures, FailureQuery{Since: "1d", Host: "a.example", Kind: "dns", Top: 5},
		"GET failures?host=a.example&kind=dns&since=1d&top=5", ""),
	ask(GetDiff, DiffQuery{ID: "url_a", From: "b"}, "GET items/url_a/diff?from=b", ""),
	ask(ExplainChange, ChangeID{ID: "1.2.3"}, "GET changes/1.2.3/why", ""),
	ask(ListRules, RuleQuery{}, "GET rules", ""),
	ask(AddRule, NewRule{RuleSpec{Name: "a", Filter: RuleFilter{ChangeFilter: ChangeFilter{Host: "h"}, Added: "x"},
		Channels: []string{"c"}}, RuleSaving{Anyway: true}}, "POST rules",
		`{"name":"a","filter":{"host":"h","added":"x"},"channels":["c"],"anyway":true}`),
	ask(GetRule, RuleID{ID: "rule_a"}, "GET rules/rule_a", ""),
	ask(SaveRule, RuleUpdate{ID: "rule_a", RuleSpec: RuleSpec{Name: "a", Channels: []string{"c"}}}, "PUT rules/rule_a",
		`{"id":"rule_a","name":"a","channels":["c"]}`),
	ask(PatchRule, RulePatch{ID: "rule_a", RuleSpec: RuleSpec{Name: "b"}, Patching: Patching{Patch{"at": nil}}},
		"PATCH rules/rule_a", `{"at":null,"name":"b"}`),
	ask(RemoveRule, RuleID{ID: "rule_a"}, "DELETE rules/rule_a", ""),
	ask(PreviewRule, NewRule{RuleSpec: RuleSpec{Digest: "hourly"}}, "POST rules/test", `{"name":"","channels":null,"digest":"hourly"}`),
	ask(TestRule, RuleID{ID: "rule_a"}, "POST rules/rule_a/test", ""),
	ask(ListChannels, None{}, "GET channels", ""),
	ask(AddChannel, ChannelSpec{Name: "c", ChannelSettings: ChannelSettings{Kind: "webhook", URL: "u"}}, "POST channels",
		`{"name":"c","kind":"webhook","url":"u"}`),
	ask(SaveChannel, ChannelUpdate{Name: "c",
		ChannelSettings: ChannelSettings{Kind: "shoutrrr", URLFrom: "N"}}, "PUT channels/c",
		`{"name":"c","kind":"shoutrrr","urlFrom":"N"}`),
	ask(PatchChannel, ChannelPatch{Name: "c", Patching: Patching{Patch{"url": "u"}}}, "PATCH channels/c", `{"url":"u"}`),
	ask(RemoveChannel, ChannelName{Name: "c"}, "DELETE channels/c", ""),
	ask(TestChannel, ChannelTest{Name: "c"}, "POST channels/c/test", `{"name":"c"}`),
	ask(CheckChannel, ChannelUpdate{Name: "c",
		ChannelSettings: ChannelSettings{Kind: "ntfy", Fields: map[string]string{"topic": "t"}}},
		"POST channels/c/check", `{"name":"c","kind":"ntfy","fields":{"topic":"t"}}`),
	ask(ListDeliveries, DeliveryQuery{State: "failed", Top: 5}, "GET deliveries?state=failed&top=5", ""),
	ask(RetryDelivery, DeliveryID{ID: "d"}, "POST deliveries/d/retry", ""),
	ask(GetReader, None{}, "GET readers/me", ""),
	ask(SaveReader, ReaderRequest{Filters: []SavedFilter{{"Failing", "items", "status=Error"}}}, "PATCH readers/me",
		`{"filters":[{"name":"Failing","list":"items","query":"status=Error"}]}`),
	ask(MarkRead, ReadRequest{UpTo: "1.2.3"}, "POST changes/read", `{"upTo":"1.2.3"}`),
	ask(IgnoreLines, IgnoreRequest{ID: "url_a", Hunk: 2, Preview: true}, "POST items/url_a/ignore",
		`{"hunk":2,"preview":true}`),
	ask(GetMemory, ItemID{ID: "url_a"}, "GET items/url_a/memory", ""),
	ask(DecideMemory, MemoryRequest{Item: "url_a", ID: "p", Do: "never"}, "POST items/url_a/memory",
		`{"id":"p","do":"never"}`),
	ask(ExplainItem, ItemWhyQuery{ID: "url_a", Top: 5}, "GET items/url_a/why?top=5", ""),
	ask(ListElements, ElementQuery{ID: "url_a", Capture: "c", Find: "a b"}, "GET items/url_a/elements?capture=c&find=a+b",
		""),
	ask(ListOffers, ItemID{ID: "url_a"}, "GET items/url_a/offers", ""),
	ask(TryWatch, TryRequest{ID: "url_a", Capture: "c", Element: 2, As: "out"}, "POST items/url_a/watch/try",
		`{"capture":"c","element":2,"as":"out"}`),
	ask(AcceptItem, ItemID{ID: "url_a"}, "POST items/url_a/accept", ""),
	ask(AcceptWatch, ItemID{ID: "url_a"}, "POST items/url_a/watch/accept", ""),
	ask(GetStatus, StatusQuery{Host: "a.example"}, "GET SearchStatus?host=a.example", ""),
	ask(GetHost, HostName{Host: "a.example"}, "GET hosts/a.example", ""),
	ask(StartRebuild, RebuildRequest{Scope: &RebuildScope{Host: "a.example"}, Refetch: true}, "POST RebuildIndex",
		`{"scope":{"host":"a.example"},"refetch":true}`),
	ask(GetRebuild, RebuildID{ID: "run_1"}, "GET RebuildIndex?id=run_1", ""),
	ask(StartMigration, MigrationRequest{DryRun: true}, "POST migrate", `{"dryRun":true}`),
	ask(GetMigration, None{}, "GET migrate", ""),
	ask(StartBackfill, BackfillRequest{Sources: []string{"port"}, DryRun: true}, "POST backfill/runs",
		`{"sources":["port"],"dryRun":true}`),
	ask(ListBackfills, BackfillQuery{Top: 5, Continuation: "backfill-x"},
		"GET backfill/runs?continuation=backfill-x&top=5", ""),
	ask(GetBackfill, BackfillID{ID: "backfill-x"}, "GET backfill/runs/backfill-x", ""),
	ask(ResumeBackfill, BackfillID{ID: "backfill-x"}, "POST backfill/runs/backfill-x/resume", ""),
	ask(PauseBackfill, BackfillID{ID: "backfill-x"}, "POST backfill/runs/backfill-x/pause", ""),
	ask(CancelBackfill, BackfillID{ID: "backfill-x"}, "POST backfill/runs/backfill-x/cancel", ""),
	ask(ListBackfillSites, None{}, "GET backfill/sites", ""),
	ask(ListSites, None{}, "GET sites", ""),
	ask(AddSite, SiteRequest{URL: "a.example"}, "POST sites", `{"url":"a.example"}`),
	ask(PatchSite, SitePatch{Slug: "a", SiteSettings: SiteSettings{Follow: &SiteFollow{Depth: 4}}}, "PATCH sites/a",
		`{"follow":{"depth":4}}`),
	ask(RemoveSite, SiteSlug{"a"}, "DELETE sites/a", ""),
	ask(ListMutes, MuteQuery{}, "GET mutes", ""),
	ask(AddMute, MuteRequest{ItemID: "url_a", For: "day"}, "POST mutes", `{"itemId":"url_a","for":"day"}`),
	ask(GetPublicAddress, None{}, "GET address", ""),
	ask(SavePublicAddress, PublicAddressRequest{URL: "https://t.example"}, "PUT address", `{"url":"https://t.example"}`),
	ask(RemoveMute, MuteID{ID: "url_a.page.1"}, "DELETE mutes/url_a.page.1", ""),
	ask(UndoAction, UndoID{ID: "0a1b-x"}, "POST undo/0a1b-x", ""),
	ask(ListKeys, None{}, "GET keys", ""),
	ask(AddKey, KeyRequest{Name: "ci", Scope: ScopeRead}, "POST keys", `{"name":"ci","scope":"read"}`),
	ask(RemoveKey, KeyName{Name: "ci"}, "DELETE keys/ci", ""),
	ask(GetSite, SiteSlug{Slug: "port"}, "GET sites/port", ""),
	ask(PollSite, SiteSlug{Slug: "port"}, "POST sites/port/look", ""),
	ask(IndexNow, IndexNowRequest{Host: "h", Key: "k", URLList: []string{"u"}}, "POST IndexNow",
		`{"host":"h","key":"k","urlList":["u"]}`),
	ask(IndexNowURL, IndexNowOne{URL: "u", Key: "k"}, "GET IndexNow?key=k&url=u", ""),
	ask(NormalizeTelegram, TelegramRequest{Text: "x", Source: TelegramSource{ChatID: "1", MessageID: "2"}},
		"POST normalize/telegram",
		`{"text":"x","source":{"chat_id":"1","message_id":"2"}}`),
	ask(NormalizeEmail, EmailRequest{RawText: "x", Subject: "y"}, "POST normalize/email",
		`{"raw_text":"x","subject":"y"}`),
	ask(NormalizeWebpage, WebpageRequest{Text: new(string)}, "POST normalize/webpage", `{"text":""}`),
	ask(InsertEntry, Entry{Source: "a"}, "POST db/insert", `{"source":"a"}`),
	ask(insertEntries, EntryBatch{Items: []Entry{{Source: "a"}}, ContinueOnError: true}, "POST db/insert",
		`{"items":[{"source":"a"}],"continue_on_error":true}`),
	ask(UpdateEntry, Entry{EntryID: "e"}, "POST db/update", `{"entry_id":"e"}`),
	ask(updateEntries, EntryBatch{Items: []Entry{{ID: "e"}}}, "POST db/update", `{"items":[{"id":"e"}]}`),
	ask(ListEntries, EntryQuery{Policy: "p", Top: 5, Continuation: "x"}, "GET entries?continuation=x&policy=p&top=5", ""),
	ask(GetEntry, EntryID{ID: "entry_a-b/c"}, "GET entries/entry_a-b%2Fc", ""),
	ask(ListPolicies, None{}, "GET policies", ""),
	ask(SavePolicy, Policy{PolicyKey: "a", Source: "b", ConflictAction: "skip"}, "PUT policies/a",
		`{"policy_key":"a","source":"b","content_type":"","conflict_action":"skip","update_fields":null,"enabled":false}`),
	ask(GetTestMode, None{}, "GET test-mode", ""),
	ask(SetTestMode, TestMode{}, "PUT test-mode", `{"is_test_mode":false}`),
	ask(ToggleTestMode, None{}, "POST test-mode/toggle", ""),
	ask(ImportMbox, ImportRequest{MboxPath: "a.mbox"}, "POST import/email/mbox", `{"mbox_path":"a.mbox"}`),
	ask(ImportList, ListImportRequest{Content: "a", Format: "csv"}, "POST import", `{"content":"a","format":"csv"}`),
	ask(GetListImport, ListImportID{ID: "list-1"}, "GET import/list/list-1", ""),
	ask(ExportItems, ItemExport{Format: "csv", Host: "h", Paused: true},
		"GET export/items?format=csv&host=h&paused=true", ""),
	ask(ExportChanges, ChangeExport{Since: "day", MinShare: .5}, "GET export/changes?minShare=0.5&since=day", ""),
	ask(ListImports, ImportQuery{Top: 5}, "GET import/email?top=5", ""),
	ask(GetImport, ImportID{ID: "mbox-1"}, "GET import/email/mbox-1", ""),
	ask(Enrich, EnrichRequest{EntryID: "e"}, "POST enrich/tier1", `{"entry_id":"e"}`),
	ask(StartEnrichBatch, EnrichBatchRequest{EntryIDs: []string{"e"}}, "POST enrich/tier1/batch", `{"entry_ids":["e"]}`),
	ask(ListEnrichBatches, EnrichQuery{Schema: "pkm", Top: 5, Before: "t1-x"},
		"GET enrich/tier1/batches?before=t1-x&schema=pkm&top=5", ""),
	ask(GetEnrichBatch, EnrichBatchID{ID: "t1-x.2"}, "GET enrich/tier1/batches/t1-x.2", ""),
	ask(CancelEnrichBatch, EnrichBatchID{ID: "t1-x.2"}, "POST enrich/tier1/batches/t1-x.2/cancel", ""),
	ask(GetHealth, None{}, "GET health", ""),
	ask(GetConfig, None{}, "GET config", ""),
	ask(GetSettings, None{}, "GET settings", ""),
	ask(PatchSettings, SettingsPatch{"LOG_LEVEL": new("debug"), "CRAWL_MAX_DELAY_MS": nil}, "PATCH settings",
		`{"CRAWL_MAX_DELAY_MS":null,"LOG_LEVEL":"debug"}`),
	ask(GetMetrics, None{}, "GET metrics", ""),
	ask(GetActivity, ActivityQuery{Hours: 48}, "GET activity?hours=48", ""),
	ask(GetOpenAPI, None{}, "GET openapi.json", ""),
	ask(GetSchema, SchemaName{Name: "sites"}, "GET schemas/sites", ""),
	ask(CallTool, ToolMessage{"method": "ping"}, "POST mcp", `{"method":"ping"}`),
	ask(GetDocs, None{}, "GET docs", ""),
}

// TestRoutes checks the request line, the key and the body of every route against the contract.
func TestRoutes(t *testing.T) {
	seenRoutes := map[*Endpoint]bool{}
	for _, tt := range requests {
		seenRoutes[tt.of] = true
		t.Run(tt.line, func(t *testing.T) {
			answer := tt.answer
			if answer == "" {
				answer = "{}"
			}
			c, last := serve(t, http.StatusOK, "application/json", answer)
			if err := tt.do(t, c); err != nil {
				t.Fatal(err)
			}
			method, path, _ := strings.Cut(tt.line, " ")
			want := seen{Line: method + " /api/" + path, Key: "secret", Body: tt.body}
			if diff := cmp.Diff(want, *last); diff != "" {
				t.Errorf("request (-want +have):\n%s", diff)
			}
		})
	}
	for _, e := range Routes() {
		if !seenRoutes[e] {
			t.Errorf("no request for %s", e.Pattern())
		}
	}
}

// TestParams checks that the tags of requests are valid: a path parameter occurs in the path, and bounds are numbers.
func TestParams(t *testing.T) {
	for _, e := range Routes() {
		inPath := 0
		for _, p := range e.Params() {
			if p.InPath {
				inPath++
				if !strings.Contains(e.Path, "{"+p.Name+"}") {
					t.Errorf("%s has no {%s}", e.Pattern(), p.Name)
				}
			}
			for _, tag := range []string{"default", "min", "max"} {
				text, given := p.Tag.Lookup(tag)
				if _, err := strconv.Atoi(text); given && err != nil && text != "false" {
					t.Errorf("%s: %s of %s is %q", e.Pattern(), tag, p.Name, text)
				}
			}
		}
		if have := strings.Count(e.Path, "{"); have != inPath {
			t.Errorf("%s: %d names in the path, %d fields", e.Pattern(), have, inPath)
		}
	}
}
