package ui

import (
	"html/template"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// views are the pages and forms of the dashboard, by pattern.
var views = map[string]view{
	// What has changed, who was told of it, and the forms that add pages and sites.
	"GET /{$}":          (*visit).changes,
	"GET /changes/{id}": (*visit).change,
	"POST /read":        (*visit).markRead,
	"POST /filters":     (*visit).saveFilter,
	"POST /undo":        (*visit).undo,
	"GET /add":          (*visit).adding,
	"POST /add":         (*visit).add,
	"GET /import":       (*visit).importForm,
	"POST /import":      (*visit).importList,
	"GET /import/{id}":  (*visit).listImport,

	// The pages that are watched, each with its past and its settings.
	"GET /items":                             (*visit).items,
	"GET /items/bulk":                        (*visit).bulk,
	"POST /items/bulk":                       (*visit).startBulk,
	"GET /items/{id}":                        (*visit).item,
	"POST /items/{id}":                       (*visit).act,
	"GET /items/{id}/experts":                (*visit).experts,
	"POST /items/{id}/memory":                (*visit).remember,
	"GET /items/{id}/settings":               (*visit).itemSettings,
	"GET /items/{id}/stop":                   (*visit).stop,
	"GET /items/{id}/diff":                   (*visit).diff,
	"GET /items/{id}/rendered":               (*visit).rendered,
	"GET /items/{id}/read":                   (*visit).reading,
	"GET /items/{id}/captures/{sha256}/read": (*visit).reading,
	"GET /items/{id}/images":                 (*visit).images,
	"GET /items/{id}/pick":                   (*visit).pick,
	"POST /items/{id}/pick":                  (*visit).savePicked,
	"GET /items/{id}/ignore":                 (*visit).patterns,
	"POST /items/{id}/ignore":                (*visit).ignore,
	"GET /items/{id}/fields/{name...}":       (*visit).field,
	"GET /tags":                              (*visit).tags,
	"GET /tags/{tag}":                        (*visit).tag,
	"POST /tags/{tag}":                       (*visit).actTag,

	// The search and the documentation.
	"GET /search":      (*visit).search,
	"GET /help":        (*visit).help,
	"GET /help/{page}": (*visit).help,

	// Alerts: which changes are told to whom, and what became of each message.
	"GET /tell":                           (*visit).tell,
	"POST /tell":                          (*visit).told,
	"POST /mute":                          (*visit).mute,
	"GET /notifications":                  (*visit).alerts,
	"POST /notifications":                 (*visit).actNotifications,
	"GET /notifications/messages":         (*visit).messages,
	"GET /notifications/new-rule":         (*visit).newRule,
	"GET /notifications/rules/{id}":       (*visit).rule,
	"POST /notifications/rules/{id}":      (*visit).actRule,
	"GET /notifications/channels":         (*visit).channels,
	"GET /notifications/new-channel":      (*visit).newChannel,
	"POST /notifications/new-channel":     (*visit).saveChannel,
	"GET /notifications/channels/{name}":  (*visit).channel,
	"POST /notifications/channels/{name}": (*visit).saveChannel,
	"GET /notifications/address":          (*visit).address,
	"POST /notifications/address":         (*visit).saveAddress,

	// Whole sites, how politely they are read, and the runs that find their pages.
	"GET /hosts":                  (*visit).hosts,
	"GET /hosts/{host}":           (*visit).host,
	"POST /sites":                 (*visit).addSite,
	"GET /sites/{slug}":           (*visit).site,
	"POST /sites/{slug}":          (*visit).actSite,
	"GET /sites/{slug}/settings":  (*visit).siteSettings,
	"POST /sites/{slug}/settings": (*visit).saveSite,
	"GET /backfill":               (*visit).backfill,
	"POST /backfill":              (*visit).startBackfill,
	"GET /backfill/{id}":          (*visit).run,
	"POST /backfill/{id}":         (*visit).actRun,

	// What other programs push in.
	"GET /entries":               (*visit).entries,
	"GET /entries/{id}":          (*visit).entry,
	"POST /entries/{id}":         (*visit).actEntry,
	"GET /entries/batches":       (*visit).batches,
	"GET /entries/batches/{id}":  (*visit).batch,
	"POST /entries/batches/{id}": (*visit).actBatch,
	"GET /entries/imports":       (*visit).imports,
	"GET /entries/imports/{id}":  (*visit).mailbox,

	// Tidemark itself: what a person must solve, the work in progress, the index and the keys.
	"GET /attention":  (*visit).attention,
	"GET /failures":   (*visit).failures,
	"GET /machine":    (*visit).machine,
	"GET /index":      (*visit).index,
	"POST /index":     (*visit).startRebuild,
	"GET /index/run":  (*visit).rebuild,
	"GET /settings":   (*visit).serverSettings,
	"POST /settings":  (*visit).changeSetting,
	"GET /keys":       (*visit).keys,
	"POST /keys":      (*visit).changeKeys,
	"POST /test-mode": (*visit).setTestMode,
}

// funcs are the functions that templates may call.
var funcs = template.FuncMap{
	"add":     func(a, b int) int { return a + b },
	"int":     func(n int64) int { return int(n) },
	"of":      func(items map[api.Status]int, s api.Status) int { return items[s] },
	"periods": func() []plotPeriod { return periods },
	"muteSpans": func() []choice {
		return choices("day", "Mute a day", "week", "Mute a week", "always", "Mute until I end it")
	},
	"changeTypes": func() []string { return []string{"url", "file", "entry"} },

	"fieldWord": field.Word, "sentence": sentence, "capital": capital,
	"plain": plain, "said": fieldMessage, "ago": words.Ago, "stamp": words.Stamp, "iso": iso,
	"rfc3339": rfc3339, "at": at, "dayName": dayName, "bytes": words.Size, "thousands": words.Thousands,
	"atLeast": words.AtLeast,
	"count":   words.Count, "percent": words.Percent, "known": known, "icon": icon, "choose": choose, "dash": dash,
	"short": short, "some": some, "external": external, "address": api.Address, "since": since,
	"statuses": api.Statuses, "meaning": meaning, "tone": tone, "stateTone": stateTone, "kindWord": kindWord,
	"changeTitle": changeTitle, "whyBeside": whyBeside, "changeExtent": letter.Extent,
	"tableNote": letter.TableNote, "whyShown": whyShown, "name": itemTitle, "sourceOf": itemSource,
	"entryTitle": entryTitle, "importBar": importBar, "listBar": listBar, "shownLines": letter.Lines,
	"headline": headlineOf, "isProblem": isProblem, "kindChoices": kindChoices, "cellSpans": letter.CellSpans,
	"besides": besides, "blocks": blocks, "bulkBar": bulkBar, "bulkName": bulkName, "changeRate": changeRate,
	"facts": facts, "foundText": foundText, "patternWords": patternWords, "fieldGroups": fieldGroupsOf,
	"fieldPath": fieldPath, "csvPath": csvPath, "nowOf": now, "wrongWith": wrongWith, "sourceWord": sourceWord,
	"valueName": valueName, "remedyHead": newRemedyHead, "keepWords": keepWords, "nextOf": nextOf, "reason": reasonOf,
	"ruleTone": ruleTone, "sent": form.Sent, "operators": operators, "part": part, "partWords": partWords,
	"ignoredWords": ignoredWords, "addressRefused": addressRefused,
	"alertOf": alertOf, "alertWhy": alertWhy, "alertAsks": alertAsks, "channelIcon": channelIcon,
	"references": references, "comparisons": comparisons, "checkedEvery": checkedEvery, "wayWord": wayWord,
	"proposals": proposals, "told": toldOf, "everyWords": everyWords, "effective": effectiveWatch,
	"weekday": weekday, "channelKind": channelKind, "services": services, "anyFilled": anyFilled,
	"inputMode": inputMode, "found": foundAs, "marked": marked, "foundAt": foundAt, "foundByRun": foundByRun,
	"siteForm": siteForm, "siteInputs": form.Inputs[api.SiteRequest], "siteWords": form.Line[api.SiteSettings],
	"verdict": verdict, "phase": phase, "rebuildBar": rebuildBar, "rebuildName": rebuildName,
}
