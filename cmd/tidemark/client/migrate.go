package client

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const migrateLong = `Convert what is stored to the present rules after a change of
TRACKING_PARAM_PREFIXES. A newer version of Tidemark does this by itself when it
first starts.

Sources whose addresses become equal are merged into one. This cannot be undone, so
use --dry-run first. Captures do not change, and are listed with the source that
remains; the old ids lead to that source.

The server does the work; --wait waits until it is done.`

const migrateExample = `  tidemark migrate --dry-run
  tidemark migrate --wait`

func migrateCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var req api.MigrationRequest
	var wait bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "migrate",
		Short:   "Convert what is stored to the present rules for URLs",
		Long:    migrateLong,
		Example: migrateExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMigration(cmd.Context(), t, s, req, wait || req.DryRun, interval)
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "change nothing, and show what would change")
	command.WaitFlags(cmd.Flags(), &wait, &interval)
	return cmd
}

func runMigration(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.MigrationRequest, wait bool,
	interval time.Duration) error {
	if err := command.CheckInterval(interval); err != nil {
		return err
	}
	m, err := api.StartMigration.Call(ctx, s.Client(), req)
	if err != nil {
		return err
	}
	say := t.OnChange()
	return terminal.Follow(ctx, t, interval, terminal.After(m, func() (api.Migration, error) {
		return api.GetMigration.Call(ctx, s.Client(), api.None{})
	}), func(m api.Migration) bool {
		say(migrationText(m))
		return m.Status != api.MigrationRunning || !wait
	})
}

// migrationText describes the state of a migration in words.
func migrationText(m api.Migration) string {
	changed, left := "changed", "goes on"
	if m.DryRun {
		changed = "to be changed"
	}
	if m.Status != api.MigrationRunning {
		left = "done"
	}
	var counts []string
	for _, step := range m.Steps {
		counts = append(counts, fmt.Sprintf("%s of %s %s %s", words.Thousands(step.Changed), words.Thousands(step.Seen),
			terminal.Clean(step.Name), changed))
	}
	text := left + ": " + strings.Join(counts, ", ")
	if m.Status == api.MigrationRunning {
		return text
	}
	for _, step := range m.Steps {
		for _, example := range step.Examples {
			text += "\n  " + terminal.Clean(example)
		}
	}
	return text
}
