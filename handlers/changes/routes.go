package changes

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// Routes returns the routes of the area.
func (h *Handlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListChanges, h.changes),
		{Endpoint: api.ChangesAtom.Endpoint, Answer: h.changesAtom},
		{Endpoint: api.ChangesJSON.Endpoint, Answer: h.changesJSONFeed},
		wire.OnAny(api.ExportChanges, h.exportChanges),
		wire.On(api.GetReader, h.reader),
		wire.On(api.SaveReader, h.saveReader),
		wire.On(api.MarkRead, h.markRead),
		wire.On(api.ExplainChange, h.explainChange),
		wire.On(api.ListRules, func(ctx context.Context, q api.RuleQuery) (api.Rules, error) {
			return h.Notify.Rules(ctx, q)
		}),
		wire.On(api.AddRule, h.addRule),
		wire.On(api.GetRule, h.getRule),
		wire.On(api.SaveRule, h.saveRule),
		wire.On(api.PatchRule, h.patchRule),
		wire.On(api.RemoveRule, h.removeRule),
		wire.On(api.PreviewRule, func(ctx context.Context, q api.RuleSpec) (api.RuleTest, error) {
			return h.Notify.PreviewRule(ctx, q)
		}),
		wire.On(api.TestRule, h.testRule),
		wire.On(api.ListChannels, h.listChannels),
		wire.OnAny(api.AddChannel, h.addChannel),
		wire.OnAny(api.SaveChannel, h.saveChannel),
		wire.OnAny(api.PatchChannel, h.patchChannel),
		wire.On(api.RemoveChannel, h.removeChannel),
		wire.On(api.TestChannel, h.testChannel),
		wire.On(api.CheckChannel, h.checkChannel),
		wire.On(api.ListMutes, h.listMutes),
		wire.On(api.AddMute, h.addMute),
		wire.On(api.RemoveMute, h.removeMute),
		wire.On(api.GetPublicAddress, h.publicAddress),
		wire.On(api.SavePublicAddress, h.savePublicAddress),
		wire.On(api.ListDeliveries, func(ctx context.Context, q api.DeliveryQuery) (api.DeliveryPage, error) {
			return h.Notify.Worker.Deliveries(ctx, q)
		}),
		wire.On(api.RetryDelivery, h.retryDelivery),
	}
}

// Triggers returns the triggers of the area.
func (h *Handlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"DeliveryWorker": h.deliveryWorker, "DeliveryPoison": h.deliveryPoison}
}
