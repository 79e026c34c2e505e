package notify

import (
	"context"
	"errors"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// PageOf returns a function that finds the page of an item, for [Options].
func PageOf(items *registry.Items) func(context.Context, string) (Page, error) {
	return func(ctx context.Context, id string) (Page, error) {
		it, err := items.Find(ctx, source.ID(id))
		return Page{ID: string(it.ID), URL: it.NormalizedSource, Title: it.Title}, err
	}
}

// Rules lists the rules, with what each has gathered: on the first page all rules but those for one page, by name, and
// then those for one page, by page. A query for a page lists only the rules for that page.
func (s *Book) Rules(ctx context.Context, q api.RuleQuery) (out api.Rules, err error) {
	out.Rules = []api.Rule{}
	var all rules
	var of []rule
	if q.ItemID != "" {
		of, err = s.ofPage(ctx, q.ItemID)
	} else if of, out.Continuation, err = s.pageRules(ctx, q.Continuation, q.Top); err == nil && q.Continuation == "" {
		all, err = s.all(ctx)
	}
	if err != nil {
		return out, err
	}
	st, _, err := s.loadState(ctx)
	for _, r := range append(all.rules, of...) {
		r.Gathered = st.Rules[r.ID].Gathered
		out.Rules = append(out.Rules, r.Rule)
	}
	return out, err
}

// Rule returns the rule with an id, with what it has gathered. Errors: NotFound.
func (s *Book) Rule(ctx context.Context, id string) (api.Rule, error) {
	if isOfPage(id) {
		r, _, err := s.rule(ctx, id)
		if err == nil {
			r.Warning, err = warned(ctx, s, &r)
		}
		if err == nil {
			r.Gathered, err = gatheredOf(ctx, s.rows, id)
		}
		return r.Rule, err
	}
	all, err := s.all(ctx)
	if err != nil {
		return api.Rule{}, err
	}
	at := slices.IndexFunc(all.rules, func(r rule) bool { return r.ID == id })
	if at < 0 {
		return api.Rule{}, fault.New(fault.NotFound, "there is no rule %.64q", id)
	}
	st, _, err := s.loadState(ctx)
	if err != nil {
		return api.Rule{}, err
	}
	r := all.rules[at]
	r.Gathered = st.Rules[id].Gathered
	r.Warning, err = warned(ctx, s, &r)
	return r.Rule, err
}

// SaveRule changes the rule with this id. If the id is empty, SaveRule makes a new rule, which reports changes from
// now on. So does a rule that is switched on.
func (s *Book) SaveRule(ctx context.Context, id string, spec api.RuleSpec) (out api.Rule, err error) {
	if spec, err = named(ctx, s, id, spec); err != nil {
		return out, err
	}
	page, err := pageFor(ctx, s, &spec)
	if err != nil {
		return out, err
	}
	next := ruleRow{Spec: spec, Created: s.now(), URL: page.URL, Title: page.Title}
	var old rule
	var etag storage.ETag
	if id != "" {
		if old, etag, err = editable(ctx, s, id, spec); err != nil {
			return out, err
		}
		next.Created, next.Since = old.Created, old.since.String()
	}
	if id == "" || old.Off && !spec.Off {
		end, err := s.feed.End(ctx)
		if err != nil {
			return out, err
		}
		next.Since = end.String()
	}
	fresh := id == ""
	if fresh {
		id = newID(spec, s.o.Token())
	}
	r, errs := compile(spec)
	r.ID, r.Origin, r.Created, r.URL, r.Title = id, Here, next.Created, next.URL, next.Title
	if err := errors.Join(append(errs, checkBounds(ctx, s, &r)...)...); err != nil {
		return out, first(err)
	}
	if r.Warning, err = warned(ctx, s, &r); err != nil {
		return out, err
	}
	if err := askFirst(ctx, s, &r, &old); err != nil {
		return out, err
	}
	return r.Rule, storeRule(ctx, s, id, etag, &next, fresh || old.Off != spec.Off)
}

// named returns a rule, or a change of one, without the second names of fields.
func named(ctx context.Context, s *Book, id string, spec api.RuleSpec) (api.RuleSpec, error) {
	if id != "" && spec.Enabled != nil {
		old, _, err := s.rule(ctx, id)
		if err != nil {
			return spec, err
		}
		spec = over(spec, old.RuleSpec)
	}
	return canonical(spec)
}

// storeRule writes a rule. What a rule for one page has gathered is forgotten when the rule is switched on or off: when
// it is switched off only after the write, which may fail.
func storeRule(ctx context.Context, s *Book, id string, etag storage.ETag, next *ruleRow, turned bool) error {
	if !isOfPage(id) {
		turned = false
	}
	if turned && !next.Spec.Off {
		since, _ := feed.ParsePosition(next.Since)
		if err := errors.Join(announce(ctx, s.rows, since), forget(ctx, s.rows, id)); err != nil {
			return err
		}
	}
	_, err := s.rows.Transact(ctx, ruleRows.Put(keyOf(id), etag, next))
	s.Asking.forget()
	if err == nil && turned && next.Spec.Off {
		err = forget(ctx, s.rows, id)
	}
	return err
}

func newID(spec api.RuleSpec, token string) string {
	if item := spec.Filter.ItemID; item != "" {
		return item + "." + token
	}
	return "rule_" + token
}

// editable returns a stored rule that may get these settings.
func editable(ctx context.Context, s *Book, id string, spec api.RuleSpec) (rule, storage.ETag, error) {
	old, etag, err := s.rule(ctx, id)
	switch {
	case err != nil:
	case old.Origin == FromFile:
		err = ofFile("rule", old.Name)
	case old.Filter.ItemID != spec.Filter.ItemID:
		err = fault.Field("filter.itemId", "filter.itemId of a rule cannot be changed: make another rule")
	}
	return old, etag, err
}

// announce records that there are rules for one page from now on.
func announce(ctx context.Context, rows storage.Table, end feed.Position) error {
	_, err := rows.Transact(ctx, pagesRows.Put(pagesKey, "", &pagesRow{end.String()}))
	if fault.Is(err, fault.Conflict) {
		return nil // there are some
	}
	return err
}

// pageFor finds the page of a new rule, and gives the rule the present id of the page.
func pageFor(ctx context.Context, s *Book, spec *api.RuleSpec) (p Page, err error) {
	if s.o.Page == nil || spec.Filter.ItemID == "" {
		return p, nil
	}
	if p, err = s.o.Page(ctx, spec.Filter.ItemID); err != nil {
		return p, fault.Field("filter.itemId", "filter.itemId: %w", err)
	}
	spec.Filter.ItemID = p.ID
	return p, nil
}

// checkPage reports channels of a page's rule that do not exist, and reports if all rules of the page together have too
// many channels for one transaction.
func checkPage(ctx context.Context, s *Book, next *rule) (errs []error) {
	all, err := s.ofPage(ctx, next.Filter.ItemID)
	if err != nil {
		return []error{err}
	}
	n := 1 + len(next.Channels) // each rule may also write its state
	for _, r := range all {
		if r.ID != next.ID {
			n += 1 + len(r.Channels)
		}
	}
	if n > maxTargets {
		errs = append(errs, fault.Field("channels", "the rules of one page and their channels may be %d, and would be %d",
			maxTargets, n))
	}
	if next.size() > maxPagePrograms {
		field := "filter." + string(next.sought[0].op)
		errs = append(errs, fault.Field(field, "%s: the regular expressions are too large for a rule of one page", field))
	}
	return append(errs, checkChannels(ctx, s, next)...)
}

// checkBounds reports channels of a rule that do not exist, and reports if there would be too many rules, or if their
// expressions would be too large.
func checkBounds(ctx context.Context, s *Book, next *rule) (errs []error) {
	if next.Filter.ItemID != "" {
		return checkPage(ctx, s, next)
	}
	all, err := s.all(ctx)
	if err != nil {
		return []error{err}
	}
	n, size := 1, next.size()
	for _, r := range all.rules {
		if r.ID != next.ID {
			n, size = n+1, size+r.size()
		}
	}
	if next.size() > 0 && size > maxPrograms {
		field := "filter." + string(next.sought[0].op)
		errs = append(errs, fault.Field(field, "%s: %s", field, tooLargeTogether))
	}
	if n > maxRules {
		errs = append(errs, fault.Field("name", "name: there may be %d rules, besides those for one page", maxRules))
	}
	return append(errs, checkChannels(ctx, s, next)...)
}

// checkChannels reports channels of a rule that do not exist.
func checkChannels(ctx context.Context, s *Book, next *rule) (errs []error) {
	for _, name := range next.Channels {
		_, _, err := s.channel(ctx, name)
		if fault.Is(err, fault.NotFound) {
			err = fault.Field("channels", "channels: %w", err)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// RemoveRule removes a rule. The changes that the rule has gathered are not delivered.
func (s *Book) RemoveRule(ctx context.Context, id string) (api.Rule, error) {
	r, etag, err := s.rule(ctx, id)
	if err != nil {
		return r.Rule, err
	}
	if r.Origin == FromFile {
		return r.Rule, ofFile("rule", r.Name)
	}
	_, err = s.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: keyOf(id), ETag: etag}})
	s.Asking.forget()
	if err == nil && isOfPage(id) {
		err = forget(ctx, s.rows, id)
	}
	return r.Rule, err
}
