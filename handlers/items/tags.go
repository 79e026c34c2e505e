package items

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

func tagJSON(t registry.Tag) api.Tag {
	return api.Tag{Name: t.Name, TagSettings: settingsJSON(t.Options), ChangedAt: t.ChangedAt}
}

// listTags lists the tags that have settings.
func (h *Settings) listTags(ctx context.Context, _ api.None) (api.Tags, error) {
	all, err := h.Tags.List(ctx)
	out := api.Tags{Tags: make([]api.Tag, len(all))}
	for i, t := range all {
		out.Tags[i] = tagJSON(t)
	}
	return out, err
}

func (h *Settings) getTag(ctx context.Context, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := h.Tags.Get(ctx, name)
	return tagJSON(t), err
}

// saveTag replaces all settings of a tag.
func (h *Settings) saveTag(ctx context.Context, q api.TagRequest) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	o, err := optionsOf(q.TagSettings)
	if err != nil {
		return api.Tag{}, err
	}
	return h.putTag(ctx, name, o)
}

// putTag stores the settings of a tag, and starts a run that reschedules the next checks of the tag's items.
func (h *Settings) putTag(ctx context.Context, name string, o options.Options) (api.Tag, error) {
	t, err := h.Tags.Put(ctx, name, o)
	if err != nil {
		return api.Tag{}, err
	}
	return h.replanned(ctx, t)
}

// replanned starts a run that reschedules the next checks of a tag's items, and returns the tag with that run.
func (h *Settings) replanned(ctx context.Context, t registry.Tag) (api.Tag, error) {
	out := tagJSON(t)
	begun, err := h.Bulk.Replan(ctx, t.Name)
	out.Run = begun.ID
	return out, err
}

// patchTag changes some settings of a tag.
func (h *Settings) patchTag(ctx context.Context, q api.TagPatch, nulls []string) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	edit, err := editOf(q.TagSettings, nulls)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := h.Tags.Get(ctx, name)
	if err != nil {
		return api.Tag{}, err
	}
	return h.putTag(ctx, name, edit.Apply(t.Options))
}

// removeTag removes all settings of a tag. Items keep the tag.
func (h *Settings) removeTag(ctx context.Context, q api.TagName) (api.Tag, error) {
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
