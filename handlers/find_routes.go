package handlers

import (
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// Routes returns the routes of the area.
func (h *searchHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.SearchByGet, h.searchFor),
		wire.On(api.Search, h.searchFor),
		wire.On(api.Suggest, h.suggest),
		wire.On(api.Retrieve, h.retrieve),
	}
}
