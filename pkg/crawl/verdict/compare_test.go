package verdict

import (
	"bytes"
	"net/http"
	"reflect"
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

// tableRules returns the rules of the tables: with an index, else the defaults.
func tableRules() Rules {
	return Rules{
		Agent: "Tidemark", Sources: source.DefaultRules(), Version: lineage.Current, Schedule: schedule.Defaults(),
		Indexes: true, ReindexOnCanonical: true, Soft404: true,
	}
}

// indexedItem is a page that is in the index as it was last fetched.
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
func answer(status int, header ...string) Answer {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return Answer{Raw: "sha256:bytes", Response: fetch.Response{
		Status: status, NotModified: status == http.StatusNotModified, Header: h, FinalURL: "https://a.example/x",
	}}
}

// A17: TestA17BytesAreCompared checks that a document without readable text is compared by its bytes, and that nothing
// that was not read is called unchanged.
func TestA17BytesAreCompared(t *testing.T) {
	b := Basis{Rules: tableRules()}
	read := func(raw string, doc extract.Document) (Answer, Reading) {
		a := answer(http.StatusOK)
		a.Raw = raw
		return a, ReadingOf(&registry.Item{}, doc, raw, nil, "", b.Rules, noon)
	}
	archive := extract.Document{MimeType: "application/zip", Unsupported: true}
	scan := extract.Document{MimeType: "application/pdf"}
	text := extract.Document{MimeType: "application/pdf", Text: "a", VisibleText: "a",
		Blocks: []extract.Block{{Kind: extract.Paragraph, Text: "a"}}}
	for name, tt := range map[string]struct {
		before, now extract.Document
		version     string
		want        change.Kind
	}{
		"an archive": {archive, archive, "", change.Bytes}, "a scan": {scan, scan, "", change.Bytes},
		"a scan in place of a text":               {text, scan, "", change.Bytes},
		"a text in place of a scan":               {scan, text, "", change.Content},
		"a type that can be read now":             {archive, text, "text_v1+url_v1", change.None},
		"an archive, when the rules have changed": {archive, archive, "text_v1+url_v1", change.Bytes},
	} {
		_, r := read("sha256:one", tt.before)
		it := indexedItem()
		it.RawHash, it.ContentHash, it.States, it.MainState = r.Raw, r.Hash, change.States{r.Body}.Bytes(),
			bytes.Clone(r.Main[:])
		if tt.version != "" {
			it.NormalizationVersion = tt.version
		}
		a, r := read("sha256:two", tt.now)
		if _, o := Compare(it, a, r, b, noon); o.News.Kind != tt.want {
			t.Errorf("%s: have %q (%s), want %q", name, o.News.Kind, o.Why, tt.want)
		}
	}
}

// TestCompareAnswer checks A8, A14, A17, A18: the meaning of an answer before its body is read.
func TestCompareAnswer(t *testing.T) {
	header := func(it *registry.Item, _ *Basis) { it.Exclusion = exclusionHeader }
	unreadable := func(it *registry.Item, _ *Basis) {
		it.Unreadable = registry.Unreadable{
			RawHash: "sha256:bytes",
			Version: lineage.Current.String(),
			Since:   noon,
			Why:     "broken",
		}
	}
	const undecided = schedule.Outcome("")
	for name, tt := range map[string]struct {
		set  func(*registry.Item, *Basis)
		got  Answer
		want schedule.Outcome
		why  string
	}{
		"304 is unchanged":                       {nil, answer(304), schedule.Unchanged, WhyNotModified},
		"304 of what cannot be read fails again": {unreadable, answer(304), schedule.Failed, "broken"},
		"304 with noindex leaves the index": {nil, answer(304, "X-Robots-Tag", "noindex"), schedule.Unchanged,
			""},
		"404 is missing": {nil, answer(404), schedule.Missing, "HTTP 404"},
		"410 is missing": {nil, answer(410), schedule.Missing, "HTTP 410"},
		"429 is no failure, the host is left alone": {nil, answer(429), Paused,
			"HTTP 429: the host is left alone for 5m0s"},
		"500 fails": {nil, answer(500), schedule.Failed,
			"HTTP 500 Internal Server Error"},
		"the same bytes are unchanged": {nil, answer(200), schedule.Unchanged, WhySameBytes},
		"the same bytes, forced, are read": {func(_ *registry.Item, b *Basis) { b.Forced = true },
			answer(200), undecided, ""},
		"the same bytes that had a header, too": {header, answer(200), undecided, ""},
		"the same bytes with a header are read": {nil, answer(200, "X-Robots-Tag", "noindex"), undecided, ""},
		"the same bytes elsewhere are read": {func(it *registry.Item, _ *Basis) { it.HTTPFinalURL = "" },
			answer(200), undecided, ""},
		"the same bytes, not indexed yet, are too": {func(it *registry.Item, _ *Basis) { it.IndexedHash = "" },
			answer(200), undecided, ""},
		"what cannot be read fails again, unread": {func(it *registry.Item, b *Basis) {
			unreadable(it, b)
			it.RawHash = "sha256:before"
		}, answer(200), schedule.Failed, "broken"},
		"a file with the same properties": {nil, fileAnswer(file.Response{Unchanged: true}), schedule.Unchanged,
			whySameProperties},
		"a file that is too large is its hash": {nil, fileAnswer(file.Response{TooLarge: true}), schedule.Changed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			it, b := indexedItem(), Basis{Rules: tableRules()}
			if tt.set != nil {
				tt.set(&it, &b)
			}
			it.States = []byte("8 bytes.")
			after, o := CompareAnswer(it, tt.got, b, noon)
			if o.Kind != tt.want || o.Why != tt.why {
				t.Errorf("%q, %q; want %q, %q", o.Kind, o.Why, tt.want, tt.why)
			}
			if known := len(after.States) > 0; known == (o.Kind == schedule.Changed) {
				t.Errorf("texts are remembered: %v", known)
			}
		})
	}
}

func fileAnswer(f file.Response) Answer {
	got := answer(200)
	got.File, got.Response.NotModified = &f, f.Unchanged
	return got
}

// TestCompare checks A10, A14, A16, A17, A18: the meaning of a body.
func TestCompare(t *testing.T) {
	known := Reading{Raw: "sha256:bytes", Hash: "sha256:content"}
	novel := Reading{Raw: "sha256:other", Hash: "sha256:news", Words: change.WordsOf("news")}
	images := Reading{Raw: "sha256:other", Hash: "sha256:content", ImagesHash: "sha256:images"}
	noIndex := Reading{Raw: "sha256:other", Hash: "sha256:content", Exclusion: exclusionNoIndex}
	titled := Reading{Raw: "sha256:other", Hash: "sha256:news", Body: [8]byte{7},
		Doc: extract.Document{Title: "Another"}}
	written := Reading{Raw: "sha256:other", Hash: "sha256:content",
		Doc: extract.Document{Metadata: extract.Metadata{Author: "Ada"}}}
	renamed := Reading{
		Raw:  "sha256:other",
		Hash: "sha256:content",
		Doc:  extract.Document{Canonical: "https://a.example/y"},
	}
	same := change.Extent{Measured: true}
	first := News{Kind: change.New, Why: "fetched for the first time",
		Extent: change.Extent{Measured: true, New: 1, Added: 1}}
	different := News{Kind: change.Content, Why: "the content is different"}
	pictures := News{Kind: change.Images, Why: "the images are different, the text is not", Extent: same}
	title := News{Kind: change.Title, Why: "the title is different, the text is not", Extent: same}
	knownBody := func(it *registry.Item, _ *Basis) {
		it.States = titled.Body[:]
	}
	named := News{Kind: change.Metadata, Why: "", Extent: same} // the history already names the address
	metadata := News{Kind: change.Metadata, Why: "the metadata are different, the text is not", Extent: same}
	broken := Reading{Unreadable: fault.New(fault.Invalid, "no PDF")}
	for name, tt := range map[string]struct {
		set  func(*registry.Item, *Basis)
		read Reading
		want Outcome
	}{
		"other bytes, the same content":    {nil, known, Outcome{Kind: schedule.Unchanged, Why: WhySameBytes, Known: true}},
		"a body that cannot be read fails": {nil, broken, Failed("no PDF")},
		"news": {nil, novel,
			Outcome{Kind: schedule.Changed, News: different, Store: true, Refresh: true}},
		"the first content": {
			func(it *registry.Item, _ *Basis) { it.RawHash, it.ContentHash, it.IndexedHash = "", "", "" }, novel,
			Outcome{Kind: schedule.Changed, News: first, Store: true, Refresh: true},
		},
		"what the host shows for pages that do not exist": {
			func(_ *registry.Item, b *Basis) {
				b.Soft404 = Fingerprint{Content: "sha256:news", Version: lineage.Current.String()}
			}, novel,
			Outcome{Kind: LooksMissing, Why: WhySoft404},
		},
		"other images are no change of the page": {nil, images,
			Outcome{Kind: schedule.Unchanged, News: pictures, Store: true, Refresh: true}},
		"H7 another title is no change of the content": {knownBody, titled,
			Outcome{Kind: schedule.Unchanged, News: title, Store: true, Refresh: true}},
		"H7 another author is a change of the metadata": {nil, written,
			Outcome{Kind: schedule.Unchanged, News: metadata, Store: true, Refresh: true}},
		"noindex": {nil, noIndex, Outcome{Kind: schedule.Unchanged, Store: true, Refresh: true}},
		"another canonical is reindexed": {nil, renamed,
			Outcome{Kind: schedule.Unchanged, News: named, Store: true, Refresh: true}},
		"another canonical need not be": {func(_ *registry.Item, b *Basis) { b.Rules.ReindexOnCanonical = false }, renamed,
			Outcome{Kind: schedule.Unchanged, Why: "only rel=canonical has changed", News: named, Store: true}},
		"a change of the rules is none of the page": {
			func(it *registry.Item, _ *Basis) { it.NormalizationVersion = "http_snapshot_url_v1_text_v1" }, novel,
			Outcome{Kind: schedule.Unchanged, Store: true, Refresh: true},
		},
		"forced, the same content is stored and indexed again": {
			func(_ *registry.Item, b *Basis) { b.Forced = true }, known,
			Outcome{Kind: schedule.Unchanged, Store: true, Refresh: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			it, b := indexedItem(), Basis{Rules: tableRules()}
			if tt.set != nil {
				tt.set(&it, &b)
			}
			after, have := Compare(it, answer(200), tt.read, b, noon)
			if !reflect.DeepEqual(have, tt.want) {
				t.Errorf("%+v, want %+v", have, tt.want)
			}
			if tookOver := after.RawHash == tt.read.Raw; have.Store != tookOver && tt.read.Raw != it.RawHash {
				t.Errorf("stored is %v, taken over %v", have.Store, tookOver)
			}
		})
	}
}
