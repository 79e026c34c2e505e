package app

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/storage"
)

var (
	proofDirs = flag.String("proof.dirs", "",
		"folders of web pages that TestE8WholeSites serves, with commas, each as a site; made-up pages when empty")
	proofKills = flag.Int("proof.kills", 1, "how often TestE8WholeSites kills everything while a run goes on")
	proofPause = flag.Duration("proof.pause", 40*time.Millisecond,
		"pause between two requests to a site of TestE8WholeSites")
)

// TestE8WholeSites backfills several sites with two handlers over one store, in every mode, and compares the results
// of the runs with what the sites published and saw. Everything is killed in the middle of a run.
//
//   - The run discovers the addresses that the sites list and allow, each once (E1, E5).
//   - The counts of a run are the same with and without a kill (E11).
//   - Without a kill each document is requested once per run, and each page once over all runs. A kill repeats at most
//     the work in flight.
//   - A dry run predicts the counts of the run, and creates no item (E10).
//   - Every site receives requests no faster than its limits allow (E3).
func TestE8WholeSites(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProof(t)
	p.start()
	p.check("dry", p.run(api.BackfillRequest{Mode: "SITEMAP", DryRun: true}), backfill.Sitemap, false)
	if n := len(p.items()); n != 0 {
		t.Errorf("a dry run left %d items", n)
	}
	p.start()
	p.check("killed", p.killed(api.BackfillRequest{Mode: "SITEMAP"}), backfill.Sitemap, true)
	p.crawled()
	for _, mode := range []backfill.Mode{backfill.Sitemap, backfill.Archive, backfill.Pagination} {
		p.check("again", p.run(api.BackfillRequest{Mode: string(mode)}), mode, false)
	}
	p.crawled()
	p.judge()
}

// proof is an app with two hosts, its sites, and the expected findings.
type proof struct {
	*crash
	trees       []*crashTree
	sites       map[string]*proofSite // by slug
	known       map[string]bool       // normalized addresses of registered pages
	first, last time.Time
	pages       map[string]int // requests for pages of all sites
	extra       int            // requests that a kill may have repeated
}

func newProof(t *testing.T) *proof {
	t.Helper()
	p := &proof{sites: map[string]*proofSite{}, known: map[string]bool{}, pages: map[string]int{}, first: proofBegin,
		last: proofEnd}
	p.serve(t)
	file := filepath.Join(t.TempDir(), "sites.yaml")
	if err := os.WriteFile(file, []byte(p.siteFile()), 0o600); err != nil {
		t.Fatal(err)
	}
	const year = "31536000"
	p.crash = &crash{local: &local{t: t, dir: buildApp(t), env: map[string]string{
		"STORAGE": Embedded, "PATH": os.Getenv("PATH"), "TIDEMARK_DATA": t.TempDir(), "CRAWL_ALLOW_HOSTS": "127.0.0.0/8",
		"CRAWL_SOFT_404":              "false",
		"CRAWL_BASE_INTERVAL_SECONDS": year, "CRAWL_MAX_INTERVAL_SECONDS": year,
		"BACKFILL_SITES_FILE": file, "BACKFILL_ENABLED": "true", "BACKFILL_MAX_URLS_PER_RUN": "100000",
		"BACKFILL_MAX_URLS_PER_SOURCE": "100000",
		"BACKFILL_MAX_CONCURRENCY":     "16", "BACKFILL_ITEMS_PER_MINUTE": "100000", "BACKFILL_JOBS_PER_MINUTE": "100000",
		"BACKFILL_MAX_BACKLOG": "100000",
		"SENTINEL_MAX_PER_DAY": "0", // otherwise the sites are also polled when a full hour begins
	}}}
	return p
}

// serve starts the sites: those of given folders, or three generated ones.
func (p *proof) serve(t *testing.T) {
	if *proofDirs == "" {
		for i, n := range []int{50, 70, 80} {
			p.sites[fmt.Sprintf("site-%d", i)] = newProofSite(t, "127.0.0.1", made(n))
		}
		return
	}
	for i, dir := range strings.Split(*proofDirs, ",") {
		pages := filed(t, dir)
		p.sites[fmt.Sprintf("site-%d", i)] = newProofSite(t, fmt.Sprintf("127.0.0.%d", i+2), pages)
		for _, page := range pages {
			p.first, p.last = earliest(p.first, page.day), latest(p.last, page.day)
		}
		t.Logf("site-%d: %d pages of %s", i, len(pages), dir)
	}
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// siteFile returns a site file for the sites.
func (p *proof) siteFile() string {
	var b strings.Builder
	b.WriteString("sites:\n")
	for _, slug := range p.slugs() {
		base := p.sites[slug].URL
		fmt.Fprintf(&b, `  - slug: %s
    domain: %q
    sitemaps: [%s/sitemap.xml]
    archives: ["%[3]s/archive/{yyyy}/{mm}"]
    listings:
      - {url: "%[3]s/list/{n}", links: main a}
      - {url: %[3]s/browse/1, links: main a, next: a.older}
    exclude: ["/print/"]
    limits: {minDelayMs: %d, maxDelayMs: %[4]d, maxConcurrent: 1}
`, slug, strings.TrimPrefix(base, "http://"), base, proofPause.Milliseconds())
	}
	return b.String()
}

func (p *proof) slugs() []string { return slices.Sorted(maps.Keys(p.sites)) }

// start runs two hosts over the store, each with its handler.
func (p *proof) start() {
	p.t.Helper()
	if len(p.trees) > 0 {
		return
	}
	for range 2 {
		tree := startTree(p.t, p.dir, p.environ())
		p.awaitReady(tree)
		p.trees = append(p.trees, tree)
	}
}

// stop kills everything, and lets time pass until the locks of the killed processes have expired.
func (p *proof) stop() {
	p.t.Helper()
	for _, tree := range p.trees {
		p.kill(tree)
	}
	p.trees = nil
	p.opened(func() {
		p.checkInvariants()
		p.pass(lockAndTrust)
	})
}

// begin starts a run over all sites.
func (p *proof) begin(req api.BackfillRequest) api.BackfillRun {
	p.t.Helper()
	req.Sources = p.slugs()
	if req.Mode == string(backfill.Archive) {
		req.DateFrom, req.DateTo = p.first.Format(proofTag), p.last.Format(proofTag)
	}
	var run api.BackfillRun
	p.ask("POST", "/api/backfill/runs", req, http.StatusAccepted, &run)
	return run
}

func (p *proof) look(id string) (run api.BackfillRun) {
	p.t.Helper()
	p.ask("GET", "/api/backfill/runs/"+id, nil, http.StatusOK, &run)
	return run
}

// until polls a run until a condition holds for it.
func (p *proof) until(id string, so func(api.BackfillRun) bool) api.BackfillRun {
	p.t.Helper()
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if run := p.look(id); so(run) {
			return run
		}
	}
	p.t.Fatalf("the run does not get there: %+v", p.look(id))
	return api.BackfillRun{}
}

func (p *proof) run(req api.BackfillRequest) api.BackfillRun {
	p.t.Helper()
	return p.until(p.begin(req).ID, api.BackfillRun.Over)
}

// killed does a run and kills everything repeatedly, each time further into the run.
func (p *proof) killed(req api.BackfillRequest) api.BackfillRun {
	p.t.Helper()
	total, run := 0, p.begin(req)
	for slug := range p.sites {
		total += len(p.expect(slug, backfill.Sitemap).found)
	}
	for n := range *proofKills {
		at := p.until(run.ID, func(r api.BackfillRun) bool { return r.Over() || r.Discovered*(*proofKills+1) > total*(n+1) })
		p.stop()
		p.t.Logf("killed when %s with %d of %d discovered", at.Status, at.Discovered, total)
		p.extra += 2 * 64 // jobs in flight on two handlers, each of at most 32 pages
		p.start()
	}
	return p.until(run.ID, api.BackfillRun.Over)
}

// expected is what a run should find on a site.
type expected struct {
	found  map[string]bool // normalized
	counts api.BackfillCounts
}

// expect computes, from what a site has published, the expected results of a run.
func (p *proof) expect(slug string, mode backfill.Mode) expected {
	p.t.Helper()
	s, e := p.sites[slug], expected{found: map[string]bool{}}
	for _, url := range s.listed[string(mode)] {
		src, err := source.DefaultRules().ParseURL(url)
		if err != nil {
			p.t.Fatal(err)
		}
		switch {
		case "http://"+src.Host != s.URL || strings.Contains(url, "/print/"):
			e.counts.Excluded++
		case strings.Contains(url, "/a/a/a/"):
			e.counts.Trapped++
		case e.found[src.Normalized]:
			e.counts.Duplicates++
		default:
			e.found[src.Normalized] = true
			e.counts.Discovered++
			if p.known[src.Normalized] {
				e.counts.Skipped++
			} else {
				e.counts.Queued++
			}
		}
	}
	p.documents(s, mode, &e.counts)
	return e
}

// documents counts the documents of a site that a run should read.
func (p *proof) documents(s *proofSite, mode backfill.Mode, c *api.BackfillCounts) {
	for path, body := range s.docs {
		if modeOf(path) == mode {
			c.Documents++
			c.Requests++
			c.Bytes += int64(len(body))
		}
	}
	switch mode {
	case backfill.Sitemap:
		c.Errors, c.Requests = 1, c.Requests+1 // the missing one
	case backfill.Archive: // months without pages
		c.Requests = 12*(p.last.Year()-p.first.Year()) + int(p.last.Month()-p.first.Month()) + 1
	case backfill.Pagination:
		c.Requests++ // the page after the last
	}
}

func modeOf(path string) backfill.Mode {
	switch {
	case strings.HasPrefix(path, "/archive/"):
		return backfill.Archive
	case strings.HasPrefix(path, "/list/"), strings.HasPrefix(path, "/browse/"):
		return backfill.Pagination
	case strings.HasPrefix(path, "/maps/"), path == "/sitemap.xml":
		return backfill.Sitemap
	}
	return ""
}

// check compares a finished run with what was published, and with what the sites saw.
func (p *proof) check(what string, run api.BackfillRun, mode backfill.Mode, killed bool) {
	p.t.Helper()
	what += " " + string(mode)
	p.t.Logf("%s: %s", what, strings.Join(run.Report, " · "))
	if run.Status != api.BackfillCompleted {
		p.t.Fatalf("%s: %s: %s", what, run.Status, run.Note)
	}
	var sum api.BackfillCounts
	for _, progress := range run.Progress {
		e := p.expect(progress.Source, mode)
		if diff := cmp.Diff(e.counts, progress.BackfillCounts); diff != "" {
			p.t.Errorf("%s of %s (-want +have):\n%s%+v", what, progress.Source, diff, run.ErrorLog)
		}
		add(&sum, progress.BackfillCounts)
		if !run.DryRun {
			maps.Copy(p.known, e.found)
		}
		p.seen(what, p.sites[progress.Source], e.counts, mode, killed)
	}
	if diff := cmp.Diff(sum, run.BackfillCounts); diff != "" {
		p.t.Errorf("%s: the sources do not add up to the run (-sources +run):\n%s", what, diff)
	}
}

func add(sum *api.BackfillCounts, c api.BackfillCounts) {
	sum.Discovered += c.Discovered
	sum.Queued += c.Queued
	sum.Skipped += c.Skipped
	sum.Refused += c.Refused
	sum.Excluded += c.Excluded
	sum.Trapped += c.Trapped
	sum.Duplicates += c.Duplicates
	sum.Errors += c.Errors
	sum.Documents += c.Documents
	sum.Requests += c.Requests
	sum.Bytes += c.Bytes
}

// seen compares the requests that a site saw with the counts of the run.
func (p *proof) seen(what string, s *proofSite, says api.BackfillCounts, mode backfill.Mode, killed bool) {
	p.t.Helper()
	asked, sent := s.log()
	requests, repeated := 0, 0
	for path, n := range asked {
		switch {
		case modeOf(path) != "":
			requests += n
			repeated += n - 1
		case path != "/robots.txt":
			p.pages[s.URL+path] += n
		}
	}
	// On a busy machine a step may last so long that its message reappears, and its document is read again.
	over, allowed := requests-says.Requests, 2
	if killed {
		allowed += 2 * *proofKills
	}
	if over < 0 || repeated != over || over > allowed {
		p.t.Errorf("%s: %s saw %d requests, %d of them repeated; the run says %d: %v", what, s.URL, requests, repeated,
			says.Requests, asked)
	}
	if !killed && over == 0 && sent != says.Bytes {
		p.t.Errorf("%s: %s sent %d bytes, the run says %d", what, s.URL, sent, says.Bytes)
	}
}

// crawled waits until no page is left to fetch.
func (p *proof) crawled() {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Minute); !p.idle(); time.Sleep(200 * time.Millisecond) {
		if p.invoke("CrawlTimer"); time.Now().After(end) {
			p.t.Fatalf("not all is crawled: %v", p.counts())
		}
	}
}

// items returns all items, read while no process runs.
func (p *proof) items() (items []registry.Item) {
	p.t.Helper()
	for _, tree := range p.trees {
		p.kill(tree)
	}
	p.trees = nil
	p.opened(func() {
		var err error
		if items, err = registry.New(p.store, registry.Options{}).Items.List(p.t.Context(),
			registry.ListQuery{Top: 1_000_000}); err != nil {
			p.t.Fatal(err)
		}
		p.leftovers()
	})
	return items
}

// leftovers finds rows that no run needs any more. Links of a step that two workers have finished may remain until
// the work of the run is removed (see backfill.TestE11Simulation).
func (p *proof) leftovers() {
	for e, err := range p.store.Table(backfill.Table).Query(p.t.Context(), storage.Query{}) {
		if err != nil {
			p.t.Fatal(err)
		}
		if strings.HasPrefix(e.Row, "active|") {
			p.t.Errorf("%s is left over", e.Row)
		}
	}
}

// judge checks the final state.
func (p *proof) judge() {
	p.t.Helper()
	statuses := map[string]int{}
	for _, it := range p.items() {
		statuses[string(it.Status)]++
		if !p.known[it.NormalizedSource] || it.DiscoveryMethod != backfill.Method || it.DiscoveryJob == "" {
			p.t.Errorf("%s was registered by %q as %q", it.NormalizedSource, it.DiscoveryMethod, it.DiscoveryJob)
		}
		delete(p.known, it.NormalizedSource)
		if it.Status == registry.Pending || it.Status == registry.Error {
			p.t.Errorf("%s is %s: %s", it.NormalizedSource, it.Status, it.ErrorMessage)
		}
	}
	p.t.Logf("items: %v", statuses)
	if len(p.known) > 0 {
		p.t.Errorf("%d items are missing, such as %s", len(p.known), slices.Sorted(maps.Keys(p.known))[0])
	}
	p.polite()
}

// polite checks the pace that the sites saw.
func (p *proof) polite() {
	p.t.Helper()
	repeated := 0
	for _, slug := range p.slugs() {
		s := p.sites[slug]
		asked, _ := s.log()
		for path, n := range asked {
			if modeOf(path) == "" && path != "/robots.txt" {
				p.pages[s.URL+path] += n
			}
		}
		if why := s.hurried(*proofPause); why != "" {
			p.t.Errorf("%s: %s", s.URL, why)
		}
	}
	for url, n := range p.pages {
		if repeated += n - 1; n > 1+*proofKills {
			p.t.Errorf("%s was fetched %d times", url, n)
		}
	}
	p.t.Logf("%d pages fetched, %d of them again after kills", len(p.pages), repeated)
	if repeated > p.extra {
		p.t.Errorf("%d pages were fetched again; kills explain %d", repeated, p.extra)
	}
}
