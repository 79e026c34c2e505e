package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run/migrate"
)

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
