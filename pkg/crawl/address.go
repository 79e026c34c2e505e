package crawl

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Two addresses of one page may both be in the index for some minutes, because the second is not yet indexed when the
// first is checked. So each page also states in the index which address it considers the right one. This depends only
// on the page's own answer. Of the pages that state the same address, a search shows only one ([search.Page.Group]).
// The method works whatever the order of checks, and reads no row of another item.

// redirectMethod is the discoveryMethod of items that a permanent redirect led to.
const redirectMethod = "REDIRECT"

// The ranks of pages with the same content under one address. A search shows the page with the lowest rank.
const (
	rankBest    = iota // the page is at the address itself
	rankVariant        // the page's address differs only in http or www.
	rankNames          // the page leads to another address of its site
	rankMoved          // the page leads to another site
)

// address sets the address under which the index shows a page, and the group of pages that share that address. A page
// that has moved permanently within its site is shown at its new address.
func address(p *search.Page, it *registry.Item, rules source.Rules) {
	if it.Type != source.URL {
		return
	}
	claims, _ := verdict.CandidatesOf(it, rules)
	if len(claims) == 0 {
		claims = verdict.LedTo(it, rules)
	}
	if len(claims) == 0 {
		p.Group = bestForm(it.NormalizedSource, it.SourceHost)
		if better, _ := verdict.VariantsOf(it, rules); len(better) > 0 {
			p.Precedence = rankVariant
		}
		return
	}
	to := claims[len(claims)-1]
	p.Group, p.Precedence = bestForm(to.Normalized, to.Host), rankNames
	if !source.SameSite(to.Host, it.SourceHost) {
		p.Precedence = rankMoved
	}
	if first := claims[0]; first.Moved && source.SameSite(first.Host, it.SourceHost) {
		p.URL = first.Display
	}
}

// bestForm returns the address of a page's best variant; see [verdict.VariantsOf].
func bestForm(normalized, host string) string {
	scheme, rest, _ := strings.Cut(normalized, "://"+host)
	if !strings.Contains(host, ":") {
		scheme = "https"
	}
	return scheme + "://" + strings.TrimPrefix(host, "www.") + rest
}
