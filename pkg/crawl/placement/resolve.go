package placement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// maxHops is how many items are read on the way from a candidate to the item that stands for it. It also bounds the
// items that are read to be sure that the way does not lead back.
const maxHops = 5

// Resolution says which item stands for a page in the index.
type Resolution struct {
	Alias      *registry.Item // the item that stands for it; nil if it stands for itself
	why        string         // it is an alias
	note       string         // why another item that could stand for it does not
	soon       bool           // and that is likely to change
	loop       bool           // the item that the page names names the page
	registered bool           // the target of its redirect is registered, by this check or before
}

// ApplyNote records once why no other item stands for the page, and reports whether the next check is to come soon.
// Only the first such reason, and the registration of a redirect's target, bring it forward: a page that names another
// one each time is not asked more often.
func (s *Resolution) ApplyNote(it *registry.Item, now time.Time) (soon bool) {
	if s.note != "" && s.note != it.CanonicalNote {
		it.Record(now, "canonical", s.note)
		soon = s.soon && (it.CanonicalNote == "" || s.registered)
	}
	it.CanonicalNote = s.note
	return soon
}

// resolver finds out which item stands for an item.
type resolver struct {
	*Placer
	item    *registry.Item
	changed bool // its content is new
}

// obstacle is why a source does not stand for a page; soon if that is likely to change.
type obstacle struct {
	why  string
	soon bool
}

var (
	notRegistered = obstacle{why: "is not registered"}
	notFetched    = obstacle{why: "has not been fetched yet", soon: true}
	loops         = obstacle{why: "leads back here"}
	notReread     = obstacle{why: "was read under another normalization version", soon: true}
)

// noteOf says why a source does not stand for the item that names it.
func noteOf(cl verdict.Candidate, o obstacle) string {
	return cl.Says + " " + cl.Normalized + ", which " + o.why
}

// Resolve decides which item stands for the page: the item that it names, or else a variant. The target of a redirect
// is registered only if there is neither, so that a page leads to one address.
func (p *Placer) Resolve(ctx context.Context, it *registry.Item, kind schedule.Outcome) (s Resolution, err error) {
	r := resolver{Placer: p, item: it, changed: kind == schedule.Changed || kind == schedule.Reverted}
	claims, foreign := verdict.CandidatesOf(it, p.basis.Rules.Sources)
	if foreign != "" {
		s.add(foreign, false)
	}
	better, _ := verdict.VariantsOf(it, p.basis.Rules.Sources)
	var unknown []verdict.Candidate
	for _, cl := range append(claims, better...) {
		of, o, err := r.follow(ctx, cl)
		switch {
		case err != nil:
			return s, err
		case of != nil:
			return Resolution{Alias: of, why: aliasReason(cl, of)}, nil
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

// add notes why an item that could stand for the page does not.
func (s *Resolution) add(note string, soon bool) {
	before := "indexed as a page of its own: it "
	if s.note != "" {
		before = s.note + "; it "
	}
	s.note, s.soon = before+note, s.soon || soon
}

// follow finds the item that stands behind a candidate: the one that is named or, where that is an alias itself, the
// one it stands behind. That item must be in the index, and must not name the page. Without an item or an obstacle the
// candidate is passed over.
func (r *resolver) follow(ctx context.Context, cl verdict.Candidate) (of *registry.Item, o obstacle, err error) {
	it, found, err := r.in.Items.Lookup(ctx, cl.Source)
	if err != nil {
		return nil, o, err
	}
	// The page may name an item that is not there; a variant that is not there was only a guess.
	if !found || it.RemoveRequested {
		if !cl.Variant {
			o = notThere(found)
		}
		return nil, o, nil
	}
	// An item that the page names stands for it whatever it contains. A variant has to contain the same.
	if cl.Variant {
		if o, err = r.sameContent(ctx, it); err != nil || o.why != "" {
			return nil, o, err
		}
	}
	if o, err = r.endOfAliases(ctx, &it); err != nil || o.why != "" {
		return nil, o, err
	}
	// Only an item that a search finds can stand for another.
	switch {
	case it.Status == registry.Pending:
		return nil, notFetched, nil
	case it.Status != registry.Indexed || it.IndexedHash == "":
		return nil, obstacle{why: "has the status " + string(it.Status)}, nil
	}
	back, err := r.leadsBack(ctx, &it)
	if err != nil || back != "" {
		return nil, obstacle{why: back}, err
	}
	return &it, o, nil
}

// notThere says why an item that is named is not there.
func notThere(found bool) obstacle {
	if !found {
		return notRegistered
	}
	return obstacle{why: "is to be removed"}
}

// sameContent says why a variant cannot be said to show the same as the page. A variant that may soon show the same is
// checked again. Of a variant that was never checked, nothing is known yet.
func (r *resolver) sameContent(ctx context.Context, variant registry.Item) (o obstacle, err error) {
	switch {
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

// endOfAliases replaces an alias by the item that stands for it, over at most five.
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

// keepsAlias reports whether the page remains an alias of a variant that was not read under the present version yet:
// both still show the same, unless the page's own content is new.
func (r *resolver) keepsAlias(variant *registry.Item) bool {
	of := r.item.AliasOf
	return of != "" && (of == variant.ID || of == variant.AliasOf) && !r.changed
}

// expectChange brings the check of a variant forward that stood for the page until the page's content changed: the
// variant's has probably changed, too.
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

// leadsBack says how the candidates of an item that is indexed lead back to the page, if they do. In a loop every page
// stands for itself. A way that is too long to be followed counts as a loop.
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

// mayRegister reports whether this check registers the target of a permanent redirect. A site must not be able to cause
// registrations without end. So an item that a redirect registered registers nothing itself, because the page that led
// to it follows the longer chain, too; and a target that changes with every answer is registered once.
func (r *resolver) mayRegister(cl verdict.Candidate) bool {
	settled := r.basis.MovedTo == "" || r.basis.MovedTo == cl.Normalized
	return settled && cl.Moved && verdict.SameSite(cl.Host, r.item.SourceHost) &&
		r.item.DiscoveryMethod != RedirectMethod && !r.basis.IndexOnly
}

// registerTarget registers where a permanent redirect leads. It comes before the page's own commit: if the worker
// dies, the next check finds the target registered. The obstacle is why the target does not stand for the page yet.
func (r *resolver) registerTarget(ctx context.Context, cl verdict.Candidate) (o obstacle, err error) {
	options := registry.RegisterOptions{NewOnly: true, Method: RedirectMethod}
	scheme, _, _ := strings.Cut(r.item.NormalizedSource, "://")
	if scheme == cl.Scheme && cl.Host == r.item.SourceHost {
		options.Credential = r.item.Credential // it is good for one origin
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
