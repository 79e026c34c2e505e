package registry

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// fullItem has every column set.
func fullItem() Item {
	at := time.Date(2025, 8, 30, 21, 0, 0, 123_000_000, time.UTC)
	return Item{
		Identity: Identity{
			Version: 1, ID: "url_k7gxn3aaaaaaaaaaaaaaaaaaaa", Type: "url",
			NormalizedSource: "https://contoso.com/blog/post-1", DisplaySource: "https://contoso.com/blog/post-1",
			SourceHost: "contoso.com", ContentGroupID: "group", ParentPageID: "url_parent", DiscoveryMethod: "API",
			FirstSeen: at,
		},
		Asked: Asked{RemoveRequested: true, ReindexGeneration: 3, RebuildRun: "run"},
		Seen: Seen{
			Status: Indexed, FetchSource: "https://contoso.com/blog/post-1/",
			HTTPEtag: `W/"a1b2c3"`, HTTPLastModified: "2025-08-20T12:00:00.000Z", HTTPContentLength: 1 << 40,
			HTTPStatusCode: 200, HTTPRedirectChain: []string{"301 https://contoso.com/blog/post-1/"},
			HTTPRobotsAllowed: true, HTTPCanonicalURL: "https://contoso.com/blog/post-1",
			HTTPFinalURL: "https://contoso.com/blog/post-1/", HTTPUnconditional: true,
			FileEtag: "0x1", FileLastModified: "2025-08-20T12:00:00.000Z", FileLength: 5, FileContentType: "text/plain",
			ImagesHash: "sha256:33", ImageExclusion: "noimageindex",
			RawHash: "sha256:00", ContentHash: "sha256:8e2f", TextHash: "sha256:9f1a", IndexedHash: "sha256:8e2f",
			Exclusion: "noindex", NormalizationVersion: "http_snapshot_url_v1_text_v1",
			Language: "en", MimeType: "text/html", Title: "Post", LastIndexedDocID: "page_0b1a", ImageCount: 3,
			LastChecked: at.Add(1e9), LastChanged: at.Add(2e9), LastIndexed: at.Add(3e9), ErrorMessage: "HTTP 500",
			CaptureCount: 4, OldestCapture: at.Add(7e9),
			History: []Decision{{At: at, What: "indexed", Why: "because"}},
		},
		Plan: Plan{
			ReindexRequested: true, ProcessedGeneration: 2, RebuildPending: true, IndexPending: true,
			ResumeAt: time.Date(2025, 9, 1, 0, 0, 0, 0, time.UTC), NextCrawlAt: at.Add(4e9),
			CrawlIntervalSeconds: 259200, CrawlAttempts: 5, UnchangedChecks: 1, MissingChecks: 2,
			GuardedSince: at.Add(5e9), GoneSince: at.Add(6e9),
		},
		Lock: Lock{Deaths: 1, Begun: true, LockedUntil: at, LockOwner: "owner"},
		key:  storage.Key{Partition: "contoso.com", Row: "k7gxn3aaaaaaaaaaaaaaaaaaaa"},
	}
}

// Rows of every earlier version are read with their original meaning. The checked-in row of a released version is
// never rewritten.
func TestA6OldRowsAreReadAsWritten(t *testing.T) {
	const file = "testdata/item_v1.json"
	want := fullItem()
	if goldentest.Update() {
		b, _ := json.MarshalIndent(want.entity().Props, "", "  ")
		goldentest.Write(t, file, string(b)+"\n")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	raw := map[string]any{}
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	props := storage.Properties{}
	for name, v := range raw {
		if n, ok := v.(float64); ok {
			v = int64(n)
		}
		props[name] = v
	}
	have := itemOf(storage.Entity{Key: want.key, Props: props})
	if d := cmp.Diff(want, have, cmpopts.IgnoreUnexported(Item{})); d != "" {
		t.Errorf("the stored row reads differently (-want +have):\n%s", d)
	}
	if d := cmp.Diff(map[string]any(props), map[string]any(want.entity().Props)); d != "" {
		t.Errorf("the row is written differently (-stored +have):\n%s", d)
	}
}

// A6: every column of spec 003 §4, flattened, is in the row under its name.
func TestA6EveryColumnOfTheSeed(t *testing.T) {
	it := fullItem()
	props := it.entity().Props
	for name := range strings.FieldsSeq(`id type normalizedSource displaySource sourceHost parentPageId status
		reindexRequested reindexGeneration httpEtag httpLastModified httpContentLength httpStatusCode
		httpRedirectChain httpRobotsAllowed httpCanonicalUrl fileEtag fileLastModified fileLength fileContentType
		contentHash textHash language mimeType lastIndexedDocId imageCount firstSeen lastChecked lastChanged
		lastIndexed crawlAttempts errorMessage nextCrawlAt crawlIntervalSeconds contentGroupId`) {
		if _, ok := props[name]; !ok {
			t.Errorf("column %s is missing", name)
		}
	}
	if err := storage.CheckTransaction([]storage.Op{{Kind: storage.Insert, Entity: it.entity()}}); err != nil {
		t.Error(err)
	}
}

func TestDamagedColumnsReadAsEmpty(t *testing.T) {
	it := itemOf(storage.Entity{Props: storage.Properties{
		"history": "{", "nextCrawlAt": "soon", "imageCount": "three", "status": int64(1), "reindexRequested": "yes",
	}})
	if d := cmp.Diff(Item{}, it, cmpopts.IgnoreUnexported(Item{})); d != "" {
		t.Errorf("damage shows: %s", d)
	}
}

// A13: messages are cut to 1,024 characters, and the history to what a column holds.
func TestA13BoundedTexts(t *testing.T) {
	var it Item
	it.SetError(strings.Repeat("é", 3000))
	if n := len([]rune(it.ErrorMessage)); n != 1024 {
		t.Errorf("error message of %d characters", n)
	}
	for i := range 200 {
		it.Record(noon.Add(time.Duration(i)*time.Minute), "unchanged", strings.Repeat("漢", 1000))
	}
	if len(it.History) > maxHistory+2 || jsonLen(it.History) > maxHistoryBytes {
		t.Errorf("%d decisions in %d bytes", len(it.History), jsonLen(it.History))
	}
	if last := it.History[len(it.History)-1]; !last.At.Equal(noon.Add(199 * time.Minute)) {
		t.Error("the newest decision is not kept")
	}
	for range 200 {
		it.Record(noon, "unchanged", "")
	}
	if n := len(it.History); n != 32 {
		t.Errorf("%d short decisions are kept, want 32", n)
	}
}

func TestKeys(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	due, hash, ok := parseDueRow(dueRow(at, "abc"))
	if !ok || !due.Equal(at) || hash != "abc" {
		t.Errorf("due row: %v %q %v", due, hash, ok)
	}
	for _, row := range []string{"abc", "due|", "due|x|y", "host|a"} {
		if _, _, ok := parseDueRow(row); ok {
			t.Errorf("%q is taken for a due row", row)
		}
	}
}

func TestParseJobRefuses(t *testing.T) {
	for name, body := range map[string]string{
		"not JSON":  "{",
		"no items":  `{"partitionKey":"a","host":"a","items":[]}`,
		"no host":   `{"partitionKey":"a","items":[{"rowKey":"x"}]}`,
		"due row":   `{"partitionKey":"a","host":"a","items":[{"rowKey":"due|x"}]}`,
		"empty key": `{"partitionKey":"a","host":"a","items":[{"rowKey":""}]}`,
	} {
		if _, err := ParseJob([]byte(body)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParseJob(f *testing.F) {
	f.Add([]byte(`{"partitionKey":"a","host":"a","items":[{"id":"url_x","rowKey":"x","generation":1}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if j, err := ParseJob(body); err == nil && (len(j.Items) == 0 || len(j.Items) > policy.JobItems) {
			t.Errorf("accepted %d items", len(j.Items))
		}
	})
}

// W9: tags are stored in a row and read back.
func TestW9OptionsAreStored(t *testing.T) {
	priority := 0
	it := fullItem()
	it.Tags, it.Paused = []string{"a", "b c"}, true
	it.Options = api.Settings{TagSettings: api.TagSettings{Priority: &priority, Watch: &api.Watch{Ignore: []string{`\d+ <b>`}}}}
	have := itemOf(storage.Entity{Key: it.key, Props: it.entity().Props})
	if len(have.Tags) != 2 || !have.Paused || *have.Options.Priority != 0 || have.Options.Watch.Ignore[0] != `\d+ <b>` {
		t.Errorf("read as %v %v %+v", have.Tags, have.Paused, have.Options)
	}
}
