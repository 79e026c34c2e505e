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
	return append(slices.Concat(settingRoutes(), findingRoutes()), []handler{
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
		on(api.GetDiff, diff),
		on(api.IgnoreLines, ignoreLines),
		on(api.AcceptWatch, acceptWatch),
		onAny(api.ExportItems, exportItems),
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
		onAny(api.GetText, pageText),
		{api.CallTool.Endpoint, tools},
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
