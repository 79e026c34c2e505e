package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// links measures how much of a site without a sitemap is found by following links, compared with a walk by another
// program, and how fast, compared with the same pages given as a list; and how much of what is found at a site with
// endless spaces is real.
func (b *bench) links() error {
	section("Pages found by following links", "site", "pages", "found", "share", "twice", "others in the index",
		"pages/s", "as a list, pages/s", "ratio", "CPU, ms a page", "as a list, CPU, ms a page", "ratio of CPU")
	for _, docs := range strings.Split(b.docs, ",") {
		if err := b.linksOf(docs); err != nil {
			return fmt.Errorf("%w (-docs names folders of pages)", err)
		}
	}
	return nil
}

// endless stands in -docs for the site with endless spaces.
const endless = "endless spaces"

// linksOf measures one site.
func (b *bench) linksOf(docs string) error {
	if docs == endless {
		return b.linksOfTraps()
	}
	if _, err := os.Stat(docs); err != nil {
		return err
	}
	pages, port, err := serve(http.FileServer(http.Dir(docs)))
	if err != nil {
		return err
	}
	defer pages.Close()
	first := fmt.Sprintf("http://127.0.0.1:%d/index.html", port)
	reached, err := walkLinks(b.ctx, first)
	if err != nil {
		return err
	}
	return b.followOnce(docs, first, reached)
}

func (b *bench) linksOfTraps() error {
	traps, port, err := serve(newTraps(trapPages))
	if err != nil {
		return err
	}
	defer traps.Close()
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	real := map[string]bool{}
	for i := range trapPages {
		real[fmt.Sprintf("%s/thing/%d", base, i)] = true
	}
	return b.followOnce(endless, base+"/", real)
}

// trapPages is the number of real pages of the site with endless spaces.
const trapPages = 600

// followOnce follows the links of a site, and crawls the same pages again from a list.
func (b *bench) followOnce(name, first string, want map[string]bool) error {
	found, followed, err := b.crawled(func(p *product) error {
		_, err := api.AddSite.Call(b.ctx, p.client, api.SiteRequest{URL: first, SiteSettings: api.SiteSettings{
			Follow: &api.SiteFollow{Depth: 20, Pages: 50_000, Addresses: 500_000}}})
		return err
	})
	if err != nil {
		return err
	}
	var all []string
	seen, hit, twice, others := map[string]string{}, 0, 0, 0
	missing := maps.Clone(want)
	for _, it := range found {
		all = append(all, it.NormalizedSource)
		if it.Status != api.StatusIndexed {
			continue
		}
		others++
		address := strings.TrimSuffix(it.NormalizedSource, "/")
		if delete(missing, address); want[address] {
			hit++
		}
		if it.AliasOf != "" || it.ContentHash == "" {
			continue
		}
		if other := seen[it.Title+it.ContentHash]; other != "" {
			twice++
			fmt.Fprintf(os.Stderr, "twice: %s as %s\n", other, it.NormalizedSource)
		}
		seen[it.Title+it.ContentHash] = it.NormalizedSource
	}
	for _, address := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintln(os.Stderr, "missing:", address)
	}
	fmt.Fprintf(os.Stderr, "%s: found %d of %d, %d twice, in %s\n", name, hit, len(want), twice, followed.elapsed)
	listed, again, err := b.crawled(func(p *product) error { return p.add(all) })
	if err != nil {
		return err
	}
	rate, rateOfList := float64(len(found))/followed.elapsed.Seconds(), float64(len(listed))/again.elapsed.Seconds()
	cpu, cpuOfList := ms(followed.cpu)/float64(len(found)), ms(again.cpu)/float64(len(listed))
	share := fmt.Sprintf("%.4f", float64(hit)/float64(len(want)))
	row(name, len(want), hit, share, twice, others-hit, rate, rateOfList, rate/rateOfList, cpu, cpuOfList, cpuOfList/cpu)
	return nil
}

// crawlCost is the elapsed time of a crawl, and the processor time of the product.
type crawlCost struct{ elapsed, cpu time.Duration }

// crawled starts the product, begins a crawl, and returns its items and what it cost.
func (b *bench) crawled(begin func(p *product) error) (found []api.Item, cost crawlCost, err error) {
	p, err := b.startProduct("embedded")
	if err != nil {
		return nil, cost, err
	}
	defer func() { _ = p.stop() }()
	began, cpu := time.Now(), p.processor()
	if err := begin(p); err != nil {
		return nil, cost, err
	}
	err = b.wait(30*b.patience, 200*time.Millisecond, "the end of the crawl", func() (bool, error) {
		sites, err := api.ListSites.Call(b.ctx, p.client, api.None{})
		if err != nil {
			return false, err
		}
		for _, s := range sites.Sites {
			if s.Look != nil {
				return false, nil
			}
		}
		st, err := api.GetStatus.Call(b.ctx, p.client, api.StatusQuery{})
		return err == nil && st.Total() > 0 && idle(st), err
	})
	if cost = (crawlCost{time.Since(began), p.processor() - cpu}); err != nil {
		return nil, cost, err
	}
	for page, err := range p.client.Pages(b.ctx, api.ItemQuery{Top: 1000}) {
		if err != nil {
			return nil, cost, err
		}
		found = append(found, page.Items...)
	}
	return found, cost, nil
}

// newTraps returns a site of real pages with a calendar, lists under filters, sessions and growing paths, all endless.
func newTraps(pages int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a, c, d int
		q := r.URL.Query()
		w.Header().Set("Content-Type", "text/html")
		switch {
		case scan(r.URL.Path, "/thing/%d", &a) && a < pages:
			fmt.Fprintf(w, "<title>Thing %s</title><h1>Thing %s</h1>", spelled(a), spelled(a))
			for i := range 12 {
				fmt.Fprintf(w, "<p>%s %s.", spelled(a*7+i), spelled(a*11+i))
			}
			trapLinks(w, fmt.Sprintf("/thing/%d", (2*a+1)%pages), fmt.Sprintf("/thing/%d", (2*a+2)%pages), "/cal/2026/1",
				fmt.Sprintf("/list?color=%d&size=%d", a%9, a%7), fmt.Sprintf("/thing/%d?sid=%016x", a, a*7919+1))
		case scan(r.URL.Path, "/cal/%d/%d", &c, &d):
			fmt.Fprint(w, "<title>Calendar</title><h1>Calendar</h1><p>There are no events in this month.")
			trapLinks(w, fmt.Sprintf("/cal/%d/%d", c, d%12+1), fmt.Sprintf("/cal/%d/%d", c-1, d),
				fmt.Sprintf("/cal/%d/%d", c+1, d))
		case r.URL.Path == "/list":
			fmt.Fprint(w, "<title>List</title><h1>All things</h1><p>Choose a color and a size.")
			trapLinks(w, "/list?color="+q.Get("color")+"1", "/list?size=1"+q.Get("size")+"&color="+q.Get("color"))
		case strings.HasPrefix(r.URL.Path, "/more"):
			fmt.Fprint(w, "<title>More</title><p>There is always more of this.")
			trapLinks(w, strings.TrimSuffix(r.URL.Path, "/")+"/more")
		case r.URL.Path == "/":
			fmt.Fprint(w, "<title>Front</title><p>A shop with things of every kind.")
			trapLinks(w, "/thing/0", "/cal/2026/1", "/list?color=1", "/more")
		default:
			http.NotFound(w, r)
		}
	})
}

// spelled writes a number in letters, as words that are no number.
func spelled(n int) string {
	const letters = "bcdfghjklm"
	var b strings.Builder
	for range 5 {
		b.WriteByte(letters[n%10])
		b.WriteByte("aeiou"[n%5])
		n = n*31 + 17
	}
	return b.String()
}

// scan reads numbers from a path that has exactly the given form.
func scan(path, form string, to ...any) bool {
	n, err := fmt.Sscanf(path+" ", form+" ", to...)
	return err == nil && n == len(to)
}

func trapLinks(w http.ResponseWriter, to ...string) {
	for _, one := range to {
		fmt.Fprintf(w, `<a href="%s">%s</a>`, one, one)
	}
}
