package handlers

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// An addition is a request to register pages or files.
type addition struct {
	what  string // the name of the field for one source: "url" or "path"
	one   string
	many  []string
	parse func(raw, credential string) (addressed, error)
	registry.RegisterOptions
}

// addressed is a source, the address that was given for it, with its scheme, and what to warn of.
type addressed struct {
	source.Source
	address string
	warning string
}

// addURL registers one URL or many.
func (h *registration) addURL(ctx context.Context, req api.AddURLRequest) (any, error) {
	set, err := settingsOf(req.ItemSettings, req.Patch)
	if err != nil {
		return nil, err
	}
	parse := h.Sources.page
	if req.GuessScheme && h.Sources.Schemes != nil && len(req.URLs) <= api.MaxBatch {
		parse = h.Sources.guessed(ctx, append(slices.Clone(req.URLs), req.URL))
	}
	return h.add(ctx, addition{
		what: "url", one: req.URL, many: req.URLs, parse: parse,
		RegisterOptions: registry.RegisterOptions{Force: req.Force, Credential: req.Credential, Settings: set,
			Draft: req.Draft},
	})
}

// addFile registers one file or many, or all files of a container.
func (h *registration) addFile(ctx context.Context, req api.AddFileRequest) (any, error) {
	set, err := settingsOf(req.ItemSettings, req.Patch)
	if err != nil {
		return nil, err
	}
	return h.add(ctx, addition{
		what: "path", one: req.Path, many: req.Paths, parse: h.Sources.file,
		RegisterOptions: registry.RegisterOptions{Force: req.Force, Credential: req.Credential, Settings: set},
	})
}

func (h *registration) add(ctx context.Context, a addition) (any, error) {
	var err error
	if a.Credential, err = h.Sources.credential(a.Credential); err != nil {
		return nil, err
	}
	switch {
	case a.one != "" && a.many != nil:
		return nil, fault.Field(a.what+"s", "give %[1]s or %[1]ss, not both", a.what)
	case a.one != "":
		return h.addOne(ctx, a)
	case len(a.many) == 0:
		return nil, fault.Field(a.what, "%[1]s is missing: give one %[1]s, or 1 to %[2]d %[1]ss", a.what, api.MaxBatch)
	case len(a.many) > api.MaxBatch:
		return nil, fault.Field(a.what+"s", "%d %ss are too many: at most %d in one request", len(a.many), a.what,
			api.MaxBatch)
	}
	return h.addMany(ctx, a)
}

func (h *registration) addOne(ctx context.Context, a addition) (any, error) {
	given, err := a.parse(a.one, a.Credential)
	if err != nil {
		return nil, err
	}
	a.Forms = source.Forms{}
	a.Forms.Note(given.Source, given.address, h.Sources.Rules)
	got := h.Items.Register(ctx, []source.Source{given.Source}, a.RegisterOptions)[0]
	if got.Err != nil {
		return nil, got.Err
	}
	out, err := h.added(ctx, a, &got.Item)
	if out.Warning = given.warning; err == nil {
		err = h.asked(ctx, &out, &got.Item)
	}
	return out, err
}

func (h *registration) addMany(ctx context.Context, a addition) (any, error) {
	batch := api.AddURLBatch{Items: make([]api.AddURLResult, len(a.many))}
	var sources []source.Source
	var at []int
	var warnings []string
	a.Forms = source.Forms{}
	for i, raw := range a.many {
		batch.Items[i].Source = raw
		given, err := a.parse(raw, a.Credential)
		if err != nil {
			batch.Items[i].Error = err.Error()
			continue
		}
		sources, at, warnings = append(sources, given.Source), append(at, i), append(warnings, given.warning)
		a.Forms.Note(given.Source, given.address, h.Sources.Rules)
	}
	failed := 0
	var last error
	for j, got := range h.Items.Register(ctx, sources, a.RegisterOptions) {
		if registry.IsItemLimit(got.Err) || fault.Is(got.Err, fault.Invalid) {
			batch.Items[at[j]].Error = "not registered: " + got.Err.Error() // reaching the limit is not a failure
			if fault.Is(got.Err, fault.Invalid) {
				failed, last = failed+1, got.Err
			}
			continue
		}
		if got.Err != nil {
			h.Log.ErrorContext(ctx, "registration failed", "host", sources[j].Host, "err", got.Err)
			batch.Items[at[j]].Error = "not registered: " + wire.PublicText(got.Err)
			failed, last = failed+1, got.Err
			continue
		}
		item, err := h.added(ctx, a, &got.Item)
		if err != nil {
			return nil, err
		}
		item.Warning = warnings[j]
		batch.Items[at[j]].Item, batch.Items[at[j]].Known = &item, !got.Created
	}
	if failed > 0 && failed == len(sources) {
		return nil, last // nothing was registered, so the answer is an error
	}
	return batch, nil
}

// added returns an item that was registered. If the request has settings, it has those in force.
func (h *registration) added(ctx context.Context, a addition, it *registry.Item) (api.Item, error) {
	if a.Settings.Zero() {
		return itemJSON(it), nil
	}
	return h.changed(ctx, it)
}

// reindex starts a check of one item now.
func (h *itemHandlers) reindex(ctx context.Context, req api.ReindexRequest) (out api.Item, err error) {
	var it registry.Item
	switch {
	case req.ID != "" && req.Source != "":
		return out, fault.Field("source", "give id or source, not both")
	case req.ID == "" && req.Source == "":
		return out, fault.Field("id", "id is missing: give the id or the source of an item")
	case req.ID != "":
		it, err = h.Items.Find(ctx, source.ID(req.ID))
		err = wire.Field("id", err)
	default:
		it, err = h.Lookup.At(ctx, req.Source)
	}
	if err != nil {
		return out, err
	}
	if it, err = h.Items.Reindex(ctx, it, req.Force); err != nil {
		return out, err
	}
	out = itemJSON(&it)
	return out, h.asked(ctx, &out, &it)
}

// itemSources turns the addresses and paths of requests into sources, and refuses those that would never be fetched.
type itemSources struct {
	Rules   source.Rules
	Admit   func(url string) error   // returns why a URL would never be fetched; if unset, all are admitted
	Files   *file.Client             // knows which files the settings allow
	Schemes *fetch.SchemeGuesser     // finds the schemes of addresses without one; nil if that is not possible
	Setting func(name string) string // returns a setting of the app, such as a credential; "" if it is not set
}

// page returns the source for a URL. If a credential is named, it must be one for that address.
func (s itemSources) page(raw, name string) (addressed, error) {
	src, err := s.Rules.ParseURL(raw)
	if err != nil {
		return addressed{}, err
	}
	if s.Admit != nil {
		if err := s.Admit(src.Normalized); err != nil {
			return addressed{}, fault.Field("url", "url: %w", err)
		}
	}
	if name != "" {
		if _, err := credential.ForPage(s.Setting, name, src.Normalized); err != nil {
			return addressed{}, fault.Field("credential", "%w", err)
		}
	}
	return addressed{src, raw, source.RouteWarning(raw)}, nil
}

// guessed finds the schemes of addresses that have none, and returns a function like page that knows them.
func (s itemSources) guessed(ctx context.Context, raws []string) func(raw, name string) (addressed, error) {
	found, errs := s.Schemes.Guess(ctx, raws)
	return func(raw, name string) (addressed, error) {
		at := slices.Index(raws, raw)
		if at < 0 || errs[at] != nil {
			return addressed{}, errs[max(at, 0)]
		}
		return s.page(found[at], name)
	}
}

// file returns the source for a path, if the settings allow reading it.
func (s itemSources) file(raw, name string) (addressed, error) {
	place, err := file.Parse(raw)
	if err != nil {
		return addressed{}, err
	}
	return addressed{Source: place.Source(), address: raw}, s.Files.Admit(place, name)
}

// credential returns the name of a credential in the form in which items store it. An empty name
// stays empty. The name of a credential that is not set is refused.
func (s itemSources) credential(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	name, err := credential.Name(given)
	if err == nil {
		_, err = credential.Find(s.Setting, name)
	}
	if err != nil {
		return "", fault.Field("credential", "%w", err)
	}
	return name, nil
}
