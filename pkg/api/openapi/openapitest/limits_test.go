package openapitest

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/generations"
)

const (
	itemID = "^(url|file)_[a-z2-7]{26}$"
	digest = "^[0-9a-f]{64}$"
)

func atMost(n int) openapi.Schema { return openapi.Schema{MaxItems: n} }

func batchOf(n int) openapi.Schema { return openapi.Schema{MinItems: 1, MaxItems: n} }

func among[T ~string](values ...T) openapi.Schema {
	var out openapi.Schema
	for _, v := range values {
		out.Enum = append(out.Enum, string(v))
	}
	return out
}

func pattern(p string) openapi.Schema { return openapi.Schema{Pattern: p} }

// nullable returns the schema of a value that may be null, although its Go type does not say so.
func nullable(kind string) openapi.Schema { return openapi.Schema{Type: openapi.Types{kind, "null"}} }

// limits are the bounds that Go types do not express, by the name of the type or by type and JSON field.
var limits = map[string]openapi.Schema{
	"Status":     among(api.Statuses()...),
	"TelegramID": {AnyOf: []*openapi.Schema{{Type: openapi.Types{"string"}}, {Type: openapi.Types{"integer"}}}},
	"Constant":   {AnyOf: []*openapi.Schema{{Type: openapi.Types{"string"}}, {Type: openapi.Types{"number"}}}},

	"Condition.op":      among(condition.Ops...),
	"Condition.unit":    among(condition.Absolute, condition.Percent),
	"Condition.against": among(condition.References...),

	"AddURLRequest.urls":   batchOf(api.MaxBatch),
	"AddFileRequest.paths": batchOf(api.MaxBatch),
	"Item.id":              pattern(itemID),
	"SchemaName.name":      among("rules", "sites"),
	"Scope":                among(api.Scopes...),
	"Key.origin":           among(keys.Added, keys.File, keys.Environment),
	"NewKey.origin":        among(keys.Added, keys.File, keys.Environment),
	"ChannelSettings.kind": among(notify.Kinds()...),
	"ChannelTest.kind":     among(notify.Kinds()...),
	"Channel.origin":       among(notify.Here, notify.FromFile),
	"Rule.origin":          among(notify.Here, notify.FromFile),
	"Delivery.state":       among(notify.Waiting, notify.Sent, notify.Failed),
	"DeliveryQuery.state":  among(notify.Waiting, notify.Sent, notify.Failed),
	"EventType":            among(api.EventChange, api.EventDigest, api.EventTest, api.EventCannot),
	"RuleHereState":        among(api.RuleWaits, api.RuleMuted, api.RuleOff, api.RuleCannot),
	"OutcomeState": among(api.OutcomeSent, api.OutcomeGathered, api.OutcomeMuted, api.OutcomeSilenced, api.OutcomeSmall,
		api.OutcomeNotMet, api.OutcomeCannot, api.OutcomeFailed, api.OutcomeOff),
	"Item.type":           among(api.TypeURL, api.TypeFile),
	"Item.errorMessage":   {MaxLength: 1024},
	"ItemDetail.captures": atMost(api.MaxPast),
	"ItemDetail.lineage":  atMost(api.MaxPast),
	"Capture.sha256":      pattern(digest),
	"SearchRequest.q":     {MaxLength: search.MaxQueryRunes},
	"Rebuild.status": among(api.RebuildMarking, api.RebuildClearing, api.RebuildIndexing, api.RebuildCounting,
		api.RebuildDone),
	"Rebuild.findings": atMost(50),
	"GenerationState": among(api.GenerationBuilding, api.GenerationWhole, api.GenerationCurrent,
		api.GenerationPrevious),
	"Generation.by":          among(generations.BySettings, generations.ByPerson),
	"CompareRequest.queries": batchOf(api.MaxCompared),
	"Collisions.files":       atMost(50),
	"Migration.status":       among(api.MigrationCurrent, api.MigrationNeeded, api.MigrationRunning),
	"ItemDetail.formerIds":   atMost(api.MaxFormers),

	"ItemID.id":        pattern(itemID),
	"CaptureQuery.id":  pattern(itemID),
	"EdgeQuery.id":     pattern(itemID),
	"CaptureID.id":     pattern(itemID),
	"CaptureID.sha256": pattern(digest),

	"TelegramRequest.content_type":    among("thought", "note", "link"),
	"EmailRequest.content_type":       among("newsletter", "correspondence_thread"),
	"EntryBatch.items":                batchOf(api.MaxBatch),
	"EntryBatchResult.results":        batchOf(api.MaxBatch),
	"EntryResult.action":              among(api.ActionInserted, api.ActionSkipped, api.ActionUpdated),
	"Entry.idempotency_policy_key":    nullable("string"),
	"Entry.idempotency_key_primary":   nullable("string"),
	"Entry.idempotency_key_secondary": nullable("string"),
	"Policy.conflict_action":          among(entries.Skip, entries.Change),
	"Policy.update_fields":            nullable("array"),

	"BackfillRequest.sources": batchOf(backfill.MaxSources),
	"BackfillRun.mode":        among(backfill.Modes...),
	"BackfillRun.status": among(api.BackfillPending, api.BackfillRunning, api.BackfillPaused,
		api.BackfillCompleted, api.BackfillFailed, api.BackfillCancelled),
	"BackfillRun.errorLog": atMost(backfill.MaxErrors),
	"BackfillProgress.state": among(backfill.SourceWaiting, backfill.SourceRunning, backfill.SourceDone,
		backfill.SourceFailed),
	"BackfillSite.modes": {MaxItems: 4},

	"Look.kind":               among(sitepoll.Full, sitepoll.Feeds),
	"Look.problems":           atMost(sitepoll.MaxProblems),
	"IndexNowRequest.urlList": batchOf(sitepoll.MaxPushed),
	"SiteChoice.kind":         among(sitepoll.OfferFeed, sitepoll.OfferListing, "follow"),

	"ImportRequest.batch_size":        number(mailimport.DefaultBatch, mailimport.MinBatch, mailimport.MaxBatch),
	"ImportRequest.insert_chunk_size": number(mailimport.DefaultChunk, 1, mailimport.MaxChunk),
	"ImportRequest.completion_window": among(mailimport.Window),
	"Import.status":                   among(api.ImportReading, api.ImportEnqueueing, api.ImportDone, api.ImportFailed),
	"Import.schema":                   among(enrich.Schemas()...),
	"Import.failures":                 atMost(mailimport.MaxFailures),

	"EnrichBatchRequest.entry_ids": batchOf(enrich.MaxLines),
	"EnrichQuery.schema":           among(enrich.Schemas()...),
	"EnrichBatch.schema":           among(enrich.Schemas()...),
	"EnrichBatch.status":           among(enrich.Queued, enrich.Sending, enrich.Running, enrich.Done),
	"EnrichBatches.batches":        atMost(enrich.MaxList),
	"EnrichLine.outcome": among(enrich.Waiting, enrich.Written, enrich.Skipped, enrich.Fruitless,
		enrich.Cancelled, enrich.Again),
}

// limit adds the bounds of a name to its schema.
func limit(s *openapi.Schema, name string) {
	l := limits[name]
	if l.Type != nil {
		s.Type = l.Type
	}
	if l.AnyOf != nil {
		s.Type, s.AnyOf = nil, l.AnyOf
	}
	if l.Default != nil {
		s.Default = l.Default
	}
	if l.Minimum != nil {
		s.Minimum, s.Maximum = l.Minimum, l.Maximum
	}
	if l.Enum != nil {
		s.Enum = l.Enum
	}
	if l.MaxItems != 0 {
		s.MinItems, s.MaxItems = l.MinItems, l.MaxItems
	}
	s.Pattern, s.MaxLength = l.Pattern, l.MaxLength
}
