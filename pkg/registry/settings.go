package registry

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Settings are what a person changes of an item. What they do not name stays.
type Settings struct {
	Tags    []string // all of them, as [options.Tags] gives them; nil leaves those that there are
	Add     string   // a tag that the item has from now on
	Drop    string   // a tag that it has no longer
	Options options.Edit
	Paused  *bool
	// Replan has the next check planned anew also if nothing of the item changes, because what a tag sets has changed.
	Replan bool
}

// Zero reports whether nothing is changed.
func (s Settings) Zero() bool { return reflect.ValueOf(s).IsZero() }

// apply changes an item, and says what has changed; nothing if nothing has.
func (s Settings) apply(it *Item) string {
	var said []string
	tags := it.Tags
	if s.Tags != nil {
		tags = s.Tags
	}
	if s.Add != "" && !slices.Contains(tags, s.Add) && len(tags) < options.MaxTags {
		tags = append(slices.Clone(tags), s.Add)
		slices.Sort(tags)
	}
	if s.Drop != "" {
		tags = without(tags, s.Drop)
	}
	if !slices.Equal(tags, it.Tags) {
		it.Tags = tags
		said = append(said, "tags: "+strings.Join(tags, ", "))
	}
	if o := s.Options.Apply(it.Options); !reflect.DeepEqual(o, it.Options) {
		it.Options = o
		said = append(said, "options of its own: "+set(o))
	}
	if s.Paused != nil && *s.Paused != it.Paused {
		if it.Paused = *s.Paused; it.Paused {
			said = append(said, "paused")
		} else {
			said = append(said, "resumed")
		}
	}
	return strings.Join(said, "; ")
}

// set names what options set.
func set(o options.Options) string {
	own := options.Merge(o, nil).From
	var names []string
	for _, field := range options.Fields {
		if _, ok := own[field]; ok {
			names = append(names, field)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// rests reports whether an item waits at [Never] after a registration with these options.
func (o RegisterOptions) rests(it *Item) bool {
	paused := it.Paused
	if o.Settings.Paused != nil {
		paused = *o.Settings.Paused
	}
	return paused && !o.Force && !o.asked && !it.mayVanish()
}

// Set changes what is set for an item and moves its next check accordingly, at once. What is forced, or on its way out,
// comes as it would have. NotFound if there is no item of that id.
func (r *Requests) Set(ctx context.Context, id source.ID, s Settings) (it Item, err error) {
	found, err := r.items.Find(ctx, id)
	if err != nil {
		return found, err
	}
	err = r.s.retry(ctx, func(ctx context.Context) error {
		if it, err = r.s.loadItem(ctx, found.key); err != nil {
			return err
		}
		if it.etag == "" {
			return unknown(id)
		}
		was, resumes, level := it.NextCrawlAt, it.ResumeAt, it.Level
		tags := it.Tags
		what := s.apply(&it)
		if what == "" && !s.Replan {
			return nil
		}
		now := r.s.now()
		if !slices.Equal(tags, it.Tags) {
			indexAgain(&it, now)
		}
		why, err := replan(ctx, r.s, &it, now)
		if err != nil {
			return err
		}
		if moved := !it.NextCrawlAt.Equal(was) || !it.ResumeAt.Equal(resumes); what == "" && !moved && it.Level == level {
			return nil
		}
		if what != "" {
			it.Record(now, "set", what+by(ctx))
		}
		if why != "" {
			it.Record(now, "scheduled", why)
		}
		hint := it.NextCrawlAt
		if !hint.Before(was) {
			hint = time.Time{} // what comes later than before needs none
		}
		ops := it.write(was, time.Time{})
		if it.Level != level && it.NextCrawlAt.Equal(was) {
			ops = append(ops, upsertDue(&it, was, time.Time{})) // a job that has it finds it done, or another does
		}
		etags, err := r.s.hinted(ctx, it.key.Partition, hint, ops)
		if err == nil {
			it.etag = etags[0]
		}
		return asConflict(err)
	})
	return it, err
}

// replan moves the next check of an item to where what is set has it, and says why.
func replan(ctx context.Context, r *store, it *Item, now time.Time) (why string, err error) {
	if it.mayVanish() && !it.Paused || it.RemoveRequested || it.MovedTo != "" || it.Forced() {
		return "", nil
	}
	e, err := r.tags.Effective(ctx, it)
	if err != nil {
		return "", err
	}
	Rank(it, e)
	next := &it.NextCrawlAt
	if it.IndexPending {
		next = &it.ResumeAt // of the site, which is not asked before
	}
	if it.Paused {
		*next = Never
		return "paused: no check until somebody asks for one", nil
	}
	if it.LastChecked.IsZero() || next.Equal(Never) && !it.GoneSince.IsZero() {
		if *next = earlier(now, *next); next.Equal(now) {
			return "not checked yet: now", nil
		}
		return "", nil
	}
	at, why := e.Replan(r.o.Schedule, options.Check{ID: string(it.ID), State: it.Schedule(), At: it.LastChecked,
		Jitter: r.o.Jitter()}, *next, now)
	if at = stamp(at); !it.NextCrawlAt.After(now) && !it.IndexPending {
		at = earlier(at, *next) // it is due, and waits for its turn
	}
	*next = at
	return fmt.Sprintf("planned anew: %s", why), nil
}
