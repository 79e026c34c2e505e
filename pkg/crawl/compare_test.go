package crawl

import (
	"net/http"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// tableRules are those of the tables: an index, and the defaults.
func tableRules() rules {
	return rules{
		agent: "Tidemark", sources: source.DefaultRules(), version: lineage.Current, schedule: schedule.Defaults(),
		indexes: true, reindexOnCanonical: true, soft404: true,
	}
}

// indexedItem is a page that the index holds as it was last fetched.
func indexedItem() registry.Item {
	return registry.Item{
		Identity: registry.Identity{
			ID: "url_a", Type: source.URL, NormalizedSource: "https://a.example/x", DisplaySource: "https://a.example/x",
			SourceHost: "a.example",
		},
		Seen: registry.Seen{
			Status: registry.Indexed, HTTPRobotsAllowed: true, HTTPFinalURL: "https://a.example/x",
			RawHash: "sha256:bytes", ContentHash: "sha256:content", IndexedHash: "sha256:content",
			NormalizationVersion: lineage.Current.String(),
		},
	}
}

// answer is a response of that page, by status and header.
func answer(status int, header ...string) fetched {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return fetched{raw: "sha256:bytes", resp: fetch.Response{
		Status: status, NotModified: status == http.StatusNotModified, Header: h, FinalURL: "https://a.example/x",
	}}
}

// A8, A14, A17, A18: what an answer means before its body is read.
func TestCompareAnswer(t *testing.T) {
	header := func(it *registry.Item, _ *memory) { it.Exclusion = exclusionHeader }
	unreadable := func(it *registry.Item, _ *memory) {
		it.Unreadable = registry.Unreadable{
			RawHash: "sha256:bytes",
			Version: lineage.Current.String(),
			Since:   noon,
			Why:     "broken",
		}
	}
	const undecided = schedule.Outcome("")
	for name, tt := range map[string]struct {
		set  func(*registry.Item, *memory)
		got  fetched
		want schedule.Outcome
		why  string
	}{
		"304 is unchanged":                       {nil, answer(304), schedule.Unchanged, WhyNotModified},
		"304 of what cannot be read fails again": {unreadable, answer(304), schedule.Failed, "broken"},
		"304 with noindex leaves the index": {nil, answer(304, "X-Robots-Tag", "noindex"), schedule.Unchanged,
			""},
		"404 is missing": {nil, answer(404), schedule.Missing, "HTTP 404"},
		"410 is missing": {nil, answer(410), schedule.Missing, "HTTP 410"},
		"429 fails, the host is left alone": {nil, answer(429), schedule.Failed,
			"HTTP 429: the host is left alone for 5m0s"},
		"500 fails": {nil, answer(500), schedule.Failed,
			"HTTP 500 Internal Server Error"},
		"the same bytes are unchanged": {nil, answer(200), schedule.Unchanged, WhySameBytes},
		"the same bytes, forced, are read": {func(_ *registry.Item, m *memory) { m.forced = true },
			answer(200), undecided, ""},
		"the same bytes that had a header, too": {header, answer(200), undecided, ""},
		"the same bytes with a header are read": {nil, answer(200, "X-Robots-Tag", "noindex"), undecided, ""},
		"the same bytes elsewhere are read": {func(it *registry.Item, _ *memory) { it.HTTPFinalURL = "" },
			answer(200), undecided, ""},
		"the same bytes, not indexed yet, are too": {func(it *registry.Item, _ *memory) { it.IndexedHash = "" },
			answer(200), undecided, ""},
		"what cannot be read fails again, unread": {func(it *registry.Item, m *memory) {
			unreadable(it, m)
			it.RawHash = "sha256:before"
		}, answer(200), schedule.Failed, "broken"},
		"a file with the same properties": {nil, fileAnswer(file.Response{Unchanged: true}), schedule.Unchanged,
			whySameProperties},
		"a file that is too large is its hash": {nil, fileAnswer(file.Response{TooLarge: true}), schedule.Changed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			it, m := indexedItem(), memory{rules: tableRules()}
			if tt.set != nil {
				tt.set(&it, &m)
			}
			it.States = []byte("8 bytes.")
			after, o := compareAnswer(it, tt.got, m, noon)
			if o.kind != tt.want || o.why != tt.why {
				t.Errorf("%q, %q; want %q, %q", o.kind, o.why, tt.want, tt.why)
			}
			if known := len(after.States) > 0; known == (o.kind == schedule.Changed) {
				t.Errorf("texts are remembered: %v", known)
			}
		})
	}
}

func fileAnswer(f file.Response) fetched {
	got := answer(200)
	got.file, got.resp.NotModified = &f, f.Unchanged
	return got
}

// A10, A14, A16, A17, A18: what a body means.
func TestCompare(t *testing.T) {
	known := read{raw: "sha256:bytes", hash: "sha256:content"}
	novel := read{raw: "sha256:other", hash: "sha256:news", words: change.WordsOf("news")}
	images := read{raw: "sha256:other", hash: "sha256:content", imagesHash: "sha256:images"}
	noIndex := read{raw: "sha256:other", hash: "sha256:content", exclusion: exclusionNoIndex}
	titled := read{raw: "sha256:other", hash: "sha256:news", body: [8]byte{7},
		doc: extract.Document{Title: "Another"}}
	written := read{raw: "sha256:other", hash: "sha256:content",
		doc: extract.Document{Metadata: extract.Metadata{Author: "Ada"}}}
	renamed := read{
		raw:  "sha256:other",
		hash: "sha256:content",
		doc:  extract.Document{Canonical: "https://a.example/y"},
	}
	same := change.Extent{Measured: true}
	first := news{kind: change.New, why: "fetched for the first time",
		extent: change.Extent{Measured: true, New: 1, Added: 1}}
	different := news{kind: change.Content, why: "the content is different"}
	pictures := news{kind: change.Images, why: "the images are different, the text is not", extent: same}
	title := news{kind: change.Title, why: "the title is different, the text is not", extent: same}
	knownBody := func(it *registry.Item, _ *memory) {
		it.States = titled.body[:]
	}
	named := news{kind: change.Metadata, why: "", extent: same} // the history names the address
	metadata := news{kind: change.Metadata, why: "the metadata are different, the text is not", extent: same}
	broken := read{unreadable: fault.New(fault.Invalid, "no PDF")}
	for name, tt := range map[string]struct {
		set  func(*registry.Item, *memory)
		read read
		want outcome
	}{
		"other bytes, the same content":    {nil, known, unchanged(WhySameContent)},
		"a body that cannot be read fails": {nil, broken, failed("no PDF")},
		"news": {nil, novel,
			outcome{kind: schedule.Changed, news: different, store: true, refresh: true}},
		"the first content": {
			func(it *registry.Item, _ *memory) { it.RawHash, it.ContentHash, it.IndexedHash = "", "", "" }, novel,
			outcome{kind: schedule.Changed, news: first, store: true, refresh: true},
		},
		"what the host shows for pages that do not exist": {
			func(_ *registry.Item, m *memory) {
				m.soft404 = fingerprint{Content: "sha256:news", Version: lineage.Current.String()}
			}, novel,
			outcome{kind: looksMissing, why: WhySoft404},
		},
		"other images are no change of the page": {nil, images,
			outcome{kind: schedule.Unchanged, news: pictures, store: true, refresh: true}},
		"H7 another title is no change of the content": {knownBody, titled,
			outcome{kind: schedule.Unchanged, news: title, store: true, refresh: true}},
		"H7 another author is a change of the metadata": {nil, written,
			outcome{kind: schedule.Unchanged, news: metadata, store: true, refresh: true}},
		"noindex": {nil, noIndex, outcome{kind: schedule.Unchanged, store: true, refresh: true}},
		"another canonical is reindexed": {nil, renamed,
			outcome{kind: schedule.Unchanged, news: named, store: true, refresh: true}},
		"another canonical need not be": {func(_ *registry.Item, m *memory) { m.rules.reindexOnCanonical = false }, renamed,
			outcome{kind: schedule.Unchanged, why: "only rel=canonical has changed", news: named, store: true}},
		"a change of the rules is none of the page": {
			func(it *registry.Item, _ *memory) { it.NormalizationVersion = "http_snapshot_url_v1_text_v1" }, novel,
			outcome{kind: schedule.Unchanged, store: true, refresh: true},
		},
		"forced, the same content is stored and indexed again": {
			func(_ *registry.Item, m *memory) { m.forced = true }, known,
			outcome{kind: schedule.Unchanged, store: true, refresh: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			it, m := indexedItem(), memory{rules: tableRules()}
			if tt.set != nil {
				tt.set(&it, &m)
			}
			after, have := compare(it, answer(200), tt.read, m, noon)
			if have != tt.want {
				t.Errorf("%+v, want %+v", have, tt.want)
			}
			if tookOver := after.RawHash == tt.read.raw; have.store != tookOver && tt.read.raw != it.RawHash {
				t.Errorf("stored is %v, taken over %v", have.store, tookOver)
			}
		})
	}
}
