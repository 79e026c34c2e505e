package handlers

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/run/enrich"
)

// nodes returns the matching elements below a node, in document order.
func nodes(n *html.Node, fits func(*html.Node) bool) (all []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && fits(d) {
			all = append(all, d)
		}
	}
	return all
}

// linksOf returns the targets of the links below a node.
func linksOf(n *html.Node) (to []string) {
	for _, a := range nodes(n, func(n *html.Node) bool { return n.Data == "a" }) {
		to = append(to, attribute(a, "href"))
	}
	return to
}

// leads checks that links within this site lead to existing pages, and their anchors to elements there.
func leads(t *testing.T, h http.Handler, from string, links []string) {
	t.Helper()
	for _, to := range links {
		u, err := url.Parse(to)
		if must(t, err); u.Host != "" {
			continue
		}
		page, _, _ := strings.Cut(to, "#")
		if page == "" {
			page = from
		}
		w, doc := dashboardPage(t, h, page)
		if w.Code != http.StatusOK {
			t.Errorf("%s links to %s: %d", from, to, w.Code)
		}
		if u.Fragment != "" && len(nodes(doc, func(n *html.Node) bool { return attribute(n, "id") == u.Fragment })) != 1 {
			t.Errorf("%s links to %s, where there is no such place", from, to)
		}
	}
}

// saysEmpty is how the first words of a section say that there is nothing.
var saysEmpty = regexp.MustCompile(`^(No [a-z0-9 ]+ (yet|days)\.?|No (matches|messages|results)|No page has been read yet\.|Which page .*)$`)

// TestL7EmptyPages checks that every empty page explains what will appear there, and has a link or a command for the
// next step. Each page links to the documentation and to the API's description (L7).
func TestL7EmptyPages(t *testing.T) {
	r := newRig(t)
	r.v.Enrich = enrich.New(r.store, enrich.Kept{}, enrich.Models{}, enrich.Options{Schemas: enrich.Schemas()})
	must(t, r.v.Enrich.Create(t.Context()))
	for _, path := range []string{"", "/search", "/search?q=harbour", "/items", "/items?host=a.example", "/entries",
		"/entries?policy=none", "/entries/batches", "/entries/imports", "/hosts", "/backfill", "/notifications/messages",
		"/index", "/tags"} {
		w, doc := dashboardPage(t, r, "/api/ui"+path)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
		empty := nodes(doc, func(n *html.Node) bool {
			c := n.FirstChild
			for c != nil && c.Type != html.ElementNode {
				c = c.NextSibling
			}
			return c != nil && saysEmpty.MatchString(textOf(c))
		})
		if len(empty) == 0 {
			t.Errorf("%s does not say that there is nothing, nor what goes there:\n%s", path, w.Body)
		}
		for _, section := range empty {
			if len(linksOf(section)) == 0 {
				t.Errorf("%s: no next step", path)
			}
		}
		all := linksOf(doc)
		leads(t, r, "/api/ui"+path, all)
		for _, documents := range []string{"/api/ui/help", "/api/ui/docs"} {
			if !slices.Contains(all, documents) {
				t.Errorf("%s does not link %s, only %s", path, documents, all)
			}
		}
	}
}

// TestL7Documentation checks that the dashboard shows each page of the documentation, with working links, and without
// pictures, scripts and styles of its own (L7).
func TestL7Documentation(t *testing.T) {
	r := newRig(t)
	pages, err := tidemark.Docs.ReadDir("docs")
	if must(t, err); len(pages) < 10 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, page := range pages {
		path := "/api/ui/help/" + strings.TrimSuffix(page.Name(), ".md")
		if page.Name() == "README.md" {
			path = "/api/ui/help" // the page that lists the others
		}
		w, doc := dashboardPage(t, r, path)
		article := nodes(doc, func(n *html.Node) bool { return n.Data == "article" })
		if w.Code != http.StatusOK || len(article) != 1 {
			t.Errorf("%s: %d", path, w.Code)
			continue
		}
		leads(t, r, path, linksOf(article[0]))
		bad := nodes(article[0], func(n *html.Node) bool {
			return n.Data == "img" || n.Data == "script" || n.Data == "style" || attribute(n, "style") != ""
		})
		if len(bad) > 0 {
			t.Errorf("%s has a <%s>, which the pages' policy refuses", path, bad[0].Data)
		}
	}
	for _, path := range []string{"/api/ui/help/none", "/api/ui/help/..%2Fembed", "/api/ui/help/.."} {
		if w := do(t, r, "GET", path, ""); strings.Contains(w.Body.String(), "<article") {
			t.Errorf("%s: %d, a page", path, w.Code)
		}
	}
}
