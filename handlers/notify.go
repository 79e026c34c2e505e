package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
)

func listRules(ctx context.Context, v *call, _ api.None) (api.Rules, error) {
	return v.Notify.Rules(ctx)
}

func addRule(ctx context.Context, v *call, q api.RuleSpec) (api.Rule, error) {
	return v.Notify.SaveRule(ctx, "", q)
}

func getRule(ctx context.Context, v *call, q api.RuleID) (api.Rule, error) {
	return v.Notify.Rule(ctx, q.ID)
}

func saveRule(ctx context.Context, v *call, q api.RuleUpdate) (api.Rule, error) {
	return v.Notify.SaveRule(ctx, q.ID, q.RuleSpec)
}

func removeRule(ctx context.Context, v *call, q api.RuleID) (api.Rule, error) {
	return v.Notify.RemoveRule(ctx, q.ID)
}

func previewRule(ctx context.Context, v *call, q api.RuleSpec) (api.RuleTest, error) {
	return v.Notify.PreviewRule(ctx, q)
}

func testRule(ctx context.Context, v *call, q api.RuleID) (api.RuleTest, error) {
	return v.Notify.TestRule(ctx, q.ID)
}

func listChannels(ctx context.Context, v *call, _ api.None) (api.Channels, error) {
	return v.Notify.Channels(ctx)
}

// addChannel makes one. Its answer may have a secret, which is shown this once.
func addChannel(ctx context.Context, v *call, q api.ChannelSpec) (any, error) {
	c, err := v.Notify.SaveChannel(ctx, q, true)
	return wire.Unkept{Body: c}, err
}

func saveChannel(ctx context.Context, v *call, q api.ChannelUpdate) (any, error) {
	c, err := v.Notify.SaveChannel(ctx, api.ChannelSpec(q), false)
	return wire.Unkept{Body: c}, err
}

func removeChannel(ctx context.Context, v *call, q api.ChannelName) (api.Channel, error) {
	return v.Notify.RemoveChannel(ctx, q.Name)
}

func testChannel(ctx context.Context, v *call, q api.ChannelName) (api.ReceiverAnswer, error) {
	return v.Notify.TestChannel(ctx, q.Name)
}

func listDeliveries(ctx context.Context, v *call, q api.DeliveryQuery) (api.DeliveryPage, error) {
	return v.Notify.Worker.Deliveries(ctx, q)
}

func retryDelivery(ctx context.Context, v *call, q api.DeliveryID) (api.Delivery, error) {
	return v.Notify.Worker.Retry(ctx, q.ID)
}

func explainChange(ctx context.Context, v *call, q api.ChangeID) (api.ChangeWhy, error) {
	return v.Notify.Follower.Why(ctx, q.ID)
}

// followChanges decides who is told of what is new. It is CrawlTimer's: a timer of its own would cost as much again
// while nothing happens.
func followChanges(v *call) func(ctx context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		report, err := v.Notify.Follower.Follow(ctx)
		if report.Deliveries+report.Resent > 0 {
			v.log.InfoContext(ctx, "changes followed", "looked", report.Looked, "deliveries", report.Deliveries,
				"resent", report.Resent)
		}
		return report.Resent, err
	}
}

// deliveryWorker sends a message to a receiver.
func deliveryWorker(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	id, err := deliveryOf(e)
	if err != nil {
		return "", err
	}
	report, err := v.Notify.Worker.Deliver(ctx, id)
	if err != nil {
		err = wire.Kept(err)
	}
	return report, err
}

// deliveryPoison records that a message could not be worked on, however often it was tried.
func deliveryPoison(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	id, err := deliveryOf(e)
	if err != nil {
		return "", err
	}
	why := "it could not be worked on, however often it was tried; see the app's log"
	v.log.ErrorContext(ctx, "delivery poisoned", "delivery", id)
	return why, v.Notify.Worker.GiveUp(ctx, id, why)
}

func deliveryOf(e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	return notify.ParseJob(body)
}
