package handlers

import (
	"context"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

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

// itemView puts the settings in force into answers.
type itemView struct {
	Tags    *registry.Tags // the settings that tags give to items
	Hosts   *registry.Hosts
	Browser *render.Renderer // renders pages; nil if there is no browser
}

// checksJSON returns the shortest demand of a rule that is in force for an item; nil if there is none.
func checksJSON(it *registry.Item, now time.Time) *api.ItemChecks {
	for _, w := range it.Demands { // the shortest first
		if !w.After.After(now) {
			return &api.ItemChecks{Every: words.Short(w.Every), Of: "rule:" + w.Rule, Name: w.Name}
		}
	}
	return nil
}

// detail adds to an answer the settings that apply to an item, what is empty of what is watched, and what keeps the
// item from being checked as often as a rule wants.
func (v itemView) detail(ctx context.Context, out *api.ItemDetail, it *registry.Item) error {
	e, err := v.Tags.Effective(ctx, it)
	if err != nil {
		return err
	}
	out.Effective = v.inForce(e, it)
	if out.WatchEmpty != nil && e.Watch != nil {
		out.WatchEmpty.Parts = e.Watch.Include
	}
	if isPage := it.Type != source.File && out.Rendered == nil; isPage && (out.Thin || out.Collapsed) &&
		out.Effective.Render == options.RenderNever && out.Effective.From["render"] == "default" {
		out.NoBrowser = v.Browser.Missing()
	}
	if out.Checks != nil {
		if out.Checks.HeldBy, out.Checks.Why, err = v.Hosts.Held(ctx, it, e); err != nil {
			return err
		}
	}
	if it.NextCrawlAt.After(time.Now()) {
		return nil
	}
	u, err := v.Hosts.Unreached(ctx, it)
	if u.Tries > 0 {
		out.WaitsFor = &api.WaitsFor{Host: it.SourceHost, Why: u.String(), NextTry: u.Next}
	}
	return err
}

// asked adds to an answer what becomes of a check that a person has asked for.
func (v itemView) asked(ctx context.Context, out *api.Item, it *registry.Item) error {
	until, why, err := v.Hosts.Waits(ctx, it)
	out.Check = &api.AskedCheck{State: "asked"}
	if !until.IsZero() {
		out.Check = &api.AskedCheck{State: "waits", Why: why, Until: until}
	}
	return err
}

// of returns the settings that apply to an item, and the source of each.
func (v itemView) of(ctx context.Context, it *registry.Item) (*api.Effective, error) {
	e, err := v.Tags.Effective(ctx, it)
	if err != nil {
		return nil, err
	}
	return v.inForce(e, it), nil
}

// inForce returns merged settings of an item, with the defaults of the app for it.
func (v itemView) inForce(e options.Effective, it *registry.Item) *api.Effective {
	out := v.effective(e)
	if out.From["interval"] == "default" && it.Exclusion == verdict.ExclusionFolder {
		least, most := v.Tags.Usual()
		out.Interval = between(min(least, verdict.FolderEvery), min(most, verdict.FolderEvery))
	}
	if out.Render == "" && it.Type != source.File {
		policy := verdict.RenderingPolicy{Options: e, Browser: v.Browser.ReadsThin()}
		out.Render, out.From["render"] = policy.Mode(it), "default"
	}
	return out
}

// effective returns settings that apply, with the defaults of the app.
func (v itemView) effective(e options.Effective) *api.Effective {
	out := &api.Effective{TagSettings: e.TagSettings, From: map[string]string{}}
	delete(e.From, "files") // a folder's own; tags cannot set it
	for field := range e.From {
		out.From[field] = strings.TrimPrefix(e.By(field), "the ")
	}
	for _, name := range e.Over {
		out.From[options.FieldSetting(name)] = "left out: an item has as many fields as may be read"
	}
	if out.Interval == nil && out.Schedule == nil {
		out.Interval, out.From["interval"] = between(v.Tags.Usual()), "default"
	}
	if out.Priority == nil {
		out.Priority, out.From["priority"] = new(options.UsualPriority), "default"
	}
	return out
}

func between(least, most time.Duration) *api.Interval {
	return &api.Interval{Min: words.Short(least), Max: words.Short(most)}
}

// settingsOf reads a request's changes to the settings of an item.
func settingsOf(s api.ItemSettings, patch api.Patch) (out registry.Settings, err error) {
	if _, named := patch.Get("paused"); named {
		out.Paused = new(s.Paused != nil && *s.Paused)
	}
	if _, named := patch.Get("tags"); named {
		if out.Tags, err = options.Tags(s.Tags); out.Tags == nil {
			out.Tags = []string{}
		}
	}
	out.Patch = form.Of[api.Settings]().Pick(patch)
	return out, err
}

// patchItem changes the settings of one item.
func (h *itemSettings) patchItem(ctx context.Context, q api.ItemPatch) (api.Item, error) {
	set, err := settingsOf(q.ItemSettings, q.Patch)
	if err != nil {
		return api.Item{}, err
	}
	set.Undo = true
	it, err := h.Items.Set(ctx, source.ID(q.ID), set)
	switch {
	case err != nil && fault.FieldOf(err) == "":
		return api.Item{}, wire.Field("id", err)
	case err != nil:
		return api.Item{}, err
	}
	return h.changed(ctx, &it)
}

// changed returns an item whose settings a request has changed, with those in force.
func (v itemView) changed(ctx context.Context, it *registry.Item) (out api.Item, err error) {
	out = itemJSON(it)
	out.Replaced, out.Undo = it.Replaced, it.Undo
	out.Effective, err = v.of(ctx, it)
	return out, err
}
