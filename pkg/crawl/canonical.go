package crawl

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/source"
)

// maxHops is how many items are read from one claim to the item that stands for it, and again
// how many to be sure that the way does not lead back.
const maxHops = 5

// standing is what a page is in the index.
type standing struct {
	alias *registry.Item // the item that stands for it; nil if it stands for itself
	why   string         // it is an alias
	note  string         // why somebody who could stand for it does not
	soon  bool           // and that is likely to change
}

// place brings content to where it belongs: into the index, or behind the item that stands for it.
func (c *check) place(ctx context.Context, r reading) error {
	s, err := c.standing(ctx)
	switch {
	case err != nil:
		return err
	case s.alias != nil:
		return c.becomeAlias(ctx, s)
	default:
		return c.standAlone(ctx, s, r)
	}
}

// keepPlace closes a check that found the content we hold. Whoever stands for it may have changed all
// the same; a page of which nobody else was ever said to costs nothing here.
func (c *check) keepPlace(ctx context.Context, why string) error {
	if c.Exclusion != "" || !c.contested() {
		c.unchanged(why)
		return nil
	}
	s, err := c.standing(ctx)
	if err != nil {
		return err
	}
	c.outcome = schedule.Unchanged
	switch {
	case s.alias != nil:
		c.Record(c.o.Clock(), "unchanged", why)
		return c.becomeAlias(ctx, s)
	case c.AliasOf != "":
		doc, ok, err := c.stored(ctx)
		if err != nil || !ok {
			return err
		}
		return c.standAlone(ctx, s, c.judge(doc, c.RawHash, nil))
	default:
		c.takeNote(s)
		c.unchanged(why)
		return nil
	}
}

// contested reports whether another item may stand for this one.
func (c *check) contested() bool {
	claims, foreign := claimsOf(&c.Item, c.o.Rules)
	return len(claims) > 0 || foreign != "" || c.AliasOf != "" || c.CanonicalNote != ""
}

// standing decides who stands for the page: whom it names, or else a twin.
func (c *check) standing(ctx context.Context) (s standing, err error) {
	claims, foreign := claimsOf(&c.Item, c.o.Rules)
	var notes []string
	if foreign != "" {
		notes = append(notes, foreign)
	}
	better, _ := twinsOf(&c.Item, c.o.Rules)
	for _, cl := range append(claims, better...) {
		got, err := c.follow(ctx, cl)
		if err != nil || got.alias != nil {
			return got, err
		}
		if s.soon = s.soon || got.soon; got.note != "" {
			notes = append(notes, got.note)
		}
	}
	s.note = strings.Join(notes, "; ")
	return s, nil
}

// follow finds the item that stands behind a claim: the one that is named or, where that is an
// alias itself, the one it stands behind. It must be in the index, and must not name us.
func (c *check) follow(ctx context.Context, cl claim) (s standing, err error) {
	no := func(format string, args ...any) (standing, error) {
		s.note = fmt.Sprintf("%s is not taken for it (%s): it ", cl.Normalized, cl.why) + fmt.Sprintf(format, args...)
		return s, nil
	}
	it, found, err := c.reg.Lookup(ctx, cl.Source)
	found = found && !it.RemoveRequested
	if cl.twin && found && it.Status != registry.Pending && it.ContentHash != c.ContentHash {
		s.soon, err = c.expectChange(ctx, it)
		if err != nil {
			return s, err
		}
		return no("has other content")
	}
	for hops := 0; found && it.AliasOf != "" && it.Status != registry.Gone; hops++ {
		if it.ID == c.ID || it.AliasOf == c.ID {
			return no("leads back here")
		}
		if hops == maxHops {
			return no("is more than %d aliases away", maxHops)
		}
		it, found, err = c.find(ctx, it.AliasOf)
	}
	switch {
	case err != nil:
		return s, err
	case !found && cl.twin:
		return s, nil
	case !found:
		return no("is not registered")
	case it.Status == registry.Pending:
		s.soon = true
		return no("is yet to be fetched")
	case it.Status != registry.Indexed || it.IndexedHash == "":
		return no("is %s", it.Status)
	}
	back, err := c.leadsBack(ctx, &it)
	if err != nil {
		return s, err
	}
	if back != "" {
		return no("%s", back)
	}
	return standing{alias: &it, why: aliasReason(cl, &it)}, nil
}

// expectChange has a twin looked at that stood for us until our content changed: its own has
// hardly stayed.
func (c *check) expectChange(ctx context.Context, twin registry.Item) (soon bool, err error) {
	if c.AliasOf != twin.ID {
		return false, nil
	}
	return true, c.reg.Wake(ctx, twin)
}

func aliasReason(cl claim, of *registry.Item) string {
	if cl.twin && cl.Normalized == of.NormalizedSource {
		return cl.why
	}
	return "duplicate of " + of.NormalizedSource + ": " + cl.why
}

func (c *check) find(ctx context.Context, id source.ID) (registry.Item, bool, error) {
	it, err := c.reg.Find(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return it, false, nil
	}
	return it, err == nil, err
}

// leadsBack says how the claims of an item that is indexed all the same lead to us, if they do.
// In a loop every page stands for itself; a way too long to be followed counts as one.
func (c *check) leadsBack(ctx context.Context, it *registry.Item) (how string, err error) {
	open, _ := claimsOf(it, c.o.Rules)
	seen := map[string]bool{it.NormalizedSource: true}
	for len(open) > 0 {
		next := open[0]
		open = open[1:]
		switch {
		case next.Normalized == c.NormalizedSource:
			return "leads back here", nil
		case seen[next.Normalized]:
			continue
		case len(seen) > maxHops:
			return fmt.Sprintf("names others over more than %d items", maxHops), nil
		}
		seen[next.Normalized] = true
		named, found, err := c.reg.Lookup(ctx, next.Source)
		if err != nil {
			return "", err
		}
		if found {
			further, _ := claimsOf(&named, c.o.Rules)
			open = append(open, further...)
		}
	}
	return "", nil
}

// becomeAlias takes the page out of the index in favour of another item. That one may have
// changed while we looked, so a new alias is looked at again soon.
func (c *check) becomeAlias(ctx context.Context, s standing) error {
	was := c.AliasOf
	if was != s.alias.ID {
		if err := c.handOver(ctx); err != nil {
			return err // whom it stood for shall stand behind the same item
		}
		if err := c.leaveAlias(ctx); err != nil {
			return err
		}
		if err := c.reg.PointAlias(ctx, s.alias, &c.Item); err != nil {
			return err
		}
	}
	if err := c.leaveIndex(ctx); err != nil {
		return err
	}
	c.AliasOf, c.CanonicalNote = s.alias.ID, ""
	c.Status = c.statusHeld()
	c.SetError(s.why)
	if was != s.alias.ID {
		c.Record(c.o.Clock(), "alias", s.why)
	}
	c.soon = was == ""
	return nil
}

// standAlone has the page indexed as itself.
func (c *check) standAlone(ctx context.Context, s standing, r reading) error {
	c.takeNote(s)
	if c.AliasOf != "" {
		if err := c.leaveAlias(ctx); err != nil {
			return err
		}
		c.Record(c.o.Clock(), "unaliased", "the page stands for itself again")
	}
	if err := c.wakeTwins(ctx); err != nil {
		return err
	}
	if !c.indexes() {
		c.rest(r)
		return nil
	}
	c.enterIndex(r)
	return nil
}

// takeNote records once why nobody else stands for the page. Only the first such reason brings the
// next look forward, so that a page which names another one each time is not asked more often.
func (c *check) takeNote(s standing) {
	if s.note != "" && s.note != c.CanonicalNote {
		c.Record(c.o.Clock(), "canonical", s.note)
		c.soon = s.soon && c.CanonicalNote == ""
	}
	c.CanonicalNote = s.note
}

// wakeTwins has twins that we shall stand for look again. Those that were written to the index
// since we were registered know of us; the others would not before their content changes. So it
// is enough to ask when a page enters the index for the first time, and before it does, because
// afterwards we might die.
func (c *check) wakeTwins(ctx context.Context) error {
	if !c.LastIndexed.IsZero() || c.paid {
		return nil
	}
	_, worse := twinsOf(&c.Item, c.o.Rules)
	for _, twin := range worse {
		it, found, err := c.reg.Lookup(ctx, twin.Source)
		if found && it.Status == registry.Indexed && it.ContentHash == c.ContentHash {
			err = c.reg.Wake(ctx, it)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaveAlias has the item that stands for the page, if one does, lead to it no longer.
func (c *check) leaveAlias(ctx context.Context) error {
	if c.AliasOf == "" {
		return nil
	}
	err := c.reg.DropAlias(ctx, c.AliasOf, &c.Item)
	c.AliasOf = ""
	return err
}

// handOver has those look soon that this page stands for, because it leaves the index: when the lock
// is over, by which that is committed. If we die before, the check that follows asks again.
func (c *check) handOver(ctx context.Context) error {
	if c.IndexedHash == "" {
		return nil
	}
	return c.reg.HastenAliases(ctx, &c.Item, c.batch.Until)
}
