package registry

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Settings are a person's changes to an item. Fields that are not set change nothing.
type Settings struct {
	Tags   []string  // the complete list of tags, as [options.Tags] returns it; if nil, the item keeps its tags
	Add    string    // a tag to add
	Drop   string    // a tag to remove
	Patch  api.Patch // changes of the options
	Paused *bool
	// Replan causes the next check to be planned again, even if the item does not change. It is set when the options
	// of a tag have changed.
	Replan bool
	// Demand finds how often rules want the item to be checked, if rules or mutes have changed. It is also asked when the
	// tags of an item change; see [Items.DemandsBy].
	Demand DemandFinder
	// Undo keeps a record that takes the change back. Back takes back what such a record says.
	Undo bool
	Back *undo.Record
}

// DemandsBy sets the function that is asked for the demands of rules when the tags of an item change, or a new item has
// tags. It must be set before the registry is used. Without it, an item keeps its demands.
func (r *Items) DemandsBy(find DemandFinder) { r.find = find }

// demand writes how often rules want an item to be checked, and returns a description of the change; "" if there is
// none.
func (s DemandFinder) demand(ctx context.Context, it *Item) (string, error) {
	if s == nil {
		return "", nil
	}
	demands, err := s(ctx, it)
	if err != nil || slices.Equal(demands, it.Demands) {
		return "", err
	}
	it.Demands = demands
	if len(demands) == 0 {
		return "no rule asks for checks any more", nil
	}
	return "checked " + demands[0].String(), nil
}

// Zero reports whether the settings change nothing.
func (s Settings) Zero() bool { return reflect.ValueOf(s).IsZero() }

// byPerson is the discoveryMethod of items that a person or a program has registered.
const byPerson = "API"

// Found reports whether an item was found by a run, a poll or a list. No rule is for a page alone that nobody knew.
func (i *Identity) Found() bool { return i.DiscoveryMethod != byPerson }

// demandsOf asks for the demands of rules for the items that a registration makes, or whose tags it changes.
func (r *Items) demandsOf(ctx context.Context, chunk []member, items []Item,
	o RegisterOptions) (out map[string][]options.Demand, err error) {
	for i, m := range chunk {
		it := items[i]
		if r.find == nil || it.exists() && (o.NewOnly || o.Settings.Zero()) {
			continue
		}
		if !it.exists() {
			it = newItem(m.Source, it.Key(), r.s.Now())
			if it.DiscoveryMethod = cmp.Or(o.Method, byPerson); o.Tags != nil {
				it.Tags = o.Tags(m.Source)
			}
		}
		was := it.Tags
		if _, err := o.Settings.apply(&it); err != nil || items[i].exists() && slices.Equal(was, it.Tags) {
			continue // the plan reports the error
		}
		if out == nil {
			out = map[string][]options.Demand{}
		}
		if out[it.Hash()], err = r.find(ctx, &it); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// apply changes an item and returns a description of the changes; "" if nothing has changed. Errors: Invalid if the
// options would not be valid; the item is then as it was.
func (s Settings) apply(it *Item) (string, error) {
	var said []string
	o, gone, err := s.options(it)
	if err != nil {
		return "", err
	}
	if tags := s.tags(it.Tags); !slices.Equal(tags, it.Tags) {
		it.Tags = tags
		said = append(said, "tags: "+strings.Join(tags, ", "))
	}
	if !reflect.DeepEqual(o, it.Options) {
		it.Options, it.Replaced = o, gone
		said = append(said, "options of its own: "+set(o))
	}
	if s.Paused != nil && *s.Paused != it.Paused {
		if it.Paused = *s.Paused; it.Paused {
			said = append(said, "paused")
		} else {
			said = append(said, "resumed")
		}
	}
	return strings.Join(said, "; "), nil
}

// options returns the options that an item has afterwards, and those that went because others were set in their place.
// If a change is taken back, that says what becomes of tags and pauses, too.
func (s *Settings) options(it *Item) (o api.Settings, gone []string, err error) {
	if s.Back == nil {
		return PatchOptions(it.Options, s.Patch)
	}
	d := settingsIn(it)
	if err = undo.Back(s.Back, &d); err == nil {
		d.Settings, err = CheckOptions(d.Settings)
	}
	s.Tags, s.Paused = append([]string{}, d.Tags...), d.Paused
	return d.Settings, nil, undo.Unfit(err)
}

// settingsIn returns the settings of an item as people change them.
func settingsIn(it *Item) api.ItemSettings {
	return api.ItemSettings{Tags: it.Tags, Settings: it.Options, Paused: new(it.Paused)}
}

// PatchOptions returns options after a change, and those that it removed in place of others, as [options.Patch] does.
// It also checks how the fields of a page are read. Errors: Invalid.
func PatchOptions(o api.Settings, p api.Patch) (out api.Settings, gone []string, err error) {
	if out, gone, err = options.Patch(o, p); err == nil && len(p) > 0 {
		out, err = CheckOptions(out)
	}
	return out, gone, err
}

// tags returns the tags that an item has afterwards.
func (s Settings) tags(tags []string) []string {
	if s.Tags != nil {
		tags = s.Tags
	}
	if s.Add != "" && !slices.Contains(tags, s.Add) && len(tags) < options.MaxTags {
		tags = append(slices.Clone(tags), s.Add)
		slices.Sort(tags)
	}
	if s.Drop != "" {
		tags = slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return tag == s.Drop })
	}
	return tags
}

// summary is the word for the change in the history of an item.
func (s *Settings) summary() string {
	if s.Back != nil {
		return "taken back"
	}
	return "set"
}

// set returns the names of the options that are set.
func set(o api.Settings) string {
	var names []string
	for _, f := range form.Facts(o) {
		names = append(names, f.Path)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// A registration does not change an item whose next check is due but has not begun. If there is no job for that
// check, the check begins only with the next sweep, up to a minute later. That is long for a caller that waits for
// the result. The due row shows whether there is a job. Reading the row costs one request, and only for such items.

// leaves reports whether a registration does not change the item.
func (o RegisterOptions) leaves(it *Item, now time.Time) bool {
	sameCredential := o.Credential == "" || o.Credential == it.Credential
	sameFolder := o.Folder == "" && !o.restores(it) || o.Folder == it.Folder && o.Unlisted == !it.UnlistedSince.IsZero()
	asksMore := o.Force || o.NewOnly || !sameCredential || !sameFolder || !o.Settings.Zero()
	return it.exists() && !asksMore && it.checkIsDue(now) && !it.mayVanish()
}

// respects reports whether a registration does not change the item because the item is paused.
func (o RegisterOptions) respects(it *Item) bool {
	return it.Paused && o.Settings.Zero() && !o.Force && !o.asked && !it.mayVanish()
}

// loadIdle reads the due rows of those items that a registration does not change. For each due row that no job has
// claimed, it returns the revision of the row. For all other items it returns an empty revision. A locked item counts
// as claimed, because the commit of that item sends the next job.
func (r *Items) loadIdle(ctx context.Context, items []Item, o RegisterOptions) ([]storage.ETag, error) {
	now := r.s.Now()
	idle := make([]storage.ETag, len(items))
	var at []int
	for i := range items {
		if o.leaves(&items[i], now) && !items[i].LockedUntil.After(now) {
			at = append(at, i)
		}
	}
	err := r.s.Parallel(ctx, len(at), func(ctx context.Context, n int) error {
		i := at[n]
		e, err := r.s.Items.Get(ctx, dueKey(items[i].Key(), items[i].NextCrawlAt))
		if fault.Is(err, fault.NotFound) {
			return nil // the due row has just moved
		}
		if err == nil && !enqueuedUntil(e).After(now) {
			idle[i] = e.ETag
		}
		return err
	})
	return idle, err
}

// isParked reports whether, after a registration with these options, the next check of an item is at [Never].
func (o RegisterOptions) isParked(it *Item) bool {
	paused := it.Paused
	if o.Settings.Paused != nil {
		paused = *o.Settings.Paused
	}
	return paused && !o.Force && !o.asked && !it.mayVanish()
}

// Set changes the settings of an item and at once moves its next check to the time that they require. A forced check
// keeps its time, and so does the next check of an item that is about to be removed. Errors: NotFound; Invalid.
func (r *Items) Set(ctx context.Context, id source.ID, s Settings) (it Item, err error) {
	found, err := r.Find(ctx, id)
	if err != nil {
		return found, err
	}
	var refused error // a conflict of the settings, for which a retry does not help
	var done *undo.Record
	if s.Undo {
		done = r.begun(ctx, undo.Item, found.ID, undo.Long)
	}
	err = r.s.Retry(ctx, func(ctx context.Context) error {
		if it, err = r.s.LoadItem(ctx, found.Key()); err != nil {
			return err
		}
		if !it.exists() {
			return unknown(id)
		}
		was, resumes, level := it.NextCrawlAt, it.ResumeAt, it.Level
		now := r.s.Now()
		kept := it.wanted(now)
		tags, before := it.Tags, settingsIn(&it)
		what, err := s.apply(&it)
		if refused = err; fault.Is(err, fault.Conflict) {
			return nil
		}
		if err == nil && what != "" {
			err = r.s.Options.Undo.Keep(ctx, done, before, settingsIn(&it))
		}
		if err != nil {
			return err
		}
		find := s.Demand
		if !slices.Equal(tags, it.Tags) {
			indexAgain(&it, now)
			find = r.find
		}
		demanded, err := find.demand(ctx, &it)
		if what = strings.Trim(what+"; "+demanded, "; "); err != nil || what == "" && !s.Replan && !kept {
			return err
		}
		why, err := replan(ctx, r.tags, &it, now)
		if err != nil {
			return err
		}
		moved := !it.NextCrawlAt.Equal(was) || !it.ResumeAt.Equal(resumes)
		if what == "" && !moved && !kept && it.Level == level {
			return nil
		}
		if what != "" {
			it.recordDone(now, s.summary(), what+by(ctx), done)
		}
		if why != "" {
			it.Record(now, "scheduled", why)
		}
		hint := it.NextCrawlAt
		if !hint.Before(was) {
			hint = time.Time{} // a check that moves to a later time needs no hint
		}
		ops := it.Write(was, time.Time{})
		if it.Level != level && it.NextCrawlAt.Equal(was) {
			ops = append(ops, upsertDue(&it, was, time.Time{})) // two jobs may have the item; one finds it done
		}
		etags, err := r.s.Hinted(ctx, it.Partition(), hint, ops)
		if err == nil {
			it.written(etags[0])
		}
		return asConflict(err)
	})
	return it, cmp.Or(err, refused)
}

// replan moves the next check of an item to the time that its options require, and returns the reason.
func replan(ctx context.Context, tags *Tags, it *Item, now time.Time) (why string, err error) {
	e, err := tags.Effective(ctx, it)
	if err != nil {
		return "", err
	}
	return replanItem(it, e, tags.s.Options.Schedule, tags.s.Options.Jitter(), now), nil
}
