package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/source"
)

// addURL registers one URL or many.
func (s *server) addURL(r *http.Request, v *Services) (int, any, error) {
	var req api.AddURLRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	switch {
	case req.URL != "" && req.URLs != nil:
		return 0, nil, fault.Field("urls", "give url or urls, not both")
	case req.URL != "":
		return s.addOne(r, v, req)
	case len(req.URLs) == 0:
		return 0, nil, fault.Field("url", "url is missing: give one url, or 1 to %d urls", api.MaxBatch)
	case len(req.URLs) > api.MaxBatch:
		return 0, nil, fault.Field("urls", "%d urls are too many: at most %d in one request", len(req.URLs), api.MaxBatch)
	}
	return s.addMany(r, v, req)
}

func (s *server) addOne(r *http.Request, v *Services, req api.AddURLRequest) (int, any, error) {
	src, err := v.Rules.ParseURL(req.URL)
	if err != nil {
		return 0, nil, err
	}
	got := v.Registry.Register(r.Context(), []source.Source{src}, registry.RegisterOptions{Force: req.Force})[0]
	if got.Err != nil {
		return 0, nil, got.Err
	}
	return http.StatusAccepted, itemJSON(&got.Item), nil
}

func (s *server) addMany(r *http.Request, v *Services, req api.AddURLRequest) (int, any, error) {
	batch := api.AddURLBatch{Items: make([]api.AddURLResult, len(req.URLs))}
	var sources []source.Source
	var at []int
	for i, raw := range req.URLs {
		batch.Items[i].Source = raw
		src, err := v.Rules.ParseURL(raw)
		if err != nil {
			batch.Items[i].Error = err.Error()
			continue
		}
		sources, at = append(sources, src), append(at, i)
	}
	failed := 0
	var last error
	for j, got := range v.Registry.Register(r.Context(), sources, registry.RegisterOptions{Force: req.Force}) {
		if got.Err != nil {
			s.Log.Error("registration failed", "host", sources[j].Host, "err", got.Err)
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
	id := source.ID(req.ID)
	switch {
	case req.ID != "" && req.Source != "":
		return 0, nil, fault.Field("source", "give id or source, not both")
	case req.ID == "" && req.Source == "":
		return 0, nil, fault.Field("id", "id is missing: give the id or the source of an item")
	case req.Source != "":
		src, err := v.Rules.ParseURL(req.Source)
		if err != nil {
			return 0, nil, blame("source", err)
		}
		id = src.ID()
	}
	it, err := v.Registry.Find(r.Context(), id)
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
