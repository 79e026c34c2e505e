package runs

import (
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// Routes returns the routes of the area.
func (h *Handlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.StartRebuild, h.rebuildStart),
		wire.On(api.GetRebuild, h.rebuildState),
		wire.On(api.StartMigration, h.migrateStart),
		wire.On(api.GetMigration, h.migrateState),
		wire.On(api.StartBulk, h.bulkStart),
		wire.On(api.GetBulk, h.bulkState),
		wire.On(api.StartBackfill, h.backfillStart),
		wire.On(api.ListBackfills, h.backfillRuns),
		wire.On(api.GetBackfill, h.withRun(h.Backfill.Get)),
		wire.On(api.ResumeBackfill, h.withRun(h.Backfill.Resume)),
		wire.On(api.PauseBackfill, h.withRun(h.Backfill.Pause)),
		wire.On(api.CancelBackfill, h.withRun(h.Backfill.Cancel)),
		wire.On(api.ListBackfillSites, h.backfillSites),
		wire.On(api.ListSites, h.sites),
		wire.On(api.AddSite, h.addSite),
		wire.On(api.PatchSite, h.patchSite),
		wire.On(api.RemoveSite, h.removeSite),
		wire.On(api.GetSite, h.getSite),
		wire.On(api.PollSite, withSite(h.Polls.PollNow)),
		wire.OnAny(api.IndexNow, h.indexNow),
		wire.OnAny(api.IndexNowURL, h.indexNowOne),
		wire.OnAny(api.ImportMbox, h.importMbox),
		wire.On(api.ListImports, h.importList),
		wire.On(api.GetImport, h.importState),
		{Endpoint: api.ImportList.Endpoint, Answer: h.importAddresses},
		wire.On(api.GetListImport, h.listImport),
	}
}

// Triggers returns the triggers of the area.
func (h *Handlers) Triggers() map[string]wire.Trigger {
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
