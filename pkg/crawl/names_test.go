package crawl

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/search/embed"
)

// TestX12ChunksOfTwoContainers checks X12: equal blobs of two containers have chunks with other uids (002 §5.2), also
// if the containers have one name at two addresses.
func TestX12ChunksOfTwoContainers(t *testing.T) {
	d, other := newDocks(t), newDepot(t)
	d.stock["a.txt"], other.stock["a.txt"] = "The same tide.", "The same tide."
	d.whole("")
	d.fileItem(other.address(), registry.RegisterOptions{})
	seen := map[string]bool{}
	for _, it := range []registry.Item{d.blob("a.txt"), d.blobOf(other, "a.txt")} {
		for _, c := range d.index.pages[string(it.ID)].Chunks {
			if seen[c.UID] || !strings.HasPrefix(c.UID, "ck64:v1:blob:acct@") || !strings.Contains(c.UID, ":shelf:a.txt:") {
				t.Errorf("uid %s", c.UID)
			}
			seen[c.UID] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("have %v", seen)
	}
}

// uids returns the uids of a page's chunks in the index.
func (r *rig) uids(id string) (uids []string) {
	for _, c := range r.index.pages[id].Chunks {
		uids = append(uids, c.UID)
	}
	return uids
}

// TestX12NamesAreMigrated checks X12: files that were indexed under other names get those of the present rules. Their
// texts are neither fetched nor embedded again, and pages are not touched.
func TestX12NamesAreMigrated(t *testing.T) {
	model := llmtest.NewEmbedder("tide-embed", 8)
	s := newShelf(t, 0)
	s.vectors = embed.NewPageEmbedder(model)
	s.crawl.FileRoot = ""
	s.Worker = s.newWorker(s.reg, s.snaps, index.NewManifests(s.store), s.engine)
	s.crawl.FileRoot = s.dir // for the workers that follow
	s.write("a.md", "# Tide\n\nThe float hangs.\n\n```go\nfunc tide() {}\n```\n")
	s.site.put("/p", page{body: "<p>A wall of stone."})
	before := s.check("a.md")
	s.first("/p")
	texts, asks := model.Texts(), s.site.count()
	quay := s.uids(string(s.item("/p").ID))
	absolute := "ck64:v1:repo:" + filepath.ToSlash(s.path("a.md")) + ":"
	if have := s.uids(string(before.ID)); !strings.HasPrefix(have[0], absolute) {
		t.Fatalf("before: %s", have[0])
	}
	step := migrate.Chunks(s.reg.Rebuilds, index.NewManifests(s.store), s.dir)
	run := func(dry bool, changed int) {
		t.Helper()
		p, _, done, err := step.Run(t.Context(), "", dry)
		must(t, err)
		if p.Seen != 1 || p.Changed != changed || !done {
			t.Fatalf("dry %v: %+v, done %v, want %d changed", dry, p, done, changed)
		}
		s.clock.pass(time.Second)
		s.Worker = s.newWorker(s.reg, s.snaps, index.NewManifests(s.store), s.engine)
		s.mustWork()
	}
	run(true, 1)
	run(false, 1)
	run(false, 0)
	have := s.uids(string(before.ID))
	for _, uid := range have {
		if !strings.HasPrefix(uid, "ck64:v1:repo:a.md:") && !strings.HasPrefix(uid, "ck64:v1:repo:a.md#seg:segu:v1:") {
			t.Errorf("uid %s", uid)
		}
	}
	if model.Texts() != texts || s.site.count() != asks {
		t.Errorf("%d texts embedded, %d requests", model.Texts()-texts, s.site.count()-asks)
	}
	if diff := cmp.Diff(quay, s.uids(string(s.item("/p").ID))); diff != "" {
		t.Errorf("the page (-before +after):\n%s", diff)
	}
	slash := migrate.Chunks(s.reg.Rebuilds, index.NewManifests(s.store), s.dir+string(filepath.Separator))
	if slash.Rules != step.Rules {
		t.Errorf("with a slash the rules are %s, not %s", slash.Rules, step.Rules)
	}
	rooted := step.Rules
	step = migrate.Chunks(s.reg.Rebuilds, index.NewManifests(s.store), "")
	run(false, 0)
	if !step.Keeps(rooted) || step.Keeps("chunks_v1") || slash.Keeps(step.Rules) {
		t.Errorf("without a root the step is needed by %s", rooted)
	}
	it, err := s.reg.Items.Find(t.Context(), before.ID)
	must(t, err)
	if it.IndexPending || it.RebuildPending || it.NextCrawlAt != before.NextCrawlAt || it.Status != indexed {
		t.Errorf("afterwards %+v", it.Plan)
	}
}
