package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// call is what an invocation is answered with.
type call struct {
	*Services
	log     *slog.Logger
	metrics *telemetry.Metrics
	app     *server
}

// handler answers the requests of one route with a status and a body, or an error.
type handler struct {
	*api.Endpoint
	answer func(r *http.Request, v *call) (status int, body any, err error)
}

// on answers a route by a function of its types.
func on[Q, A any](route api.Route[Q, A], fn func(context.Context, *call, Q) (A, error)) handler {
	return onAny(route, func(ctx context.Context, v *call, q Q) (any, error) { return fn(ctx, v, q) })
}

// onAny answers a route by a function that has several kinds of answers: a [wire.Reply], a [wire.Writer], or one of the
// route's types.
func onAny[Q, A any](route api.Route[Q, A], fn func(context.Context, *call, Q) (any, error)) handler {
	return handler{route.Endpoint, func(r *http.Request, v *call) (int, any, error) {
		q, err := wire.Decode[Q](r, route.Endpoint)
		if err != nil {
			return 0, nil, err
		}
		body, err := fn(r.Context(), v, q)
		if other, ok := body.(wire.Reply); ok {
			return other.Status, other.Body, err
		}
		return route.Status, body, err
	}}
}

// routes are the handlers of all routes of the API.
func routes() []handler {
	return append(slices.Concat(notifications(), settingRoutes(), findingRoutes()), []handler{
		onAny(api.AddURL, addURL),
		onAny(api.AddFile, addFile),
		on(api.ReindexItem, reindex),
		on(api.ListItems, items),
		{api.GetItem.Endpoint, item},
		on(api.RemoveItem, remove),
		on(api.ListCaptures, captures),
		on(api.ListEdges, edges),
		on(api.ListChunks, chunks),
		on(api.ListImages, images),
		onAny(api.GetCapture, capture),
		on(api.GetStatus, status),
		on(api.GetHost, host),
		on(api.ListChanges, changes),
		{api.ChangesAtom.Endpoint, changesAtom},
		{api.ChangesJSON.Endpoint, changesJSONFeed},
		on(api.GetDiff, diff),
		on(api.GetReader, reader),
		on(api.SaveReader, saveReader),
		on(api.MarkRead, markRead),
		on(api.IgnoreLines, ignoreLines),
		on(api.AcceptWatch, acceptWatch),
		onAny(api.NormalizeTelegram, normalizeTelegram),
		onAny(api.NormalizeEmail, normalizeEmail),
		onAny(api.NormalizeWebpage, normalizeWebpage),
		{api.InsertEntry.Endpoint, insertEntry},
		{api.UpdateEntry.Endpoint, updateEntry},
		onAny(api.ListEntries, listEntries),
		onAny(api.GetEntry, showEntry),
		on(api.ListPolicies, policies),
		on(api.SavePolicy, savePolicy),
		on(api.GetTestMode, testMode),
		{api.SetTestMode.Endpoint, setTestMode},
		on(api.ToggleTestMode, toggleTestMode),
		onAny(api.ExportItems, exportItems),
		onAny(api.ExportChanges, exportChanges),
		on(api.Enrich, enrichOne),
		on(api.StartEnrichBatch, enrichMany),
		on(api.ListEnrichBatches, enrichBatches),
		on(api.GetEnrichBatch, enrichBatch),
		on(api.CancelEnrichBatch, cancelEnrichBatch),
		{api.GetHealth.Endpoint, checkHealth},
		on(api.GetConfig, config),
		on(api.ListKeys, listKeys),
		onAny(api.AddKey, addKey),
		on(api.RemoveKey, removeKey),
		onAny(api.GetMetrics, metrics),
		on(api.GetActivity, lastHours),
		onAny(api.GetOpenAPI, openAPI),
		onAny(api.GetDocs, docs),
	}...)
}

// findingRoutes are those by which people and models find and read.
func findingRoutes() []handler {
	return []handler{
		on(api.SearchByGet, searchFor),
		on(api.Search, searchFor),
		on(api.Suggest, suggest),
		on(api.Retrieve, retrieve),
		onAny(api.GetText, pageText),
		{api.CallTool.Endpoint, tools},
	}
}

// notifications are those on who is told of changes.
func notifications() []handler {
	return []handler{
		on(api.ExplainChange, explainChange),
		on(api.ListRules, listRules),
		on(api.AddRule, addRule),
		on(api.GetRule, getRule),
		on(api.SaveRule, saveRule),
		on(api.RemoveRule, removeRule),
		on(api.PreviewRule, previewRule),
		on(api.TestRule, testRule),
		on(api.ListChannels, listChannels),
		onAny(api.AddChannel, addChannel),
		onAny(api.SaveChannel, saveChannel),
		on(api.RemoveChannel, removeChannel),
		on(api.TestChannel, testChannel),
		on(api.ListDeliveries, listDeliveries),
		on(api.RetryDelivery, retryDelivery),
	}
}

// settingRoutes are those by which people say what is done with items.
func settingRoutes() []handler {
	return []handler{
		{api.PatchItem.Endpoint, patchItem},
		on(api.ListTags, listTags),
		on(api.SaveTag, saveTag),
		on(api.GetTag, getTag),
		{api.PatchTag.Endpoint, patchTag},
		on(api.RemoveTag, removeTag),
	}
}
