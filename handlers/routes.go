package handlers

import (
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// Routes returns the routes of the area.
func (h *changeHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListChanges, h.changes),
		{Endpoint: api.ChangesAtom.Endpoint, Answer: h.changesAtom},
		{Endpoint: api.ChangesJSON.Endpoint, Answer: h.changesJSONFeed},
		wire.OnAny(api.ExportChanges, h.exportChanges),
		wire.On(api.GetReader, h.reader),
		wire.On(api.SaveReader, h.saveReader),
		wire.On(api.MarkRead, h.markRead),
		wire.Named(api.ExplainChange, h.Notify.Follower.Why),
		wire.On(api.ListRules, h.Notify.Rules),
		wire.On(api.AddRule, h.addRule),
		wire.Named(api.GetRule, h.Notify.Rule),
		wire.On(api.SaveRule, h.saveRule),
		wire.On(api.PatchRule, h.patchRule),
		wire.Named(api.RemoveRule, h.Notify.RemoveRule),
		wire.On(api.PreviewRule, h.Notify.PreviewRule),
		wire.Named(api.TestRule, h.Notify.TestRule),
		wire.On(api.ListChannels, h.listChannels),
		wire.OnAny(api.AddChannel, h.addChannel),
		wire.OnAny(api.SaveChannel, h.saveChannel),
		wire.OnAny(api.PatchChannel, h.patchChannel),
		wire.Named(api.RemoveChannel, h.Notify.RemoveChannel),
		wire.On(api.TestChannel, h.testChannel),
		wire.On(api.CheckChannel, h.checkChannel),
		wire.On(api.ListMutes, h.listMutes),
		wire.On(api.AddMute, h.addMute),
		wire.Named(api.RemoveMute, h.Notify.Unmute),
		wire.On(api.GetPublicAddress, h.publicAddress),
		wire.On(api.SavePublicAddress, h.savePublicAddress),
		wire.On(api.ListDeliveries, h.Notify.Worker.Deliveries),
		wire.Named(api.RetryDelivery, h.Notify.Worker.Retry),
	}
}

// Triggers returns the triggers of the area.
func (h *changeHandlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"DeliveryWorker": h.deliveryWorker, "DeliveryPoison": h.deliveryPoison}
}
