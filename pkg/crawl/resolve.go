package crawl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// maxHops bounds the number of items that are read between a candidate and the item that stands for it. It also
// bounds the number of items that are read to make sure that the candidates do not lead back to the page.
const maxHops = 5

// resolution is the result of Resolve: the item that stands for a page in the index.
type resolution struct {
	Alias      *registry.Item // the item that stands for the page; nil if none does
	why        string         // the reason for the alias
	note       string         // why another item, which might have stood for the page, does not
	soon       bool           // the reason in note is likely to change
	loop       bool           // the page refers to an item that leads back to the page
	registered bool           // the target of the page's redirect is registered, now or earlier
	claimed    bool           // the alias is due to the page's rel=canonical
}

// applyNote records once why no other item stands for the page, and reports whether the next check should come soon.
// Only the first such reason, and the registration of a redirect's target, bring the check forward. So a page that
// refers to a different item each time is not checked more often.
func (s *resolution) applyNote(it *registry.Item, now time.Time) (soon bool) {
	if s.note != "" && s.note != it.CanonicalNote {
		it.Record(now, "canonical", s.note)
		soon = s.soon && (it.CanonicalNote == "" || s.registered)
	}
	it.CanonicalNote = s.note
	return soon
}

// resolver finds the item that stands for an item.
type resolver struct {
	*placer
	item    *registry.Item
	changed bool         // the item's content is new
	words   change.Words // of the item's new text; zero if the text is not new
	named   string       // the canonical address that the page names and that may be true
	refused string       // the canonical address that the page names although its content is another
	moved   bool         // permanent redirects lead to another address
}

// obstacle is the reason why an item does not stand for a page, and whether this reason is likely to change soon.
type obstacle struct {
	why  string
	soon bool
}

var (
	notRegistered = obstacle{why: verdict.NotRegistered}
	notFetched    = obstacle{why: verdict.NotFetched, soon: true}
	loops         = obstacle{why: "leads back here"}
	notReread     = obstacle{why: "was read under another normalization version", soon: true}
)

// noteOf describes why a candidate does not stand for the page.
func noteOf(cl verdict.Candidate, o obstacle) string {
	return cl.Says + " " + cl.Normalized + ", which " + o.why
}

// resolve decides which item stands for the page. An item that the page itself refers to, by a permanent redirect or
// rel=canonical, takes precedence over a better variant of the page. If there is neither, Resolve registers the
// target of a redirect. So a page leads to only one address.
//
// The words are those of the page's text if it is new.
func (p *placer) resolve(
	ctx context.Context, it *registry.Item, kind schedule.Outcome, words change.Words,
) (s resolution, err error) {
	r := resolver{placer: p, item: it, words: words, changed: kind == schedule.Changed || kind == schedule.Reverted}
	if s, err = r.resolve(ctx); err != nil {
		return s, err
	}
	return r.conclude(ctx, s)
}

// resolve tries the candidates of the page.
func (r *resolver) resolve(ctx context.Context) (s resolution, err error) {
	it, p := r.item, r.placer
	claims, foreign := verdict.CandidatesOf(it, p.basis.Rules.Sources)
	if foreign != "" {
		s.add(foreign, false)
	}
	better, _ := verdict.VariantsOf(it, p.basis.Rules.Sources)
	var unknown []verdict.Candidate
	for _, cl := range slices.Concat(claims, better, verdict.LedTo(it, p.basis.Rules.Sources)) {
		r.moved = r.moved || cl.Moved
		if cl.Claimed() {
			r.named = cl.Normalized // unless the contents differ
		}
		of, o, err := r.follow(ctx, cl)
		switch {
		case err != nil:
			return s, err
		case of != nil:
			return resolution{Alias: of, why: aliasReason(cl, of), claimed: cl.Claimed()}, nil
		case o == notRegistered && r.mayRegister(cl):
			unknown = append(unknown, cl)
		case o.why != "":
			s.add(noteOf(cl, o), o.soon)
			s.loop = s.loop || o == loops
		}
	}
	for _, cl := range unknown {
		o, err := r.registerTarget(ctx, cl)
		if err != nil {
			return s, err
		}
		s.add(noteOf(cl, o), o.soon)
		s.registered = s.registered || o == notFetched
	}
	return s, nil
}

// add records why a possible item does not stand for the page.
func (s *resolution) add(note string, soon bool) {
	before := "indexed as a page of its own: it "
	if s.note != "" {
		before = s.note + "; it "
	}
	s.note, s.soon = before+note, s.soon || soon
}

// follow finds the item that stands for a candidate: the candidate itself or, when the candidate is an alias, the
// item that it is an alias of. The returned item is in the index and does not lead back to the page. When follow
// returns neither an item nor an obstacle, the candidate is skipped.
func (r *resolver) follow(ctx context.Context, cl verdict.Candidate) (of *registry.Item, o obstacle, err error) {
	it, found, err := r.in.Items.Lookup(ctx, cl.Source)
	if err != nil {
		return nil, o, err
	}
	// If the page refers to an item that does not exist, the history gets a note. A variant that does not exist gets
	// none, because it was only a guess.
	if !found || it.RemoveRequested {
		if !cl.Variant {
			o = notThere(found)
		}
		return nil, o, nil
	}
	// An item that the page redirects to stands for the page, whatever the content of that item. A variant must have
	// the same content as the page.
	if cl.Variant {
		if o, err = r.sameContent(ctx, cl, it); err != nil || o.why != "" {
			return nil, o, err
		}
	}
	if o, err = r.endOfAliases(ctx, &it); err != nil || o.why != "" {
		return nil, o, err
	}
	if o, err = r.stands(ctx, &it); err == nil && o.why == "" && cl.Claimed() {
		o, err = r.credible(ctx, cl, &it)
	}
	if err != nil || o.why != "" {
		return nil, o, err
	}
	return &it, o, nil
}

// stands returns an obstacle if an item cannot stand for the page, whatever the content of both: a search must find it,
// and it must not lead back to the page.
func (r *resolver) stands(ctx context.Context, it *registry.Item) (o obstacle, err error) {
	switch {
	case it.RemoveRequested:
		return obstacle{why: "is to be removed"}, nil
	case it.Status == registry.Pending:
		return notFetched, nil
	case it.Status != registry.Indexed || it.IndexedHash == "":
		return obstacle{why: "has the status " + string(it.Status)}, nil
	}
	back, err := r.leadsBack(ctx, it)
	return obstacle{why: back}, err
}

// notThere returns the obstacle for an item that the page refers to but that does not exist.
func notThere(found bool) obstacle {
	if !found {
		return notRegistered
	}
	return obstacle{why: "is to be removed"}
}

// sameContent returns an obstacle if a variant does not show the same content as the page. If the variant may soon
// show the same content, sameContent asks for its check at once. A variant that was never checked is no obstacle,
// because nothing is known about it yet: its check asks for one of this page if need be. But a page that the item
// leads to does not know of it.
func (r *resolver) sameContent(
	ctx context.Context, cl verdict.Candidate, variant registry.Item,
) (o obstacle, err error) {
	switch {
	case variant.Status == registry.Pending && cl.Led:
		return notFetched, nil
	case variant.Status == registry.Pending:
		return o, nil
	case verdict.ReadAlike(&variant, r.item):
		if variant.ContentHash == r.item.ContentHash {
			return o, nil
		}
		soon, err := r.expectChange(ctx, variant)
		return obstacle{"has other content", soon}, err
	case r.keepsAlias(&variant):
		return o, nil
	}
	return notReread, r.in.Items.ForceCheck(ctx, variant)
}

// endOfAliases replaces an alias by the item that stands for it. It follows up to five aliases.
func (r *resolver) endOfAliases(ctx context.Context, it *registry.Item) (o obstacle, err error) {
	for hops := 0; it.AliasOf != "" && it.Status != registry.Gone; hops++ {
		if it.ID == r.item.ID || it.AliasOf == r.item.ID {
			return loops, nil
		}
		if hops == maxHops {
			return obstacle{why: fmt.Sprintf("is more than %d aliases away", maxHops)}, nil
		}
		next, found, err := r.find(ctx, it.AliasOf)
		switch {
		case err != nil:
			return o, err
		case !found:
			return obstacle{why: "leads to a page that is not registered"}, nil
		}
		*it = next
	}
	return o, nil
}

// keepsAlias reports whether the page remains an alias of a variant that was not yet read under the present version.
// It does, unless the page's own content is new, because before that both had the same content.
func (r *resolver) keepsAlias(variant *registry.Item) bool {
	of := r.item.AliasOf
	return of != "" && (of == variant.ID || of == variant.AliasOf) && !r.changed
}

// expectChange is called when the page's content has changed. If a variant stood for the page until then,
// expectChange brings forward the check of that variant, because the variant has probably changed, too.
func (r *resolver) expectChange(ctx context.Context, variant registry.Item) (soon bool, err error) {
	if r.item.AliasOf != variant.ID {
		return false, nil
	}
	return true, r.in.Items.ForceCheck(ctx, variant)
}

func aliasReason(cl verdict.Candidate, of *registry.Item) string {
	if cl.Variant && cl.Normalized == of.NormalizedSource {
		return cl.Why
	}
	return "duplicate of " + of.NormalizedSource + ": " + cl.Why
}

func (r *resolver) find(ctx context.Context, id source.ID) (registry.Item, bool, error) {
	it, err := r.in.Items.Find(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return it, false, nil
	}
	return it, err == nil, err
}

// leadsBack describes how the candidates of an indexed item lead back to the page; "" if they do not. In a loop,
// every page stands for itself. A chain that is too long to follow is treated as a loop.
func (r *resolver) leadsBack(ctx context.Context, it *registry.Item) (how string, err error) {
	open, _ := verdict.CandidatesOf(it, r.basis.Rules.Sources)
	seen := map[string]bool{it.NormalizedSource: true}
	for len(open) > 0 {
		next := open[0]
		open = open[1:]
		switch {
		case next.Normalized == r.item.NormalizedSource:
			return loops.why, nil
		case seen[next.Normalized]:
			continue
		case len(seen) > maxHops:
			return fmt.Sprintf("names others over more than %d items", maxHops), nil
		}
		seen[next.Normalized] = true
		named, found, err := r.in.Items.Lookup(ctx, next.Source)
		if err != nil {
			return "", err
		}
		if found {
			further, _ := verdict.CandidatesOf(&named, r.basis.Rules.Sources)
			open = append(open, further...)
		}
	}
	return "", nil
}

// mayRegister reports whether this check registers the target of a permanent redirect. A site must not be able to
// cause endless registrations. So an item that was itself registered as a redirect's target registers nothing; the
// page that led to the item follows the longer chain, too. And when the target of a page changes with every answer,
// only the first target is registered.
func (r *resolver) mayRegister(cl verdict.Candidate) bool {
	settled := r.basis.MovedTo == "" || r.basis.MovedTo == cl.Normalized
	return settled && cl.Moved && source.SameSite(cl.Host, r.item.SourceHost) &&
		r.item.DiscoveryMethod != redirectMethod && !r.basis.IndexOnly
}

// registerTarget registers the target of a permanent redirect. This must happen before the page's own commit: if the
// worker dies, the next check finds the target registered. The returned obstacle states why the target does not stand
// for the page yet.
func (r *resolver) registerTarget(ctx context.Context, cl verdict.Candidate) (o obstacle, err error) {
	options := registry.RegisterOptions{NewOnly: true, Method: redirectMethod, Forms: source.Forms{}}
	options.Forms.Note(cl.Source, cl.Address, r.basis.Rules.Sources)
	scheme, _, _ := strings.Cut(r.item.NormalizedSource, "://")
	if scheme == cl.Scheme && cl.Host == r.item.SourceHost {
		options.Credential = r.item.Credential // a credential is valid for one origin only
	}
	got := r.in.Items.Register(ctx, []source.Source{cl.Source}, options)[0]
	switch {
	case registry.IsItemLimit(got.Err):
		return obstacle{why: "cannot be registered: " + got.Err.Error()}, nil
	case got.Err != nil:
		return o, got.Err
	case got.Created:
		r.item.Record(r.o.Clock(), "redirect", "registered "+cl.Normalized+", to which it redirects permanently")
	}
	return notFetched, nil
}

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
