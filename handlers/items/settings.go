package items

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/crawl/rendering"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// showOptions adds to an answer the settings that people made for an item.
func showOptions(out *api.Item, it *registry.Item) {
	s := settingsJSON(it.Options)
	out.Tags, out.Paused = it.Tags, it.Paused
	out.Watch, out.Interval, out.Schedule, out.ActiveHours, out.Priority = s.Watch, s.Interval, s.Schedule,
		s.ActiveHours, s.Priority
	out.Files, out.Rendering = (*api.Files)(it.Options.Files), api.Rendering(it.Options.Rendering)
}

// showRendered adds to an answer what a browser showed of an item.
func showRendered(out *api.Item, r registry.Rendering) {
	if r.At.IsZero() {
		return
	}
	shown := &api.Rendered{At: r.At, Needless: r.Needless != "", Why: r.Why, Missing: r.Missing(), URL: r.URL,
		PictureOnly: r.PictureOnly, Bounds: r.Met, Requests: r.Requests, Bytes: r.Bytes, Millis: r.Millis,
		Browser: r.Browser, DataChanges: r.Apart}
	for _, f := range r.Refused {
		shown.Refused = append(shown.Refused, api.RefusedRequests(f))
	}
	out.Rendered = shown
}

func settingsJSON(o options.Options) api.TagSettings {
	return api.TagSettings{Watch: (*api.Watch)(o.Watch), Interval: (*api.Interval)(o.Interval),
		Schedule: (*api.Schedule)(o.Schedule), ActiveHours: (*api.ActiveHours)(o.ActiveHours), Priority: o.Priority,
		Rendering: api.Rendering(o.Rendering)}
}

// effective returns the settings that apply to an item, and the source of each.
func (h *Handlers) effective(ctx context.Context, it *registry.Item) (*api.Effective, error) {
	e, err := h.Tags.Effective(ctx, it)
	if err != nil {
		return nil, err
	}
	out := &api.Effective{TagSettings: settingsJSON(e.Options), From: map[string]string{}}
	delete(e.From, "files") // a folder's own; tags cannot set it
	for field := range e.From {
		out.From[field] = strings.TrimPrefix(e.By(field), "the ")
	}
	for _, name := range e.Over {
		out.From[options.FieldSetting(name)] = fmt.Sprintf("left out: an item has at most %d fields", options.MaxFields)
	}
	if out.Interval == nil && out.Schedule == nil {
		least, most := h.Tags.Usual()
		if it.Exclusion == verdict.ExclusionFolder {
			least, most = min(least, verdict.FolderEvery), min(most, verdict.FolderEvery)
		}
		out.Interval, out.From["interval"] = &api.Interval{Min: words.Short(least), Max: words.Short(most)}, "default"
	}
	if out.Render == "" && it.Type != source.File {
		out.Render, out.From["render"] = rendering.Policy{Options: e, Browser: h.Browser}.Mode(it), "default"
	}
	if out.Priority == nil {
		out.Priority, out.From["priority"] = new(options.UsualPriority), "default"
	}
	return out, nil
}

// optionsOf reads and checks the options of a request.
func optionsOf(s api.TagSettings) (options.Options, error) {
	o, err := options.Options{Watch: (*options.Watch)(s.Watch), Interval: (*options.Interval)(s.Interval),
		Schedule: (*options.Schedule)(s.Schedule), ActiveHours: (*options.ActiveHours)(s.ActiveHours),
		Priority: s.Priority, Rendering: options.Rendering(s.Rendering)}.Validate()
	if err == nil && o.Watch != nil {
		_, err = field.Asked(o.Watch.Fields)
	}
	return o, err
}

// editOf reads a request's changes to options. The strings in nulls are the names of the fields that are null.
func editOf(s api.TagSettings, nulls []string) (e options.Edit, err error) {
	if e.Options, err = optionsOf(s); err != nil {
		return e, err
	}
	for field, emptied := range map[string]bool{
		"watch": s.Watch != nil && e.Watch == nil, "interval": s.Interval != nil && e.Interval == nil,
		"schedule":    s.Schedule != nil && e.Schedule == nil,
		"activeHours": s.ActiveHours != nil && e.ActiveHours == nil,
	} {
		if emptied {
			nulls = append(nulls, field) // an empty object removes the setting, as null does
		}
	}
	for _, field := range nulls {
		if slices.Contains(options.Editable, field) {
			e.Clear = append(e.Clear, field)
		}
	}
	slices.Sort(e.Clear)
	return e, nil
}

// settingsOf reads a request's changes to the settings of an item.
func settingsOf(s api.ItemSettings, nulls []string) (out registry.Settings, err error) {
	out.Options, err = editOf(api.TagSettings{Watch: s.Watch, Interval: s.Interval, Schedule: s.Schedule,
		ActiveHours: s.ActiveHours, Priority: s.Priority, Rendering: s.Rendering}, nulls)
	if err == nil {
		err = addFiles(&out.Options, s.Files)
	}
	if err != nil {
		return out, err
	}
	if slices.Contains(nulls, "paused") {
		s.Paused = new(bool)
	}
	if out.Paused = s.Paused; s.Tags != nil || slices.Contains(nulls, "tags") {
		if out.Tags, err = options.Tags(s.Tags); out.Tags == nil {
			out.Tags = []string{}
		}
	}
	return out, err
}

// addFiles adds the selection of a folder's files to an edit. An empty one removes the setting, as null does.
func addFiles(e *options.Edit, files *api.Files) error {
	if files == nil {
		return nil
	}
	o, err := options.Options{Files: (*options.Files)(files)}.Validate()
	if e.Files = o.Files; err == nil && o.Files == nil {
		e.Clear = append(e.Clear, "files")
	}
	return err
}

// patchItem changes the settings of one item.
func (h *Settings) patchItem(ctx context.Context, q api.ItemPatch, nulls []string) (api.Item, error) {
	set, err := settingsOf(q.ItemSettings, nulls)
	if err != nil {
		return api.Item{}, err
	}
	it, err := h.Items.Set(ctx, source.ID(q.ID), set)
	return itemJSON(&it), wire.Field("id", err)
}
