package app

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	_ "modernc.org/sqlite" // to read the files without the tested code
)

// judge compares the stored state with the acknowledged registrations and with the current site.
func (c *crash) judge() {
	c.t.Helper()
	if len(c.acked) != c.quota {
		c.t.Errorf("%d of %d pages were acknowledged", len(c.acked), c.quota)
	}
	if c.busy == 0 {
		c.t.Error("every kill came too late to prove anything")
	}
	c.opened(func() {
		c.checkInvariants()
		c.judgeItems()
	})
	c.judgeRequests()
	c.judgeFiles()
}

// judgeItems checks that every page is registered once, indexed once, and stored with its current content.
func (c *crash) judgeItems() {
	c.t.Helper()
	ctx := c.t.Context()
	index, err := sqlitesearch.Open(c.index(), sqlitesearch.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer index.Close()
	if n, err := index.Count(ctx); err != nil || n != len(c.acked) {
		c.t.Errorf("have %d pages in the index (%v), want %d", n, err, len(c.acked))
	}
	reg, snaps := registry.New(c.store, registry.Options{}), snapshot.New(c.store)
	for page := range c.acked {
		src, err := (source.Rules{}).ParseURL(c.site.URL + path(page))
		if err != nil {
			c.t.Fatal(err)
		}
		it, err := reg.Items.Find(ctx, src.ID())
		if err != nil || it.Status != registry.Indexed {
			c.t.Errorf("page %d: acknowledged, and now it is %q (%v)", page, it.Status, err)
			continue
		}
		want := markup(path(page), text(page, c.editions[page]))
		if _, body, err := snaps.Load(ctx, it.ID, it.RawHash); err != nil || string(body) != want {
			c.t.Errorf("page %d: have snapshot %q (%v), want %q", page, body, err, want)
		}
		c.judgeFound(index, it.ID, page)
	}
}

// judgeFound checks that the page is found by its current words, and not by those of an earlier edition.
func (c *crash) judgeFound(index search.Index, id source.ID, page int) {
	c.t.Helper()
	for edition := range c.editions[page] + 1 {
		got, err := index.Search(c.t.Context(), search.Query{Text: word(page, edition), Top: 10})
		if err != nil {
			c.t.Fatal(err)
		}
		want := 0
		if edition == c.editions[page] {
			want = 1
		}
		if got.Count != want || want == 1 && (got.Results[0].ID != string(id) || len(got.Results[0].Passages) != 1) {
			c.t.Errorf("page %d, edition %d: found %+v, want %d", page, edition, got, want)
		}
	}
}

const (
	permits   = 4       // concurrent requests to an allow-listed host
	inDoubt   = 32 * 4  // items that workers hold: a job for each permit
	askRobots = permits // per start: each worker may ask before the first answer is stored
)

// judgeRequests checks that registrations and kills explain every request.
func (c *crash) judgeRequests() {
	c.t.Helper()
	requests, most := c.site.log()
	if n := requests["/robots.txt"]; n > askRobots*(c.kills+1) {
		c.t.Errorf("robots.txt was asked for %d times in %d starts", n, c.kills)
	}
	delete(requests, "/robots.txt")
	sum, attempts := 0, 0
	for path, n := range requests {
		sum, attempts = sum+n, attempts+c.attempts[path]
		if n > c.attempts[path]+c.kills {
			c.t.Errorf("%s was asked for %d times after %d registrations and %d kills", path, n, c.attempts[path], c.kills)
		}
	}
	if sum > attempts+inDoubt*c.kills {
		c.t.Errorf("the site was asked %d times after %d registrations and %d kills", sum, attempts, c.kills)
	}
	if most > permits {
		c.t.Errorf("the site was asked %d times at once", most)
	}
	c.t.Logf("%d pages, %d registrations sent, %d requests, at most %d at once, %d kills, %d of them while registering",
		len(requests), attempts, sum, most, c.kills, c.busy)
}

// judgeFiles runs SQLite's integrity check, and checks that no index was set aside and that no chunk is without a
// page.
func (c *crash) judgeFiles() {
	c.t.Helper()
	if aside, _ := filepath.Glob(c.index() + ".corrupt-*"); len(aside) > 0 {
		c.t.Errorf("the index was set aside: %v", aside)
	}
	state := filepath.Join(c.env["TIDEMARK_DATA"], "store", "state.db")
	for _, q := range []struct{ file, query, want string }{
		{state, "PRAGMA integrity_check", "ok"},
		{c.index(), "PRAGMA integrity_check", "ok"},
		{c.index(), "SELECT count(*) FROM chunks WHERE id>>16 NOT IN (SELECT rowid FROM pages)", "0"},
		{c.index(), "SELECT count(*) FROM pages WHERE rowid NOT IN (SELECT id>>16 FROM chunks)", "0"},
	} {
		if have := scalar(c.t, q.file, q.query); have != q.want {
			c.t.Errorf("%s: %s: have %s, want %s", q.file, q.query, have, q.want)
		}
	}
	if _, err := sqlitesearch.Examine(c.t.Context(), c.index(), true); err != nil {
		c.t.Errorf("the index's words are not those of its chunks: %v", err)
	}
}

func scalar(t *testing.T, file, query string) (answer string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(&answer); err != nil {
		t.Errorf("%s: %s: %v", file, query, err)
	}
	return answer
}
