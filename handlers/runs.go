package handlers

import (
	"context"
	"log/slog"
	"slices"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// runHandlers answer requests for work that takes longer than one call: rebuilds, migrations, bulk runs, backfills,
// polls of sites, and imports of mails and of addresses. It also receives the messages that continue this work.
type runHandlers struct {
	Rebuilds *rebuild.Service
	Bulk     *bulk.Service
	Migrate  *migrate.Service
	Backfill *backfill.Service
	Polls    *sitepoll.Service
	Schemes  *fetch.SchemeGuesser // nil in some tests
	Mails    *mailimport.Service
	Lists    *listimport.Service
	Lookup   *registry.Lookup
	Log      *slog.Logger
}

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

// rebuildStart starts a run that indexes many items again.
func (h *runHandlers) rebuildStart(ctx context.Context, req api.RebuildRequest) (out api.Rebuild, err error) {
	if req.Audit && (req.Force || req.Refetch) {
		return out, fault.Field("audit", "audit repairs what differs, from the kept captures: leave force and refetch out")
	}
	scope := rebuild.Scope{Force: req.Force, Refetch: req.Refetch, Audit: req.Audit}
	if req.Scope != nil {
		if req.Scope.Host == "" {
			return out, fault.Field("scope.host", "scope.host is missing: name a host, or leave scope out for everything")
		}
		if scope.Host, err = h.Lookup.Host("scope.host", req.Scope.Host); err != nil {
			return out, err
		}
	}
	run, err := h.Rebuilds.Start(ctx, scope)
	return rebuildJSON(run, 0), err
}

// rebuildState reports the progress of a rebuild.
func (h *runHandlers) rebuildState(ctx context.Context, q api.RebuildID) (out api.Rebuild, err error) {
	if q.ID == "" {
		return out, fault.Field("id", "id is missing: give that of a rebuild")
	}
	run, err := h.Rebuilds.Get(ctx, q.ID)
	if err != nil {
		return out, err
	}
	left, err := h.Rebuilds.Left(ctx, run)
	return rebuildJSON(run, left), err
}

// rebuildJSON returns a rebuild as a type of the API, with the number of items that the rebuild still has to index.
func rebuildJSON(run rebuild.Run, left int) api.Rebuild {
	out := api.Rebuild{
		ID: run.ID, Status: string(run.State), Host: run.Host, Force: run.Force, Refetch: run.Refetch, Audit: run.Audit,
		Reason: run.Reason,
		Items:  run.Items, Marked: run.Marked, Left: left, Indexed: run.Indexed, KeptOut: run.KeptOut, Failed: run.Failed,
		StartedAt: run.StartedAt, UpdatedAt: run.UpdatedAt, EndedAt: run.EndedAt, Removed: run.Removed, Entries: run.Entries,
		Mended: run.Mended,
	}
	out.Findings = wire.Each(run.Findings, func(f rebuild.Finding) api.Finding { return api.Finding(f) })
	if n := run.Collisions; n.Chunks > 0 {
		out.Collisions = (*api.Collisions)(&n)
	}
	return out
}

// migrateStart starts a migration and does as much of it as fits into the request; the timer does the rest.
func (h *runHandlers) migrateStart(ctx context.Context, req api.MigrationRequest) (api.Migration, error) {
	if _, err := h.Migrate.Start(ctx, req.DryRun); err != nil {
		return api.Migration{}, err
	}
	if _, err := h.Migrate.Advance(ctx); err != nil {
		h.Log.WarnContext(ctx, "migration interrupted; the timer goes on", "err", err)
	}
	return h.migrateState(ctx, api.None{})
}

// migrateState reports the progress of a migration.
func (h *runHandlers) migrateState(ctx context.Context, _ api.None) (api.Migration, error) {
	st, err := h.Migrate.Get(ctx)
	return migrationJSON(st), err
}

func migrationJSON(st migrate.Status) api.Migration {
	out := api.Migration{Status: migrationState(st), DryRun: st.Dry, Reason: st.Reason, StartedAt: st.StartedAt,
		UpdatedAt: st.UpdatedAt, EndedAt: st.EndedAt}
	for _, p := range st.Parts {
		out.Steps = append(out.Steps, api.MigrationStep{Name: p.Step, Rules: p.Rules, Seen: p.Seen, Changed: p.Changed,
			Examples: p.Examples, Done: p.Done})
	}
	for _, n := range st.Needs {
		out.Needed = append(out.Needed, api.MigrationNeed{Name: n.Step, From: n.From, To: n.To})
	}
	return out
}

// migrationState returns the API's name for the state of a migration.
func migrationState(st migrate.Status) string {
	switch {
	case st.Running:
		return api.MigrationRunning
	case len(st.Needs) > 0:
		return api.MigrationNeeded
	default:
		return api.MigrationCurrent
	}
}

// bulkStart starts a run that applies one operation to many items.
func (h *runHandlers) bulkStart(ctx context.Context, q api.BulkRequest) (out api.BulkRun, err error) {
	ask := bulk.Ask{Op: bulk.Op(q.Op), IDs: q.IDs}
	if !slices.Contains(bulk.Ops, ask.Op) {
		return out, fault.Field("op", "op must be one of %v, not %.40q", bulk.Ops, q.Op)
	}
	if tagged := ask.Op == bulk.Tag || ask.Op == bulk.Untag; tagged {
		if ask.Tag, err = wire.TagName(q.Tag); err != nil {
			return out, fault.Field("tag", "tag: %w", err)
		}
	} else if q.Tag != "" {
		return out, fault.Field("tag", "%s takes no tag; to choose items by a tag, give filter.tag", q.Op)
	}
	if err := checkIDs(q); err != nil {
		return out, err
	}
	if q.Filter != nil {
		if ask.Filter, err = h.bulkFilter(*q.Filter); err != nil {
			return out, err
		}
	}
	run, err := h.Bulk.Start(ctx, ask)
	return bulkJSON(run), err
}

// checkIDs checks that a request selects items either by ids or by a filter, not by both.
func checkIDs(q api.BulkRequest) error {
	switch {
	case (q.IDs == nil) == (q.Filter == nil):
		return fault.Field("ids", "give ids or filter, one of them")
	case q.Filter != nil:
		return nil
	case len(q.IDs) == 0 || len(q.IDs) > bulk.MaxIDs:
		return fault.Field("ids", "ids has %d ids; allowed are 1 to %d", len(q.IDs), bulk.MaxIDs)
	}
	for _, id := range q.IDs {
		if _, _, err := source.ParseID(id); err != nil {
			return fault.Field("ids", "ids: %w", err)
		}
	}
	return nil
}

// bulkFilter reads a filter. A request that selects every item must say so explicitly.
func (h *runHandlers) bulkFilter(q api.ItemFilter) (registry.Filter, error) {
	f, err := h.Lookup.Filter(registry.Filter{Host: q.Host, Status: registry.Status(q.Status), Tag: q.Tag,
		Paused: q.Paused}, "filter.")
	if err == nil && f == (registry.Filter{}) && !q.All {
		err = fault.Field("filter", "filter names no host, status, tag or pause: give one, or all: true for all items")
	}
	return f, err
}

func bulkJSON(r bulk.Run) api.BulkRun {
	out := api.BulkRun{ID: r.ID, Op: string(r.Op), Tag: r.Tag, Status: r.State, Items: r.Items, Done: r.Done,
		Failed: r.Failed, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt, Undo: r.Undo,
		Errors: wire.Each(r.Errors, func(f bulk.Failure) api.BulkError { return api.BulkError(f) })}
	if r.Op != bulk.Check {
		return out
	}
	out.Check = &api.BulkCheck{AskedCheck: api.AskedCheck{State: "asked"}, Asked: r.Asked,
		Waits: wire.Each(r.Waits, func(w bulk.Waiting) api.BulkWait { return api.BulkWait(w) })}
	if len(r.Waits) > 0 {
		out.Check.AskedCheck = api.AskedCheck{State: "waits", Why: r.Waits[0].Why, Until: r.Waits[0].Until}
	}
	return out
}
