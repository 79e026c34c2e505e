package sitepoll

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/site"
)

// guesses returns the addresses of the robots.txt under the site's name and under its other name, with or without www.
// It returns none for a site whose documents are given, and for one that has no other name.
func (w *step) guesses() []string {
	if len(w.site.Feeds) > 0 || len(w.site.Sitemaps) > 1 {
		return nil
	}
	var start state
	start.first(w.site, Full)
	first := start.Docs[0].URL
	other := w.site.Robots(first)
	if other == "" {
		return nil
	}
	scheme, _, _ := strings.Cut(first, "://")
	return []string{scheme + "://" + w.site.Domain + "/robots.txt", other}
}

// guess queues the next document that may lead to the site's pages, when no document of the poll lists any: first at
// the site's name, then at its other one. It reports whether there is such a document.
func (w *step) guess() bool {
	if w.st.Listed || w.st.Now.Kind != Full {
		return false
	}
	for _, address := range w.guesses() {
		if w.st.push(doc{URL: address, Kind: docRobots}); len(w.st.Docs) > 0 {
			return true
		}
	}
	return false
}

// passOver decides about a document of a host whose robots.txt cannot be fetched. If the site may be found at its other
// name, that is asked before the poll waits for the host; and once a document lists pages, the poll does not wait. For
// what is only a guess, it never waits. PassOver reports false if the poll must wait: all documents that are left were
// passed over before.
func (w *step) passOver(why error) bool {
	guesses := w.guesses()
	if len(guesses) == 0 {
		return false
	}
	d, other := w.st.Docs[0], guesses[1]
	if !w.st.Listed {
		w.st.push(doc{URL: other, Kind: docRobots})
	}
	guessed := d.URL == other || d.URL == site.SitemapBeside(other)
	isLast := !slices.ContainsFunc(w.st.Docs[1:], func(d doc) bool { return !d.Later })
	switch {
	case guessed || w.st.Listed && isLast:
		w.giveUp(why)
	case !isLast:
		d.Later = true
		w.st.Docs = append(w.st.Docs[1:], d)
	default:
		return false
	}
	return true
}
