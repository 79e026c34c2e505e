package ui

import (
	"html/template"
	"time"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// This file is the part of the dashboard about items. It has the list of items with its bulk actions, the page of
// an item with its past, the differences between two versions, and the settings of items and tags.

// itemsFuncs are the functions that the templates of this part call.
var itemsFuncs = template.FuncMap{
	"besides": besides, "blocks": blocks, "bulkBar": bulkBar, "bulkName": bulkName, "changeRate": changeRate,
	"extent":       extent,
	"facts":        facts,
	"sharePercent": sharePercent, "aroundWord": aroundWord,
	"fieldGroups": fieldGroupsOf, "fieldPath": fieldPath, "csvPath": csvPath,
	"newRulePath": newRulePath, "sourceWord": sourceWord,
}

// itemsViews returns the pages of this part and the actions of their forms, by pattern.
func itemsViews(client *api.Client, clock func() time.Time) map[string]frame.View {
	a := itemsArea{client, clock}
	return map[string]frame.View{
		"GET /items":                       a.items,
		"GET /items/bulk":                  a.bulk,
		"GET /items/{id}":                  a.item,
		"GET /items/{id}/settings":         a.settings,
		"GET /items/{id}/stop":             a.stop,
		"GET /items/{id}/diff":             a.diff,
		"GET /items/{id}/images":           a.images,
		"GET /items/{id}/pick":             a.pick,
		"GET /items/{id}/ignore":           a.patterns,
		"GET /items/{id}/fields/{name...}": a.field,
		"GET /tags":                        a.tags,
		"GET /tags/{tag}":                  a.tag,

		"POST /items/bulk":          a.startBulk,
		"POST /items/{id}":          a.act,
		"POST /items/{id}/settings": a.saveSettings,
		"POST /items/{id}/ignore":   a.ignore,
		"POST /items/{id}/pick":     a.savePicked,
		"POST /tags/{tag}":          a.actTag,
	}
}
