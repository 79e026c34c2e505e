package handlers

import (
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// Routes returns the routes of the area.
func (h *entryHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.NormalizeTelegram, h.normalizeTelegram),
		wire.OnAny(api.NormalizeEmail, h.normalizeEmail),
		wire.OnAny(api.NormalizeWebpage, h.normalizeWebpage),
		{Endpoint: api.InsertEntry.Endpoint, Answer: h.insertEntry},
		{Endpoint: api.UpdateEntry.Endpoint, Answer: h.updateEntry},
		wire.OnAny(api.ListEntries, h.listEntries),
		wire.OnAny(api.GetEntry, h.showEntry),
		wire.On(api.ListPolicies, h.policies),
		wire.On(api.SavePolicy, h.savePolicy),
		wire.On(api.GetTestMode, h.testMode),
		{Endpoint: api.SetTestMode.Endpoint, Answer: h.setTestMode},
		wire.On(api.ToggleTestMode, h.toggleTestMode),
		wire.On(api.Enrich, h.enrichOne),
		wire.On(api.StartEnrichBatch, h.enrichMany),
		wire.On(api.ListEnrichBatches, h.enrichBatches),
		wire.On(api.GetEnrichBatch, h.enrichBatch),
		wire.On(api.CancelEnrichBatch, h.cancelEnrichBatch),
	}
}

// Triggers returns the triggers of the area.
func (h *entryHandlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"EnrichTimer": h.enrichTimer}
}
