package handlers

import (
	"context"
	"net/url"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
)

func (h *changeHandlers) addRule(ctx context.Context, q api.NewRule) (api.Rule, error) {
	return h.Notify.SaveRuleAs(ctx, "", q.RuleSpec, q.RuleSaving)
}

func (h *changeHandlers) previewRule(ctx context.Context, q api.NewRule) (api.RuleTest, error) {
	out, err := h.Notify.PreviewRule(ctx, q.RuleSpec)
	below(ctx, out.Changes)
	return out, err
}

func (h *changeHandlers) testRule(ctx context.Context, id string) (api.RuleTest, error) {
	out, err := h.Notify.TestRule(ctx, id)
	below(ctx, out.Changes)
	return out, err
}

func (h *changeHandlers) saveRule(ctx context.Context, q api.RuleUpdate) (api.Rule, error) {
	return h.Notify.SaveRuleAs(ctx, q.ID, q.RuleSpec, q.RuleSaving)
}

func (h *changeHandlers) patchRule(ctx context.Context, q api.RulePatch) (api.Rule, error) {
	return h.Notify.PatchRule(ctx, q.ID, q.Patch)
}

// listChannels lists the channels. Addresses of webhooks often hold a secret, so a key that may
// only read gets their hosts. It gets no fields of services, which have addresses of people.
func (h *changeHandlers) listChannels(ctx context.Context, _ api.None) (api.Channels, error) {
	out, err := h.Notify.Channels(ctx)
	if !wire.CallerOf(ctx).Scope.Covers(api.ScopeWrite) {
		for i := range out.Channels {
			out.Channels[i].URL = hostOnly(out.Channels[i].URL)
			out.Channels[i].Fields = nil
		}
	}
	return out, err
}

// hostOnly shortens an address to its scheme and host.
func hostOnly(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// addChannel adds a channel. The answer may contain a secret, which no later answer shows.
func (h *changeHandlers) addChannel(ctx context.Context, q api.ChannelSpec) (any, error) {
	c, err := h.Notify.SaveChannel(ctx, q, true)
	return wire.Unkept{Body: c}, err
}

func (h *changeHandlers) saveChannel(ctx context.Context, q api.ChannelUpdate) (any, error) {
	c, err := h.Notify.SaveChannel(ctx, api.ChannelSpec(q), false)
	return wire.Unkept{Body: c}, err
}

func (h *changeHandlers) patchChannel(ctx context.Context, q api.ChannelPatch) (any, error) {
	c, err := h.Notify.PatchChannel(ctx, q.Name, q.Patch)
	return wire.Unkept{Body: c}, err
}

func (h *changeHandlers) testChannel(ctx context.Context, q api.ChannelTest) (api.ReceiverAnswer, error) {
	return h.Notify.TestChannel(ctx, api.ChannelSpec{Name: q.Name, ChannelSettings: api.ChannelSettings{Kind: q.Kind,
		URL: q.URL, Secret: q.Secret, URLFrom: q.URLFrom, Fields: q.Fields}})
}

func (h *changeHandlers) checkChannel(ctx context.Context, q api.ChannelUpdate) (api.ChannelCheck, error) {
	return h.Notify.CheckChannel(ctx, api.ChannelSpec(q))
}

// Follow applies the rules to new changes and sends lost messages again. It returns the number of
// messages that it sent again. CrawlTimer calls it, because a separate timer would double the cost
// of an idle app.
func (h *changeHandlers) Follow(ctx context.Context) (int, error) {
	report, err := h.Notify.Follower.Follow(ctx)
	if report.Deliveries+report.Resent > 0 {
		h.Log.InfoContext(ctx, "changes followed", "looked", report.Examined, "deliveries", report.Deliveries,
			"resent", report.Resent)
	}
	return report.Resent, err
}

// deliveryWorker sends a message to a channel.
func (h *changeHandlers) deliveryWorker(ctx context.Context, e wire.Envelope) (string, error) {
	id, err := deliveryOf(e)
	if err != nil {
		return "", err
	}
	report, err := h.Notify.Worker.Deliver(ctx, id)
	if err != nil {
		err = wire.Kept(err)
	}
	return report, err
}

// deliveryPoison records that a delivery failed on every try.
func (h *changeHandlers) deliveryPoison(ctx context.Context, e wire.Envelope) (string, error) {
	id, err := deliveryOf(e)
	if err != nil {
		return "", err
	}
	why := "it could not be worked on, however often it was tried; see the app's log"
	h.Log.ErrorContext(ctx, "delivery poisoned", "delivery", id)
	return why, h.Notify.Worker.GiveUp(ctx, id, why)
}

func deliveryOf(e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	return notify.ParseJob(body)
}

// publicAddress returns the address to which messages lead. For an administrator it lists addresses
// of the machine, to choose from.
func (h *changeHandlers) publicAddress(ctx context.Context, _ api.None) (api.PublicAddress, error) {
	out, err := h.Notify.PublicAddress(ctx)
	if wire.MayCall(ctx, api.SavePublicAddress.Endpoint) != nil {
		out.Machine = nil
	}
	return out, err
}

func (h *changeHandlers) savePublicAddress(ctx context.Context, q api.PublicAddressRequest) (api.PublicAddress, error) {
	return h.Notify.SavePublicAddress(ctx, q.URL, wire.CallerOf(ctx).Name)
}

func (h *changeHandlers) listMutes(ctx context.Context, q api.MuteQuery) (api.Mutes, error) {
	return h.Notify.Muted(ctx, q.ItemID)
}

// addMute mutes a page that is registered.
func (h *changeHandlers) addMute(ctx context.Context, q api.MuteRequest) (api.Mute, error) {
	it, err := h.Items.Find(ctx, source.ID(q.ItemID))
	if err != nil {
		return api.Mute{}, wire.Field("itemId", err)
	}
	q.ItemID = string(it.ID)
	return h.Notify.Mute(ctx, q, notify.Page{URL: it.NormalizedSource, Title: it.Title})
}
