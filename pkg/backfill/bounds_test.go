package backfill_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/backfill"
	"github.com/tidemark/tidemark/pkg/site"
)

// E7: a run's row holds whatever strangers fill it with: of the most sources, each with addresses and
// failures as long as they are kept and with characters that take the most room.
func TestE7RowOfTheWorstRun(t *testing.T) {
	r := newRig(t, openers["mem"])
	var all sites
	var slugs []string
	for i := range backfill.MaxSources {
		slug := fmt.Sprintf("%064d", i)
		host := fmt.Sprintf("h%d.example", i)
		long := fmt.Sprintf("https://%s/%s", host, strings.Repeat("&<>", 300))
		maps := []string{long + "0.xml", long + "1.xml", long + "2.xml"}
		r.web.pages[maps[0]] = urlset(strings.ReplaceAll(long, "&<>", "&amp;&lt;") + "page")
		r.web.pages[maps[1]] = 404
		r.web.pages[maps[2]] = index(strings.Repeat("https://other.example/&lt;&amp;", 60))
		all = append(all, &site.Site{Slug: slug, Domain: host, Sitemaps: maps})
		slugs = append(slugs, slug)
	}
	r.restart(func(o *backfill.Options) { o.Sites, o.MaxConcurrency = all, 16 })
	run := r.end(r.start(backfill.Request{Sources: slugs}).ID)
	if run.Status != backfill.Completed || run.Documents != 2*len(slugs) || len(run.ErrorLog) != backfill.MaxErrors {
		t.Errorf("%s, %d documents, %d errors told of %d: %s", run.Status, run.Documents, len(run.ErrorLog), run.Errors, run.Note)
	}
	r.whole(run)
}
