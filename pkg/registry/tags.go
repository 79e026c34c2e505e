package registry

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// A tag is a word on items. Each tag that sets options has a row for them. There are few of these rows, so a check
// that needs them reads all of them at once, and a process does so at most twice a minute.

const (
	tagsKey = "tag"
	// maxTags limits the number of tags that set options.
	maxTags = 500
	// tagsAge is how old a process's copy of the tags may be.
	tagsAge = 30 * time.Second
)

// Tags keeps the options that tags set for their items (W9).
type Tags struct {
	s *rowStore

	mu   sync.Mutex
	read time.Time // when all were read; zero if not yet
	all  []Tag
}

// Tag is a tag with the options that it sets.
type Tag struct {
	Name      string       `col:"name"`
	Options   api.Settings `col:"options"`
	ChangedAt time.Time    `col:"changedAt"`
	Undo      *api.Undo    // takes back the change that was just made; nil if there was none
}

var tagRows = row.Of[Tag]()

func tagKey(name string) storage.Key { return storage.Key{Partition: tagsKey, Row: name} }

// List returns the tags that set options, by name.
func (r *Tags) List(ctx context.Context) (all []Tag, err error) {
	for e, err := range r.s.Index.Query(ctx, storage.Query{Partition: tagsKey}) {
		if err != nil {
			return nil, err
		}
		t, _ := tagRows.Decode(e.Props) // a damaged column sets nothing
		t.Name = e.Row
		all = append(all, t)
	}
	return all, nil
}

// Get reads a tag. Errors: NotFound if the tag sets no options.
func (r *Tags) Get(ctx context.Context, name string) (Tag, error) {
	t, etag, err := tagRows.Load(ctx, r.s.Index, tagKey(name))
	if err == nil && etag == "" {
		err = fault.New(fault.NotFound, "no tag %.60q is defined", name)
	}
	return t, err
}

// Put stores the options of a tag. Callers must pass a valid name and valid options. Checks in other processes apply
// the new options within half a minute.
func (r *Tags) Put(ctx context.Context, name string, o api.Settings) (Tag, error) {
	return r.Change(ctx, name, func(api.Settings) (api.Settings, error) { return o, nil })
}

// Change stores what a function makes of the options of a tag, which are empty if there is no such tag. Of changes by
// several callers at once, each sees the one before it. It is as [Tags.Put] otherwise.
func (r *Tags) Change(ctx context.Context, name string,
	change func(api.Settings) (api.Settings, error)) (t Tag, err error) {
	var refused error // an error of any kind from change, for which a retry does not help
	done := r.begun(ctx, name)
	err = r.s.Retry(ctx, func(ctx context.Context) error {
		was, etag, err := tagRows.Load(ctx, r.s.Index, tagKey(name))
		if err != nil {
			return err
		}
		if etag == "" {
			if err := r.room(ctx); err != nil {
				return err
			}
		}
		t = Tag{Name: name, ChangedAt: r.s.Now()}
		if t.Options, refused = change(was.Options); refused != nil {
			return nil
		}
		if err := r.s.Options.Undo.Keep(ctx, done, was.Options, t.Options); err != nil {
			return err
		}
		t.Undo = done.Ref()
		_, err = r.s.Index.Transact(ctx, tagRows.Put(tagKey(name), etag, &t))
		return asConflict(err)
	})
	r.forget()
	return t, cmp.Or(err, refused)
}

func (r *Tags) begun(ctx context.Context, name string) *undo.Record {
	return r.s.Options.Undo.Begin(undo.Tag, name, telemetry.From(ctx).Actor, undo.Long)
}

// TakeBack takes back what a record says that was done to a tag. A tag that sets nothing then is removed. Errors:
// Conflict.
func (r *Tags) TakeBack(ctx context.Context, done *undo.Record) (Tag, error) {
	t, err := r.Change(ctx, done.Subject, func(was api.Settings) (is api.Settings, err error) {
		is = was
		if err = undo.Back(done, &is); err == nil {
			is, err = CheckOptions(is)
		}
		return is, undo.Unfit(err)
	})
	if err == nil && reflect.ValueOf(t.Options).IsZero() {
		t, err = r.Remove(ctx, done.Subject)
	}
	return t, err
}

// room reports whether there may be another tag that sets something.
func (r *Tags) room(ctx context.Context) error {
	all, err := r.List(ctx)
	if err == nil && len(all) >= maxTags {
		err = fault.Field("name", "there are %d tags that set something; remove one first", maxTags)
	}
	return err
}

// Remove deletes the options of a tag. The tag itself stays on its items, as a word. Errors: NotFound.
func (r *Tags) Remove(ctx context.Context, name string) (Tag, error) {
	t, err := r.Get(ctx, name)
	if err != nil {
		return t, err
	}
	done := r.begun(ctx, name)
	if err := r.s.Options.Undo.Keep(ctx, done, t.Options, api.Settings{}); err != nil {
		return t, err
	}
	t.Undo = done.Ref()
	_, err = r.s.Index.Transact(ctx, dropRow(tagKey(name)))
	r.forget()
	return t, ignoreLost(err)
}

func (r *Tags) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = time.Time{}
}

// Effective returns the effective options of an item. For an item without tags it reads nothing. For other items, the
// options of the tags may be up to half a minute old.
func (r *Tags) Effective(ctx context.Context, it *Item) (e options.Effective, err error) {
	defer func() { e.Demands = it.Demands }()
	if len(it.Tags) == 0 {
		return options.Merge(it.Options, nil), nil
	}
	all, err := r.cached(ctx)
	var of []options.Tag
	for _, t := range all {
		if slices.Contains(it.Tags, t.Name) {
			of = append(of, options.Tag{Name: t.Name, Settings: t.Options})
		}
	}
	return options.Merge(it.Options, of), err
}

// Usual returns the default check intervals: the interval after a change, and the longest interval, which is reached
// while nothing changes.
func (r *Tags) Usual() (least, most time.Duration) {
	return r.s.Options.Schedule.Base, r.s.Options.Schedule.Max
}

func (r *Tags) cached(ctx context.Context) ([]Tag, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.s.Now()
	if age := now.Sub(r.read); !r.read.IsZero() && age >= 0 && age < tagsAge {
		return r.all, nil
	}
	all, err := r.List(ctx)
	if err != nil {
		return nil, err
	}
	r.all, r.read = all, now
	return all, nil
}

// resettle replans the next check if options that were set in the meantime require another time. A check that was
// requested keeps its time.
func resettle(ctx context.Context, tags *Tags, it *Item, m meanwhile, now time.Time) error {
	if m.Asked(now) {
		return nil
	}
	before, err := tags.Effective(ctx, m.Read)
	if err != nil {
		return err
	}
	is, err := tags.Effective(ctx, it)
	if err != nil || it.Paused == m.Read.Paused && m.Now.Level == m.Read.Level && reflect.DeepEqual(before, is) {
		return err
	}
	next, resumes := it.NextCrawlAt, it.ResumeAt
	why := replanItem(it, is, tags.s.Options.Schedule, tags.s.Options.Jitter(), now)
	if why != "" && !(it.NextCrawlAt.Equal(next) && it.ResumeAt.Equal(resumes)) {
		it.Record(now, "scheduled", why)
	}
	return nil
}

// CheckOptions returns options in their stored form. Errors: Invalid, as [options.Validate], or for a field of a page
// that cannot be read so.
func CheckOptions(o api.Settings) (api.Settings, error) {
	o, err := options.Validate(o)
	if err == nil && o.Watch != nil {
		_, err = field.Asked(o.Watch.Fields)
	}
	return o, err
}
