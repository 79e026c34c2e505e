package wire

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// Rebuild returns a rebuild as a type of the API, with the number of items that the rebuild still has to index.
func Rebuild(run rebuild.Run, left int) api.Rebuild {
	out := api.Rebuild{
		ID: run.ID, Status: string(run.State), Host: run.Host, Force: run.Force, Refetch: run.Refetch, Audit: run.Audit,
		Reason: run.Reason,
		Items:  run.Items, Marked: run.Marked, Left: left, Indexed: run.Indexed, KeptOut: run.KeptOut, Failed: run.Failed,
		StartedAt: run.StartedAt, UpdatedAt: run.UpdatedAt, EndedAt: run.EndedAt, Removed: run.Removed, Entries: run.Entries,
		Mended: run.Mended,
	}
	out.Findings = Each(run.Findings, func(f rebuild.Finding) api.Finding { return api.Finding(f) })
	if n := run.Collisions; n.Chunks > 0 {
		out.Collisions = (*api.Collisions)(&n)
	}
	return out
}

// MigrationState returns the API's name for the state of a migration.
func MigrationState(st migrate.Status) string {
	switch {
	case st.Running:
		return api.MigrationRunning
	case len(st.Needs) > 0:
		return api.MigrationNeeded
	default:
		return api.MigrationCurrent
	}
}
