package notify

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// A rule with a condition reports a change if its filter selects the change and the condition is met by a field in it.
//
// Some changes stand in the feed only for conditions: a first value, a check that saw the same as the one before, or a
// field of which readers are not told. They are silenced. A rule with a condition takes them, whatever kinds it is for,
// and no other rule does. It also takes the other changes that are silenced: a watch that hides a change of the page's
// text does not hide the field on which the rule has a condition.

// condition reads the condition of a rule.
func (r *rule) condition() (err error) {
	if r.When != nil {
		r.when, err = condition.Parse(*r.When)
	}
	return err
}

// selects returns the filter that decides about a change.
func (r *rule) selects(c feed.Change) feed.Filter {
	switch {
	case r.When == nil:
		return r.filter
	case c.ForConditions():
		return r.filter.WithSilenced().OfAnyKind()
	}
	return r.filter.WithSilenced()
}

// isFor reports whether a change is one for the rule, as far as its page and fields decide: if the rule has a
// condition, a field meets it; if not, the change is one for readers. The first reading of the one page that a rule is
// for is no change of it, unless the rule asks for it by its kind.
func (r *rule) isFor(c feed.Change) bool {
	if r.When == nil {
		begins := r.page != "" && c.Kind == feed.New && r.Filter.Kind == ""
		return !begins && (!c.ForConditions() || len(c.Ignored) > 0)
	}
	_, met := r.met(c)
	return met
}

// met returns the change of a field that meets the rule's condition. A first value that one rule has asked for is no
// news for the others.
func (r *rule) met(c feed.Change) (field.Change, bool) {
	forOthers := func(f field.Change) bool { return !f.IsFor(r.ID) }
	return r.when.Fires(slices.DeleteFunc(slices.Clone(c.Fields), forOthers))
}

// shown returns a change as the rule tells of it: first the field that meets the rule's condition.
func (r *rule) shown(c feed.Change) api.FeedChange {
	out := c.JSON()
	f, met := r.met(c)
	if !met {
		return out
	}
	lead := feed.FieldJSON(f, c.At)
	lead.Condition = r.when.Words()
	others := slices.DeleteFunc(out.Fields, func(f api.ChangedField) bool { return f.Name == lead.Name })
	out.Fields = append([]api.ChangedField{lead}, others...)
	out.Field = &out.Fields[0]
	return out
}

// askFirst requests the present values of the fields of a page, if a rule for it has a condition that may be met by the
// first value, and the rule is new, or its condition is, or it was switched off.
func askFirst(ctx context.Context, s *Book, r, old *rule) error {
	same := old.When != nil && r.When != nil && *old.When == *r.When && !old.Off
	if s.o.AskFields == nil || r.When == nil || !r.When.First || r.Off || r.page == "" || same {
		return nil
	}
	return s.o.AskFields(ctx, source.ID(r.Filter.ItemID), r.ID)
}

// Asking says what rules ask of fields and of new changes. It keeps a copy of the rules, without those for one page.
type Asking struct {
	book  *Book
	using chan struct{} // has a token while somebody uses the fields below
	read  time.Time     // zero if they are not read yet
	rules []rule
	pages bool // whether there were rules for one page
}

// askingAge is how old a process's copy of the rules may be.
const askingAge = 30 * time.Second

// Asked returns the names of the fields on which rules have conditions, of the rules that are about the page of a
// change. Same reports whether one of these conditions must know of a check that saw the same value as the one before.
// Rules that are not for one page may be half a minute old.
func (a *Asking) Asked(ctx context.Context, c feed.Change) (fields []string, same bool, err error) {
	all, _, err := a.all(ctx)
	if err != nil {
		return nil, false, err
	}
	own, err := a.book.under(ctx, c.ItemID)
	for _, r := range slices.Concat(all, own) {
		if r.When == nil || r.Off || r.Problem != "" || r.elsewhere(c) || !r.selects(c).Concerns(c) {
			continue
		}
		fields, same = append(fields, r.when.Field()), same || r.when.NeedsSame()
	}
	slices.Sort(fields)
	return slices.Compact(fields), same, err
}

// all lists the rules that are not for one page, and reports whether there are others. Both may be half a minute old.
func (a *Asking) all(ctx context.Context) (rules []rule, pages bool, err error) {
	a.using <- struct{}{}
	defer func() { <-a.using }()
	now := a.book.now()
	if age := now.Sub(a.read); !a.read.IsZero() && age >= 0 && age < askingAge {
		return a.rules, a.pages, nil
	}
	if rules, err = a.book.under(ctx, ""); err != nil {
		return nil, false, err
	}
	_, first, err := a.book.ofPages(ctx, "", 0)
	if err != nil {
		return nil, false, err
	}
	a.rules, a.pages, a.read = rules, first != "", now
	return a.rules, a.pages, nil
}

// forget makes the next call read the rules.
func (a *Asking) forget() {
	a.using <- struct{}{}
	defer func() { <-a.using }()
	a.read = time.Time{}
}
