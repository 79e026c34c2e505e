package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/file/credential"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/source"
)

// addition is a request to register sources, of either kind.
type addition struct {
	what  string // how the request's fields call them: "url" or "path", and many with an s
	one   string
	many  []string
	parse func(raw, credential string) (source.Source, error)
	registry.RegisterOptions
}

// addURL registers one URL or many.
func (s *server) addURL(r *http.Request, v *Services) (int, any, error) {
	var req api.AddURLRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	return s.add(r, v, addition{
		what: "url", one: req.URL, many: req.URLs, parse: v.page,
		RegisterOptions: registry.RegisterOptions{Force: req.Force, Credential: req.Credential},
	})
}

// addFile registers one file or many, or whole containers.
func (s *server) addFile(r *http.Request, v *Services) (int, any, error) {
	var req api.AddFileRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	return s.add(r, v, addition{
		what: "path", one: req.Path, many: req.Paths, parse: v.file,
		RegisterOptions: registry.RegisterOptions{Force: req.Force, Credential: req.Credential},
	})
}

// page is the source that a URL names, if the credential of a name, unless it is empty, lets in to it.
func (v *Services) page(raw, name string) (source.Source, error) {
	src, err := v.Rules.ParseURL(raw)
	if err != nil || name == "" {
		return src, err
	}
	if _, err := credential.ForPage(v.Setting, name, src.Normalized); err != nil {
		return source.Source{}, fault.Field("credential", "%w", err)
	}
	return src, nil
}

// file is the source that a path names, if the settings let it be read.
func (v *Services) file(raw, name string) (source.Source, error) {
	place, err := file.Parse(raw)
	if err != nil {
		return source.Source{}, err
	}
	return place.Source(), v.Files.Admit(place, name)
}

func (s *server) add(r *http.Request, v *Services, a addition) (int, any, error) {
	if a.Credential != "" {
		name, err := credential.Name(a.Credential)
		if err == nil {
			_, err = credential.Find(v.Setting, name)
		}
		if err != nil {
			return 0, nil, fault.Field("credential", "%w", err)
		}
		a.Credential = name
	}
	switch {
	case a.one != "" && a.many != nil:
		return 0, nil, fault.Field(a.what+"s", "give %[1]s or %[1]ss, not both", a.what)
	case a.one != "":
		return s.addOne(r, v, a)
	case len(a.many) == 0:
		return 0, nil, fault.Field(a.what, "%[1]s is missing: give one %[1]s, or 1 to %[2]d %[1]ss", a.what, api.MaxBatch)
	case len(a.many) > api.MaxBatch:
		return 0, nil, fault.Field(a.what+"s", "%d %ss are too many: at most %d in one request", len(a.many), a.what, api.MaxBatch)
	}
	return s.addMany(r, v, a)
}

func (s *server) addOne(r *http.Request, v *Services, a addition) (int, any, error) {
	src, err := a.parse(a.one, a.Credential)
	if err != nil {
		return 0, nil, err
	}
	got := v.Registry.Register(r.Context(), []source.Source{src}, a.RegisterOptions)[0]
	if got.Err != nil {
		return 0, nil, got.Err
	}
	return http.StatusAccepted, itemJSON(&got.Item), nil
}

func (s *server) addMany(r *http.Request, v *Services, a addition) (int, any, error) {
	batch := api.AddURLBatch{Items: make([]api.AddURLResult, len(a.many))}
	var sources []source.Source
	var at []int
	for i, raw := range a.many {
		batch.Items[i].Source = raw
		src, err := a.parse(raw, a.Credential)
		if err != nil {
			batch.Items[i].Error = err.Error()
			continue
		}
		sources, at = append(sources, src), append(at, i)
	}
	failed := 0
	var last error
	for j, got := range v.Registry.Register(r.Context(), sources, a.RegisterOptions) {
		if registry.IsItemLimit(got.Err) {
			batch.Items[at[j]].Error = "not registered: " + got.Err.Error() // not a failure, but a state
			continue
		}
		if got.Err != nil {
			s.Log.ErrorContext(r.Context(), "registration failed", "host", sources[j].Host, "err", got.Err)
			batch.Items[at[j]].Error = "not registered: " + publicText(got.Err)
			failed, last = failed+1, got.Err
			continue
		}
		item := itemJSON(&got.Item)
		batch.Items[at[j]].Item = &item
	}
	if failed > 0 && failed == len(sources) {
		return 0, nil, last // nothing at all could be registered: that is not a partial success
	}
	return http.StatusAccepted, batch, nil
}

// publicText is an error as strangers may read it.
func publicText(err error) string {
	if fault.Is(err, fault.Internal) {
		return "internal error"
	}
	return err.Error()
}

// reindex has one item checked now.
func (s *server) reindex(r *http.Request, v *Services) (int, any, error) {
	var req api.ReindexRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	var ids []source.ID
	switch {
	case req.ID != "" && req.Source != "":
		return 0, nil, fault.Field("source", "give id or source, not both")
	case req.ID == "" && req.Source == "":
		return 0, nil, fault.Field("id", "id is missing: give the id or the source of an item")
	case req.ID != "":
		ids = append(ids, source.ID(req.ID))
	default:
		sources, err := file.Sources(req.Source, v.Rules)
		if err != nil {
			return 0, nil, blame("source", err)
		}
		for _, src := range sources {
			ids = append(ids, src.ID())
		}
	}
	it, err := v.Registry.Find(r.Context(), ids[0])
	if fault.Is(err, fault.NotFound) && len(ids) > 1 {
		it, err = v.Registry.Find(r.Context(), ids[1])
	}
	if err != nil {
		return 0, nil, blame("id", err)
	}
	it, err = v.Registry.Reindex(r.Context(), it, req.Force)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, itemJSON(&it), nil
}

// blame names the request's own field in an error about it.
func blame(field string, err error) error {
	if fault.Is(err, fault.Invalid) {
		return fault.Field(field, "%w", err)
	}
	return err
}
