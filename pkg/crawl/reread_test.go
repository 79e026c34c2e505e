package crawl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// raised is a version under which every text is read differently than under the present rules.
const raised = lineage.Version("http_snapshot_url_v1_text_v99")

// asNow are the rules of the present release in the description of a capture.
var asNow = " " + lineage.Current.Component("text") + " "

// raise begins to read under another version. The extractor is the same, so raise changes the stored hashes of the
// pages instead, as if earlier rules had produced them.
func (r *rig) raise(paths ...string) {
	r.t.Helper()
	r.Worker.o.Version = raised
	for _, path := range paths {
		it := r.item(path)
		old := storage.Properties{"contentHash": "sha256:old", "textHash": "sha256:old"}
		if it.IndexedHash != "" {
			old["indexedHash"] = "sha256:old"
		}
		_, err := r.store.Table(registry.DefaultTable).
			Transact(r.t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{
				Key: storage.Key{Partition: it.Partition(), Row: it.Hash()}, ETag: storage.AnyETag, Props: old,
			}})
		must(r.t, err)
	}
}

// versions lists the captures of a page, by version and run.
func (r *rig) versions(path string) (out []string) {
	r.t.Helper()
	for _, c := range r.captures(path) {
		out = append(
			out,
			fmt.Sprintf(
				"%.8s %s %s",
				strings.TrimPrefix(c.RawHash, "sha256:"),
				c.NormalizationVersion[len("http_snapshot_url_v1_"):],
				c.RunID,
			),
		)
	}
	slices.Sort(out)
	return out
}

// decided returns the history of an item since a time, without its schedule entries.
func decided(it registry.Item, since time.Time) (out []string) {
	for _, d := range it.History {
		if !d.At.Before(since) && d.What != "scheduled" {
			out = append(out, d.What)
		}
	}
	return out
}

func digest(p page) string { return strings.TrimPrefix(snapshot.Hash([]byte(p.body)), "sha256:")[:8] }

// TestZ2RaisedVersionIsNoChange checks Z2 (spec 000 §3.2, §3.3): under another version, the stored capture is read
// again, and the site's answer is compared with that reading. A change of the rules is not a change of the page: the
// schedule continues, the site is asked as always, and a capture of the new version is added beside the old one,
// which nothing supersedes.
func TestZ2RaisedVersionIsNoChange(t *testing.T) {
	noise := page{body: text("v1").body + "<!-- 12 ms -->"}
	for _, tt := range []struct {
		name          string
		before, after page
		asked         string
		captures      []string
	}{
		{"304", text("v1").etag("1"), text("v1").etag("1"), "GET /p if 1", nil},
		{"the same bytes", text("v1"), text("v1"), "GET /p", nil},
		{"other bytes, the same content", text("v1"), noise, "GET /p", nil},
		{"noindex", page{body: strings.Replace(text("v1").body, "<title>", "<meta name=robots content=noindex><title>",
			1)}.etag("1"),
			page{body: strings.Replace(text("v1").body, "<title>", "<meta name=robots content=noindex><title>", 1)}.etag("1"),
			"GET /p if 1", nil},
		{"noindex by header", text("v1").etag("1").set("X-Robots-Tag", "noindex"),
			text("v1").etag("1").set("X-Robots-Tag", "noindex"), "GET /p", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				r := newRig(t, on(open))
				r.site.put("/p", tt.before)
				r.first("/p")
				was := r.next("/p")
				r.raise("/p")
				r.site.put("/p", tt.after)
				r.site.asked()
				r.due("/p")
				since := r.clock.now()
				r.mustWork()
				it := r.item("/p")
				if asked := r.site.asked(); !slices.Equal(asked, []string{tt.asked}) {
					t.Errorf("asked %q, want %q", asked, tt.asked)
				}
				if d := decided(it, since); slices.Contains(d, "changed") || !slices.Contains(d, "reprocessed") {
					t.Errorf("history %q", d)
				}
				if !it.LastChanged.Equal(was.LastChanged) || it.UnchangedChecks != was.UnchangedChecks+1 ||
					it.Status != was.Status ||
					it.Exclusion != was.Exclusion {
					t.Errorf("changed %s, unchanged %d times, %s; before %s, %d, %s", it.LastChanged,
						it.UnchangedChecks, it.Status, was.LastChanged, was.UnchangedChecks, was.Status)
				}
				if it.NormalizationVersion != raised.String() || it.ContentHash != was.ContentHash ||
					it.IndexedHash != was.IndexedHash {
					t.Errorf("read under %s, content %s, in the index %s; want %s, %s", it.NormalizationVersion,
						it.ContentHash, it.IndexedHash, was.ContentHash, was.IndexedHash)
				}
				want := []string{digest(tt.before) + asNow + "run", digest(tt.before) + " text_v99 run"}
				if diff := cmp.Diff(want, r.versions("/p")); diff != "" || len(r.edges("/p")) > 0 ||
					it.CaptureCount != 1 {
					t.Errorf("%d edges, %d captures; -want +have\n%s", len(r.edges("/p")), it.CaptureCount, diff)
				}
				r.next("/p")
				if d := last(r.item("/p")); d != "unchanged" && d != "notIndexed" || len(r.versions("/p")) != 2 {
					t.Errorf("then %s, captures %q", d, r.versions("/p"))
				}
			})
		})
	}
}

// TestZ2FilesUnderARaisedVersion checks Z2: a file whose properties are known is read again from its capture. A file
// that is too large to be read was not read under any version.
func TestZ2FilesUnderARaisedVersion(t *testing.T) {
	s := newShelf(t, 2000)
	s.write("a.md", "# Tide gauge\n\nThe float hangs in a well.\n")
	s.write("large.txt", long(5000))
	was := s.check("a.md")
	large := s.check("large.txt")
	s.Worker.o.Version = raised
	s.index.writes()
	it := s.check("a.md")
	if it.NormalizationVersion != raised.String() || !it.LastChanged.Equal(was.LastChanged) || it.Status != indexed ||
		len(s.index.writes()) != 1 {
		t.Errorf("%s, changed %s, read under %s", it.Status, it.LastChanged, it.NormalizationVersion)
	}
	if captures, err := s.snaps.List(t.Context(), it.ID); err != nil || len(captures) != 2 {
		t.Errorf("captures %+v (%v)", captures, err)
	}
	if it := s.check("large.txt"); !it.LastChanged.Equal(large.LastChanged) || it.Status != large.Status ||
		last(it) != "unchanged" {
		t.Errorf("the large one: %s, %s, changed %s", it.Status, last(it), it.LastChanged)
	}
}

// TestZ2ChangeUnderARaisedVersion checks Z2: a page that changes while the rules change counts as changed, and the
// edge joins captures of the new version.
func TestZ2ChangeUnderARaisedVersion(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, force := range []bool{false, true} {
			r := newRig(t, on(open))
			a, b := text("a"), text("b")
			r.site.put("/p", a)
			was := r.first("/p")
			r.raise("/p")
			r.site.put("/p", b)
			var it registry.Item
			if force {
				it = r.force("/p")
			} else {
				it = r.next("/p")
			}
			edges := r.edges("/p")
			if !it.LastChanged.After(was.LastChanged) || r.index.holds(it) != "b" || len(edges) != 1 {
				t.Fatalf("force %v: changed %s, the index holds %q, edges %+v", force, it.LastChanged,
					r.index.holds(it), edges)
			}
			id := func(p page) lineage.CaptureID {
				return lineage.NewCaptureID(string(it.ID), snapshot.Hash([]byte(p.body)))
			}
			if e := edges[0]; e.Version != raised || e.Newer != id(b) || e.Older != id(a) {
				t.Errorf("force %v: edge %+v", force, e)
			}
			want := []string{digest(a) + asNow + "run", digest(a) + " text_v99 run", digest(b) + " text_v99 run"}
			slices.Sort(want)
			if diff := cmp.Diff(want, r.versions("/p")); diff != "" {
				t.Errorf("force %v: -want +have\n%s", force, diff)
			}
		}
	})
}

// TestZ2ForceUnderARaisedVersion checks Z2: a forced check finds no change either where only the rules have changed.
func TestZ2ForceUnderARaisedVersion(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	was := r.first("/p")
	r.raise("/p")
	r.index.writes()
	it := r.force("/p")
	if !it.LastChanged.Equal(was.LastChanged) || it.Forced() || it.NormalizationVersion != raised.String() ||
		len(r.versions("/p")) != 2 {
		t.Errorf("changed %s, forced %v, captures %q", it.LastChanged, it.Forced(), r.versions("/p"))
	}
	if w := r.index.writes(); len(w) != 1 {
		t.Errorf("index %q", w)
	}
}

// TestZ2RaisedVersionWithoutACapture checks Z2: where the capture is gone, there is nothing to compare with: the
// whole page is fetched, and no change is reported.
func TestZ2RaisedVersionWithoutACapture(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	was := r.first("/p")
	r.raise("/p")
	r.dropBody("/p")
	r.site.asked()
	it := r.next("/p")
	if asked := r.site.asked(); !slices.Equal(asked, []string{"GET /p"}) {
		t.Errorf("asked %q", asked)
	}
	if !it.LastChanged.Equal(was.LastChanged) || it.Status != indexed || it.NormalizationVersion != raised.String() ||
		it.ContentHash != was.ContentHash {
		t.Errorf("%s, changed %s, read under %s", it.Status, it.LastChanged, it.NormalizationVersion)
	}
	if _, _, err := r.snaps.Load(t.Context(), it.ID, it.RawHash); err != nil {
		t.Errorf("what it names is not kept: %v", err)
	}
}

// TestZ2RaisedVersionWhileTheSiteFails checks Z2: the same holds when the site fails at that time. When it answers
// again, the index gets the page as it is read now.
func TestZ2RaisedVersionWhileTheSiteFails(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	was := r.first("/p")
	r.raise("/p")
	r.site.put("/p", status(500))
	if it := r.next("/p"); it.Status != registry.Error || it.NormalizationVersion != raised.String() {
		t.Errorf("while it fails: %s, read under %s", it.Status, it.NormalizationVersion)
	}
	r.site.put("/p", text("v1").etag("1"))
	it := r.next("/p")
	if !it.LastChanged.Equal(was.LastChanged) || it.Status != indexed || it.IndexedHash != it.ContentHash ||
		len(r.versions("/p")) != 2 {
		t.Errorf("then: %s, changed %s, %q in the index, captures %q", it.Status, it.LastChanged, it.IndexedHash,
			r.versions("/p"))
	}
}

// TestZ2SuspectIsNotReadAgain checks Z2: a capture that kills its reader is not read again before each check, because
// the site's present content may be harmless.
func TestZ2SuspectIsNotReadAgain(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	was := r.first("/p")
	r.raise("/p")
	c := &check{checker: r.checker, item: was, basis: verdict.Basis{Rules: r.rules()}, release: func() {}}
	c.recordSuspect(t.Context())
	must(t, c.reread(t.Context()))
	if c.basis.Reread || !c.basis.Outdated(&c.item) {
		t.Error("it is read, or compared across versions")
	}
}

// TestZ2RaisedVersionEmbedsNothing checks Z2, C5: when the new rules read a page as the old ones did, no chunk is
// written and no text is embedded.
func TestZ2RaisedVersionEmbedsNothing(t *testing.T) {
	r := newModelRig(t)
	r.site.put("/p", sections("v1", "ebb", "flood", "slack").etag("1"))
	r.first("/p")
	r.raise("/p")
	r.used()
	texts := r.model.Texts()
	it := r.next("/p")
	if _, writes := r.used(); writes > 0 || r.model.Texts() != texts {
		t.Errorf("%d vectors written, %d texts embedded", writes, r.model.Texts()-texts)
	}
	if held := r.index.pages[string(it.ID)].Known; held == nil || len(held.Chunks) != 3 ||
		it.NormalizationVersion != raised.String() {
		t.Errorf("the index was not told what it holds: %+v", held)
	}
}

// TestZ2VariantsOfTwoVersions checks Z2 (spec 000 §3.2): URL variants are not compared across versions. An alias
// remains one until both variants were read under the new version, in whichever order they are checked, and a search
// finds the page all the while.
func TestZ2VariantsOfTwoVersions(t *testing.T) {
	for _, order := range [][]string{{apex, apexS}, {apexS, apex}} {
		r, w := wide(t)
		for _, u := range []string{apexS, apex} {
			w.pages[u] = "v1"
			r.look(u)
		}
		r.rest([]string{apexS, apex})
		if r.shown() != apexS {
			t.Fatalf("shown %q", r.shown())
		}
		r.raise(apexS, apex)
		for _, u := range order {
			r.look(u)
			if it := r.item(apex); r.shown() != apexS || r.aliasOf(it) != apexS {
				t.Errorf("after %s: shown %q, alias of %q", u, r.shown(), r.aliasOf(it))
			}
		}
		for _, u := range order { // now they can be compared
			it := r.look(u)
			if it.NormalizationVersion != raised.String() || r.shown() != apexS {
				t.Errorf("%s: read under %s, shown %q", u, it.NormalizationVersion, r.shown())
			}
		}
		w.pages[apexS] = "v2"
		r.rest([]string{apexS, apex})
		if it := r.item(apex); it.AliasOf != "" || it.Status != indexed {
			t.Errorf("after a change of one: %s, alias of %q", it.Status, r.aliasOf(it))
		}
	}
}

// TestZ2NewVariantOfAnOldOne checks Z2: a new URL variant is compared once the existing one has been read under the
// same version. The new variant brings that check forward.
func TestZ2NewVariantOfAnOldOne(t *testing.T) {
	r, w := wide(t)
	w.pages[apexS], w.pages[apex] = "v1", "v1"
	r.look(apexS)
	r.raise(apexS)
	r.look(apex)
	if it := r.item(apex); it.AliasOf != "" && r.item(apexS).NormalizationVersion != raised.String() {
		t.Errorf("compared across versions: alias of %q", r.aliasOf(it))
	}
	if it := r.item(apexS); it.NormalizationVersion != raised.String() {
		t.Errorf("the other was not asked to be read: %s", it.NormalizationVersion)
	}
	r.rest([]string{apexS, apex})
	if it := r.item(apex); r.aliasOf(it) != apexS || r.shown() != apexS {
		t.Errorf("alias of %q, shown %q: %s", r.aliasOf(it), r.shown(), it.CanonicalNote)
	}
}

// TestZ2Soft404OfAnotherVersion checks Z2: a host's page for pages that do not exist is requested again before it is
// compared with texts of another version.
func TestZ2Soft404OfAnotherVersion(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.Soft404 = true })
	r.site.lost = sorry
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.raise("/p")
	r.forget()
	r.clock.pass(time.Hour)
	r.site.asked()
	r.site.put("/p", text("v2"))
	r.next("/p")
	unlikely := func(s string) bool { return strings.Contains(s, "does-not-exist") }
	if asked := r.site.asked(); !slices.ContainsFunc(asked, unlikely) {
		t.Errorf("asked %q", asked)
	}
	r.site.put("/q", sorry)
	if it := r.first("/q"); it.Status == indexed {
		t.Errorf("a page that does not exist is %s", it.Status)
	}
}

// TestZ2RebuildUnderARaisedVersion checks Z2, B5 (spec 000 §3.3): a rebuild after a raised version names the run that
// made the original captures, adds captures of the new version that name the rebuild, and asks no site.
func TestZ2RebuildUnderARaisedVersion(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, refetch := range []bool{false, true} {
			r := newRig(t, on(open))
			r.site.put("/p", text("v1"))
			was := r.first("/p")
			r.raise("/p")
			r.Worker.o.RunID = "crawl-raised"
			r.site.asked()
			r.clock.pass(time.Second)
			run := r.rebuild(rebuild.Scope{Refetch: refetch}).ID
			row, err := r.store.Table(snapshot.RunsTable).Get(t.Context(), storage.Key{Partition: "run", Row: run})
			must(t, err)
			of, by := "run", run
			if refetch {
				of, by = "", "crawl-raised"
			}
			if row.Props["reprocessingOfRunId"] != of || row.Props["normalizationVersion"] != raised.String() {
				t.Errorf("refetch %v: %v", refetch, row.Props)
			}
			want := []string{digest(text("v1")) + asNow + "run", digest(text("v1")) + " text_v99 " + by}
			if diff := cmp.Diff(want, r.versions("/p")); diff != "" {
				t.Errorf("refetch %v: -want +have\n%s", refetch, diff)
			}
			if it := r.item("/p"); !it.LastChanged.Equal(was.LastChanged) || it.IndexedHash != it.ContentHash ||
				len(r.edges("/p")) > 0 {
				t.Errorf("refetch %v: changed %s, %+v", refetch, it.LastChanged, r.edges("/p"))
			}
			if asked := len(r.site.asked()); asked > 0 != refetch {
				t.Errorf("refetch %v: the site was asked %d times", refetch, asked)
			}
		}
	})
}

// TestZ2OutcomeUnderARaisedVersion checks Z2: the outcome of a check reports changed content only where both contents
// were read under one version.
func TestZ2OutcomeUnderARaisedVersion(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.first("/p")
	before := r.o.Metrics.Checks.Total(string(schedule.Changed))
	r.raise("/p")
	r.next("/p")
	if n := r.o.Metrics.Checks.Total(string(schedule.Changed)) - before; n > 0 {
		t.Errorf("%v changes counted", n)
	}
}
