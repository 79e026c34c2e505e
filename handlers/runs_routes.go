package handlers

import (
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// Routes returns the routes of the area.
func (h *runHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.StartRebuild, h.rebuildStart),
		wire.On(api.GetRebuild, h.rebuildState),
		wire.On(api.StartMigration, h.migrateStart),
		wire.On(api.GetMigration, h.migrateState),
		wire.On(api.StartBulk, h.bulkStart),
		wire.Named(api.GetBulk, wire.Shown(h.Bulk.Get, bulkJSON)),
		wire.On(api.StartBackfill, h.backfillStart),
		wire.On(api.ListBackfills, h.backfillRuns),
		wire.Named(api.GetBackfill, wire.Shown(h.Backfill.Get, h.runJSON)),
		wire.Named(api.ResumeBackfill, wire.Shown(h.Backfill.Resume, h.runJSON)),
		wire.Named(api.PauseBackfill, wire.Shown(h.Backfill.Pause, h.runJSON)),
		wire.Named(api.CancelBackfill, wire.Shown(h.Backfill.Cancel, h.runJSON)),
		wire.On(api.ListBackfillSites, h.backfillSites),
		wire.On(api.ListSites, h.sites),
		wire.On(api.AddSite, h.addSite),
		wire.On(api.PatchSite, h.patchSite),
		wire.On(api.RemoveSite, h.removeSite),
		wire.On(api.GetSite, h.getSite),
		wire.Named(api.PollSite, wire.Shown(h.Polls.PollNow, siteJSON)),
		wire.OnAny(api.IndexNow, h.indexNow),
		wire.OnAny(api.IndexNowURL, h.indexNowOne),
		wire.OnAny(api.ImportMbox, h.importMbox),
		wire.On(api.ListImports, h.importList),
		wire.Named(api.GetImport, wire.Shown(h.Mails.Get, importJSON)),
		{Endpoint: api.ImportList.Endpoint, Answer: h.importAddresses},
		wire.Named(api.GetListImport, wire.Shown(h.Lists.Get, listImportJSON)),
	}
}

// Triggers returns the triggers of the area.
func (h *runHandlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{
		"RebuildWorker":  wire.Step(h.Rebuilds.Step),
		"BulkWorker":     wire.Step(h.Bulk.Step),
		"BackfillWorker": wire.Step(h.Backfill.Step),
		"BackfillPoison": h.backfillPoison,
		"SentinelTimer":  h.sentinelTimer,
		"SentinelWorker": wire.Step(h.Polls.Step),
		"MboxWorker":     wire.Step(h.importStep),
	}
}
