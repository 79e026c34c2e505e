package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// PageOf returns a function that finds the page of an item, for [Options].
func PageOf(items *registry.Items) func(context.Context, string) (Page, error) {
	return func(ctx context.Context, id string) (Page, error) {
		it, err := items.Find(ctx, source.ID(id))
		return Page{ID: string(it.ID), URL: it.NormalizedSource, Title: it.Title, Watch: it.Options.Watch}, err
	}
}

// Rules lists the rules, with what each has gathered: on the first page all rules but those for one page, by name, and
// then those for one page, by page. A query for a page lists only the rules for that page, and finds out whether each
// can fire there. Otherwise the last round of [Follower.Review] has found it out.
func (s *Book) Rules(ctx context.Context, q api.RuleQuery) (out api.Rules, err error) {
	if q.Cannot {
		out, err = s.unableRules(ctx, q.Top)
		if err == nil && !q.Brief {
			err = s.told(ctx, out.Rules)
		}
		return out, err
	}
	var all, of []rule
	if q.ItemID != "" || q.Continuation == "" {
		all, err = s.under(ctx, q.ItemID)
	}
	if err == nil && q.ItemID == "" {
		of, out.Continuation, err = s.ofPages(ctx, q.Continuation, q.Top)
	}
	all = append(all, of...)
	if err == nil {
		err = s.checked(ctx, all, q.ItemID != "")
	}
	if err == nil {
		out.Rules, err = s.counted(ctx, q.ItemID, all)
	}
	if err == nil && !q.Brief {
		err = s.told(ctx, out.Rules)
	}
	return out, err
}

// told notes when the newest message of each rule was made.
func (s *Book) told(ctx context.Context, rules []api.Rule) error {
	last, err := s.lastMessages(ctx)
	for i := range rules {
		rules[i].LastTold = last[rules[i].ID]
	}
	return err
}

// counted returns rules with what those under a page have gathered.
func (s *Book) counted(ctx context.Context, page string, all []rule) ([]api.Rule, error) {
	st, _, err := s.loadState(ctx, page)
	out := []api.Rule{}
	for _, r := range all {
		r.Gathered = r.current(st.Rules[r.ID]).Gathered
		out = append(out, r.Rule)
	}
	return out, err
}

// Rule returns the rule with an id, with what it has gathered. Errors: NotFound.
func (s *Book) Rule(ctx context.Context, id string) (out api.Rule, err error) {
	r, err := s.rule(ctx, id)
	if err == nil {
		_, err = surveyed(ctx, s, &r)
	}
	if err != nil {
		return out, err
	}
	all, err := s.counted(ctx, r.page, []rule{r})
	if err == nil {
		err = s.told(ctx, all)
	}
	return all[0], err
}

// SaveRule changes the rule with this id. If the id is empty, SaveRule makes a new rule, which reports changes from
// now on. So does a rule that is switched on.
func (s *Book) SaveRule(ctx context.Context, id string, spec api.RuleSpec) (out api.Rule, err error) {
	return s.SaveRuleAs(ctx, id, spec, api.RuleSaving{})
}

// SaveRuleAs is [Book.SaveRule], as a request says how the rule is saved. Errors: [cannotFireError].
func (s *Book) SaveRuleAs(ctx context.Context, id string, spec api.RuleSpec, how api.RuleSaving) (api.Rule, error) {
	return changeRule(ctx, s, id, how, func(old api.RuleSpec) (api.RuleSpec, error) { return over(spec, old), nil })
}

// changeRule stores what a function makes of the settings of a rule, which are empty for a new one.
func changeRule(ctx context.Context, s *Book, id string, how api.RuleSaving,
	change func(old api.RuleSpec) (api.RuleSpec, error)) (out api.Rule, err error) {
	var old rule
	if id != "" {
		if old, err = s.rule(ctx, id); err != nil {
			return out, err
		}
	}
	spec, err := change(old.RuleSpec)
	if err == nil {
		spec, err = canonical(spec)
	}
	if err != nil {
		return out, err
	}
	page, err := pageFor(ctx, s, &spec)
	switch {
	case err != nil:
		return out, err
	case old.Origin == FromFile:
		return out, ofFile(s.o.File.name, "rule", old.Name)
	case id != "" && old.page != spec.Filter.ItemID:
		return out, fault.Field("filter.itemId", "filter.itemId of a rule cannot be changed: make another rule")
	}
	next := ruleRow{Spec: spec, Since: old.since.String(), Created: old.Created, URL: page.URL, Title: page.Title}
	if id == "" {
		next.Created = s.now()
	}
	if id == "" || old.Off && !spec.Off {
		end, err := s.feed.End(ctx)
		if err != nil {
			return out, err
		}
		next.Since = end.String()
	}
	r, errs := compile(spec)
	r.ID, r.Origin, r.Created, r.URL, r.Title = cmp.Or(id, "rule_"+s.o.Token()), Here, next.Created, next.URL, next.Title
	r.page, r.etag = spec.Filter.ItemID, old.etag
	if err := errors.Join(append(errs, checkBounds(ctx, s, &r)...)...); err != nil {
		return out, first(err)
	}
	found, err := surveyed(ctx, s, &r)
	if err != nil {
		return out, err
	}
	if found.nowhere && !how.Anyway && !r.Off && !firesAs(&old, &r) {
		return out, &cannotFireError{found.Firing}
	}
	if err := askFirst(ctx, s, &r, &old); err != nil {
		return out, err
	}
	r.Undo, err = s.recorded(ctx, r.ID, stateOfRule(&old), ruleState{Rule: &spec})
	if err == nil {
		err = s.putRule(ctx, &r, &next)
	}
	if err == nil {
		r.Run, err = s.applyDemands(ctx, &old, &r)
	}
	if err == nil && (id != "" || found.nowhere) {
		err = s.reconcileOne(ctx, &r, &found)
	}
	if err == nil && how.Now && !r.Off {
		err = s.reportHeld(ctx, &r, found.held)
	}
	return r.Rule, err
}

// putRule writes a rule, if its row is as it was read.
func (s *Book) putRule(ctx context.Context, r *rule, next *ruleRow) error {
	_, err := s.rows.Transact(ctx, ruleRows.Put(keyOf(r.page, r.ID), r.etag, next), storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: pointerKey(r.ID), Props: pointers.Encode(&pointer{r.page})}})
	s.Asking.forget()
	return err
}

// firesAs reports whether a rule can fire where it could before it was changed: what decides is the same.
func firesAs(old, r *rule) bool {
	same := old.When == r.When || old.When != nil && r.When != nil && *old.When == *r.When
	return old.ID != "" && !old.Off && same && old.Filter == r.Filter && slices.Equal(old.Channels, r.Channels)
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

// checkBounds reports channels of a rule that do not exist, and reports if there would be too many rules, if their
// expressions would be too large, or if all rules of a page together would have too many channels for one transaction.
func checkBounds(ctx context.Context, s *Book, next *rule) (errs []error) {
	all, err := s.under(ctx, next.page)
	if err != nil {
		return []error{err}
	}
	n, targets, size := 1, 1+len(next.Channels), next.size()
	for _, r := range all {
		if r.ID != next.ID {
			n, targets, size = n+1, targets+1+len(r.Channels), size+r.size()
		}
	}
	most, tooLarge := maxPrograms, tooLargeTogether
	if next.page != "" {
		size, most, tooLarge = next.size(), maxPagePrograms, "the regular expressions are too large for a rule of one page"
	}
	if next.size() > 0 && size > most {
		field := "filter." + string(next.sought[0].op)
		errs = append(errs, fault.Field(field, "%s: %s", field, tooLarge))
	}
	switch {
	case next.page == "" && n > maxRules:
		errs = append(errs, fault.Field("name", "name: there may be %d rules, besides those for one page", maxRules))
	case next.page != "" && targets > maxTargets:
		errs = append(errs, fault.Field("channels", "the rules of one page and their channels may be %d, and would be %d",
			maxTargets, targets))
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

// RemoveRule removes a rule. The changes that the rule has gathered are not delivered. The pointer stays, so that a
// process which is late in converting old rules does not store the rule again.
func (s *Book) RemoveRule(ctx context.Context, id string) (api.Rule, error) {
	r, err := s.rule(ctx, id)
	if err != nil {
		return r.Rule, err
	}
	if r.Origin == FromFile {
		return r.Rule, ofFile(s.o.File.name, "rule", r.Name)
	}
	return s.removeRule(ctx, r)
}

func (s *Book) removeRule(ctx context.Context, r rule) (_ api.Rule, err error) {
	was := stateOfRule(&r)
	was.Kept = &keptRule{Since: r.since.String(), Created: storage.FormatTime(r.Created), URL: r.URL, Title: r.Title}
	if r.Undo, err = s.recorded(ctx, r.ID, was, ruleState{}); err != nil {
		return r.Rule, err
	}
	_, err = s.rows.Transact(ctx, storage.Op{Kind: storage.Delete,
		Entity: storage.Entity{Key: keyOf(r.page, r.ID), ETag: r.etag}})
	s.Asking.forget()
	if err == nil {
		r.Run, err = s.applyDemands(ctx, &r, nil)
	}
	return r.Rule, err
}

// proposedEvery returns how often pages should be checked for a rule; see [form.ProposedEvery].
func (s *Book) proposedEvery(ctx context.Context, spec api.RuleSpec) string {
	p, err := pageFor(ctx, s, &spec)
	if err != nil {
		p = Page{}
	}
	return form.ProposedEvery(spec, p.Watch)
}

// applyDemands writes the demands of rules again, after a rule was changed, or removed: the next rule is then nil. It
// returns the run that does so.
func (s *Book) applyDemands(ctx context.Context, old, next *rule) (run string, err error) {
	done := map[registry.Filter]bool{}
	for _, r := range []*rule{old, next} {
		switch {
		case r == nil || r.every == 0 && (r != next || r.page == ""): // a rule for a page keeps it, if it is a draft
		case r.page != "":
			return "", s.demandOf(ctx, r.page)
		case s.o.DemandAll != nil && !done[r.demandsFor()]:
			done[r.demandsFor()] = true
			if run, err = s.o.DemandAll(ctx, r.demandsFor()); err != nil {
				s.o.Log.WarnContext(ctx, "checks are moved later", "rule", r.ID, "err", err)
				err = nil // the follower begins the run
			}
		}
	}
	return run, err
}

// ruleState is what a record says of a rule: nothing if there is none.
type ruleState struct {
	Rule *api.RuleSpec `json:"rule,omitempty"`
	Kept *keptRule     `json:"kept,omitempty"` // of a rule that is removed
}

// keptRule is the rest of the row of a rule that is removed.
type keptRule struct {
	Since   string `json:"since"`
	Created string `json:"created"`
	URL     string `json:"url,omitempty"`
	Title   string `json:"title,omitempty"`
}

func stateOfRule(r *rule) (out ruleState) {
	if r.ID != "" {
		spec, _ := canonical(r.RuleSpec) // the names of a stored rule agree
		out.Rule = &spec
	}
	return out
}

// recorded keeps a record of what becomes of a rule, and returns what takes it back.
func (s *Book) recorded(ctx context.Context, id string, was, is ruleState) (*api.Undo, error) {
	done := s.o.Undo.Begin(undo.Rule, id, telemetry.From(ctx).Actor, undo.Long)
	err := s.o.Undo.Keep(ctx, done, was, is)
	return done.Ref(), err
}

// UndoRule takes back what a record says that was done to a rule, and returns the rule that is in force again; nil if
// it is removed again. What a removed rule would have reported meanwhile is not reported. Errors: Conflict.
func (s *Book) UndoRule(ctx context.Context, done *undo.Record) (*api.Rule, error) {
	now, err := s.rule(ctx, done.Subject)
	if fault.Except(err, fault.NotFound) != nil {
		return nil, err
	}
	state := stateOfRule(&now)
	if err := undo.Back(done, &state); err != nil {
		return nil, err
	}
	var out api.Rule
	switch {
	case state.Rule == nil:
		_, err = s.removeRule(ctx, now)
		return nil, err
	case now.ID == "":
		out, err = s.restoreRule(ctx, done.Subject, state)
	default:
		out, err = changeRule(ctx, s, now.ID, api.RuleSaving{Anyway: true}, func(old api.RuleSpec) (api.RuleSpec, error) {
			again := stateOfRule(&rule{Rule: api.Rule{ID: now.ID, RuleSpec: old}})
			if err := undo.Back(done, &again); err != nil || again.Rule == nil {
				return old, err
			}
			return *again.Rule, nil
		})
	}
	return &out, undo.Unfit(err)
}

// restoreRule stores a removed rule again.
func (s *Book) restoreRule(ctx context.Context, id string, state ruleState) (out api.Rule, err error) {
	r, errs := compile(*state.Rule)
	r.ID, r.page = id, state.Rule.Filter.ItemID
	if errs = append(errs, checkBounds(ctx, s, &r)...); len(errs) > 0 {
		return out, errs[0]
	}
	if r.Undo, err = s.recorded(ctx, id, ruleState{}, ruleState{Rule: state.Rule}); err != nil {
		return out, err
	}
	row := ruleRow{Spec: *state.Rule}
	if k := state.Kept; k != nil {
		row.Since, row.Created, row.URL, row.Title = k.Since, storage.ParseTime(k.Created), k.URL, k.Title
	}
	if err := s.putRule(ctx, &r, &row); err != nil {
		return out, err
	}
	r.Origin, r.Created, r.URL, r.Title = Here, row.Created, row.URL, row.Title
	r.Run, err = s.applyDemands(ctx, nil, &r)
	return r.Rule, err
}
