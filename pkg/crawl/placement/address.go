package placement

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Two addresses of one page may both be in the index for minutes: when the first of them is checked, the other is not
// indexed yet. So each page says in the index which address it believes to be the right one, by its own answer alone,
// and a search shows one of the pages that agree ([search.Page.Group]). That needs no order of checks, and no other
// item's row.

// RedirectMethod is how items were discovered that a permanent redirect led to.
const RedirectMethod = "REDIRECT"

// Ranks of pages that show the same under one address: the least is what a search shows.
const (
	rankBest    = iota // the address itself
	rankVariant        // the same with http or www.
	rankNames          // names another address of its site
	rankMoved          // redirects to another site
)

// address says in the index which address a page is found under, and with which pages it shares it. A page that has
// moved permanently within its site is shown at its new address.
func address(p *search.Page, it *registry.Item, rules source.Rules) {
	if it.Type != source.URL {
		return
	}
	claims, _ := verdict.CandidatesOf(it, rules)
	if len(claims) == 0 {
		p.Group = bestForm(it.NormalizedSource, it.SourceHost)
		if better, _ := verdict.VariantsOf(it, rules); len(better) > 0 {
			p.Precedence = rankVariant
		}
		return
	}
	to := claims[len(claims)-1]
	p.Group, p.Precedence = bestForm(to.Normalized, to.Host), rankNames
	if !verdict.SameSite(to.Host, it.SourceHost) {
		p.Precedence = rankMoved
	}
	if first := claims[0]; first.Moved && verdict.SameSite(first.Host, it.SourceHost) {
		p.URL = first.Display
	}
}

// bestForm is an address as the best of its variants has it, see [verdict.VariantsOf].
func bestForm(normalized, host string) string {
	scheme, rest, _ := strings.Cut(normalized, "://"+host)
	if !strings.Contains(host, ":") {
		scheme = "https"
	}
	return scheme + "://" + strings.TrimPrefix(host, "www.") + rest
}
