package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run/migrate"
)

// migrateStart begins a migration and does what it can of it at once; the timer goes on.
func migrateStart(ctx context.Context, v *call, req api.MigrationRequest) (api.Migration, error) {
	if _, err := v.Migrate.Start(ctx, req.DryRun); err != nil {
		return api.Migration{}, err
	}
	if _, err := v.Migrate.Advance(ctx); err != nil {
		v.log.WarnContext(ctx, "migration interrupted; the timer goes on", "err", err)
	}
	return migrateState(ctx, v, api.None{})
}

// migrateState tells how far it is.
func migrateState(ctx context.Context, v *call, _ api.None) (api.Migration, error) {
	st, err := v.Migrate.Get(ctx)
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
