package handlers

import (
	"context"
	"reflect"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

func tagJSON(t registry.Tag) api.Tag {
	return api.Tag{Name: t.Name, TagSettings: t.Options.TagSettings, ChangedAt: t.ChangedAt}
}

// listTags lists the tags that have settings.
func (h *itemSettings) listTags(ctx context.Context, _ api.None) (api.Tags, error) {
	all, err := h.Tags.List(ctx)
	return api.Tags{Tags: wire.Each(all, tagJSON)}, err
}

func (h *itemSettings) getTag(ctx context.Context, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := h.Tags.Get(ctx, name)
	if err != nil {
		return api.Tag{}, err
	}
	return h.tag(t), nil
}

// tag returns a tag with the settings that an item has which only has this tag.
func (v itemView) tag(t registry.Tag) api.Tag {
	out := tagJSON(t)
	out.Effective = v.effective(options.Merge(api.Settings{}, []options.Tag{{Name: t.Name, Settings: t.Options}}))
	return out
}

// saveTag replaces all settings of a tag.
func (h *itemSettings) saveTag(ctx context.Context, q api.TagRequest) (api.Tag, error) {
	return h.changeTag(ctx, q.Name, func(api.Settings) (api.Settings, []string, error) {
		o, err := registry.CheckOptions(api.Settings{TagSettings: q.TagSettings})
		return o, nil, err
	})
}

// patchTag changes some settings of a tag.
func (h *itemSettings) patchTag(ctx context.Context, q api.TagPatch) (api.Tag, error) {
	return h.changeTag(ctx, q.Name, func(was api.Settings) (api.Settings, []string, error) {
		return registry.PatchOptions(was, q.Patch)
	})
}

// changeTag changes the settings of a tag, and starts a run that reschedules the next checks of the tag's items.
func (h *itemSettings) changeTag(ctx context.Context, name string,
	change func(was api.Settings) (api.Settings, []string, error)) (out api.Tag, err error) {
	if name, err = wire.TagName(name); err != nil {
		return out, err
	}
	var gone []string
	same := false
	t, err := h.Tags.Change(ctx, name, func(was api.Settings) (is api.Settings, err error) {
		is, gone, err = change(was)
		same = reflect.DeepEqual(was, is)
		return is, err
	})
	if err != nil || same {
		return h.tag(t), err
	}
	out, err = h.replanned(ctx, t)
	out.Replaced = gone
	return out, err
}

// replanned starts a run that reschedules the next checks of a tag's items, and returns the tag with that run.
func (h *itemSettings) replanned(ctx context.Context, t registry.Tag) (api.Tag, error) {
	out := h.tag(t)
	begun, err := h.Bulk.Replan(ctx, t.Name)
	out.Run = begun.ID
	return out, err
}

// removeTag removes all settings of a tag. Items keep the tag.
func (h *itemSettings) removeTag(ctx context.Context, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := h.Tags.Remove(ctx, name)
	if err != nil {
		return api.Tag{}, err
	}
	return h.replanned(ctx, t)
}
