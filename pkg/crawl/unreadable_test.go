package crawl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// tornDocx is a document that no program can read.
var tornDocx = page{body: "PK\x03\x04" + long(100)}.set("Content-Type", docxType)

// readBy records that the failed answer was read by other rules than the present ones.
func (r *rig) readBy(path, version string) {
	r.t.Helper()
	it, table := r.item(path), r.store.Table(registry.DefaultTable)
	e, err := table.Get(r.t.Context(), storage.Key{Partition: it.Partition(), Row: it.Hash()})
	must(r.t, err)
	text, _ := e.Props["unreadable"].(string)
	e.Props["unreadable"] = strings.Replace(text, lineage.Current.String(), version, 1)
	_, err = table.Transact(r.t.Context(), storage.Op{Kind: storage.Replace, Entity: e})
	must(r.t, err)
}

// TestA17UnreadableAgain checks A17: an unreadable answer is neither sent nor read again while it stays the same, and
// gives the same error. A forced check, or a change of the rules, tries it again.
func TestA17UnreadableAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		page  page
		then  func(r *rig)
		force bool
		asks  string
		tried bool // whether it is read once more
	}{
		{"304", tornDocx.etag("1"), nil, false, "GET /d if 1", false},
		{"304 by date", tornDocx.set("Last-Modified", "Sun, 01 Feb 2026 10:00:00 GMT"), nil, false, "GET /d if since",
			false},
		{"no validators", tornDocx, nil, false, "GET /d", false},
		{"conditions ignored", tornDocx.etag("1").with(func(p *page) { p.ignores = true }), nil, false, "GET /d if 1",
			false},
		{"the same under another name", tornDocx.etag("1"), func(r *rig) { r.site.put("/d", tornDocx.etag("2")) },
			false, "GET /d if 1", false},
		{"other bytes", tornDocx.etag("1"), func(r *rig) {
			other := tornDocx.etag("2")
			other.body += "x"
			r.site.put("/d", other)
		}, false, "GET /d if 1", true},
		{"forced", tornDocx.etag("1"), nil, true, "GET /d", true},
		{"other rules", tornDocx.etag("1"), func(r *rig) { r.readBy("/d", "url_v0") }, false, "GET /d", true},
		{"after a month", tornDocx.etag("1"), func(r *rig) { r.clock.pass(31 * day) }, false, "GET /d", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				r := newRig(t, on(open))
				r.site.put("/d", tt.page)
				first := r.first("/d")
				if first.Status != registry.Error || first.ErrorMessage == "" || first.CrawlAttempts != 1 {
					t.Fatalf("%s: %s", first.Status, first.ErrorMessage)
				}
				if tt.then != nil {
					tt.then(r)
				}
				r.site.asked()
				look := r.look
				if tt.force {
					look = r.force
				}
				it := look("/d")
				if diff := cmp.Diff([]string{tt.asks}, r.site.asked()); diff != "" {
					t.Error("asked (-want +have):", diff)
				}
				if it.Status != registry.Error || it.ErrorMessage != first.ErrorMessage || it.CrawlAttempts != 2 {
					t.Errorf("%s after %d tries: %s, at first: %s", it.Status, it.CrawlAttempts, it.ErrorMessage,
						first.ErrorMessage)
				}
				if tried := it.Unreadable.Since.After(first.Unreadable.Since); tried != tt.tried {
					t.Errorf("read once more: %v", tried)
				}
			})
		})
	}
}

// TestA17UnreadableUnderAnotherName checks A17: a new validator for the same bytes is sent with the next request.
func TestA17UnreadableUnderAnotherName(t *testing.T) {
	r := newRig(t)
	r.site.put("/d", tornDocx.etag("1"))
	r.first("/d")
	r.site.put("/d", tornDocx.etag("2"))
	r.look("/d")
	r.site.asked()
	r.look("/d")
	if asked := r.site.asked(); len(asked) != 1 || asked[0] != "GET /d if 2" {
		t.Errorf("asked %q", asked)
	}
}

// TestA17UnreadableMended checks A17: a document that is repaired is indexed, and a document under another type is
// tried. Meanwhile the index keeps the stored content, which counts as known when it comes back.
func TestA17UnreadableMended(t *testing.T) {
	good := testFile(t, docxType, "extract", "office", "testdata", "pandoc.docx").etag("good")
	for _, tt := range []struct {
		name   string
		held   bool
		then   page
		status registry.Status
		what   string
	}{
		{"mended", false, good, indexed, "indexed"},
		{"another type", false, tornDocx.etag("plain").set("Content-Type", "text/plain"), registry.Crawled,
			"notIndexed"},
		{"back", true, good, indexed, "unchanged"},
		{"changed", true, text("v2").etag("2"), indexed, "collapsed"}, // a short text waits to be confirmed
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			if tt.held {
				r.site.put("/d", good)
				r.first("/d")
			}
			r.site.put("/d", tornDocx.etag("torn"))
			for range 2 {
				if it := r.look("/d"); it.Status != registry.Error || (r.index.holds(it) != "") != tt.held {
					t.Fatalf("%s (%s), the index holds %q", it.Status, it.ErrorMessage, r.index.holds(it))
				}
			}
			r.site.put("/d", tt.then)
			r.site.asked()
			it := r.look("/d")
			if asked := r.site.asked(); len(asked) != 1 || asked[0] != "GET /d if torn" {
				t.Errorf("asked %q", asked)
			}
			if it.Status != tt.status || last(it) != tt.what || it.ErrorMessage != "" ||
				it.Unreadable != (registry.Unreadable{}) {
				t.Errorf("%s, %s (%s), %+v", it.Status, last(it), it.ErrorMessage, it.Unreadable)
			}
			then := "unchanged"
			if it.Collapse.Waits() {
				then = "collapsed"
			}
			if it = r.look("/d"); last(it) != then {
				t.Errorf("then %s", last(it))
			}
		})
	}
}

// TestA17UnreadableFile checks A17: a file that cannot be read is not read again while its properties stay the same.
func TestA17UnreadableFile(t *testing.T) {
	s := newShelf(t, 0)
	whole := testFile(t, "application/pdf", "extract", "pdf", "testdata", "columns.pdf").body
	s.write("a.pdf", whole[:len(whole)/3])
	first := s.check("a.pdf")
	again := s.check("a.pdf")
	if first.Status != registry.Error || again.Status != registry.Error || again.ErrorMessage != first.ErrorMessage ||
		again.CrawlAttempts != 2 {
		t.Errorf("%s: %s, then %s: %s", first.Status, first.ErrorMessage, again.Status, again.ErrorMessage)
	}
	if !again.Unreadable.Since.Equal(first.Unreadable.Since) || first.Unreadable.Since.IsZero() {
		t.Error("read again")
	}
	s.write("a.pdf", whole)
	if it := s.check("a.pdf"); it.Status != indexed || it.Unreadable != (registry.Unreadable{}) {
		t.Errorf("mended: %s (%s)", it.Status, it.ErrorMessage)
	}
}
