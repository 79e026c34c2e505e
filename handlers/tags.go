package handlers

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

func tagJSON(t registry.Tag) api.Tag {
	return api.Tag{Name: t.Name, TagSettings: tagSettings(t.Options), ChangedAt: t.ChangedAt}
}

// listTags tells which tags set something.
func listTags(ctx context.Context, v *call, _ api.None) (api.Tags, error) {
	all, err := v.Registry.Tags.List(ctx)
	out := api.Tags{Tags: make([]api.Tag, len(all))}
	for i, t := range all {
		out.Tags[i] = tagJSON(t)
	}
	return out, err
}

func getTag(ctx context.Context, v *call, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := v.Registry.Tags.Get(ctx, name)
	return tagJSON(t), err
}

// saveTag says all that a tag sets.
func saveTag(ctx context.Context, v *call, q api.TagRequest) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	o, err := optionsOf(q.TagSettings)
	if err != nil {
		return api.Tag{}, err
	}
	return putTag(ctx, v, name, o)
}

// putTag stores what a tag sets, and has the next checks of its items planned anew.
func putTag(ctx context.Context, v *call, name string, o options.Options) (api.Tag, error) {
	t, err := v.Registry.Tags.Put(ctx, name, o)
	if err != nil {
		return api.Tag{}, err
	}
	return replanned(ctx, v, t)
}

// replanned begins the run that plans the checks of a tag's items anew.
func replanned(ctx context.Context, v *call, t registry.Tag) (api.Tag, error) {
	out := tagJSON(t)
	begun, err := v.Bulk.Replan(ctx, t.Name)
	out.Run = begun.ID
	return out, err
}

// patchTag changes some of what a tag sets.
func patchTag(r *http.Request, v *call) (int, any, error) {
	q, nulls, err := wire.DecodePatch[api.TagPatch](r, api.PatchTag.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	name, err := wire.TagName(q.Name)
	if err != nil {
		return 0, nil, err
	}
	edit, err := editOf(q.TagSettings, nulls)
	if err != nil {
		return 0, nil, err
	}
	t, err := v.Registry.Tags.Get(r.Context(), name)
	if err != nil {
		return 0, nil, err
	}
	out, err := putTag(r.Context(), v, name, edit.Apply(t.Options))
	return http.StatusOK, out, err
}

// removeTag has a tag set nothing any more. Items keep it.
func removeTag(ctx context.Context, v *call, q api.TagName) (api.Tag, error) {
	name, err := wire.TagName(q.Name)
	if err != nil {
		return api.Tag{}, err
	}
	t, err := v.Registry.Tags.Remove(ctx, name)
	if err != nil {
		return api.Tag{}, err
	}
	return replanned(ctx, v, t)
}
