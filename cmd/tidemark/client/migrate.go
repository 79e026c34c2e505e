package client

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const migrateHelp = `migrate
Convert what is stored to the present rules for URLs

Convert what is stored to the present rules after a change of
TRACKING_PARAM_PREFIXES. A newer version of Tidemark does this by itself when it
first starts.

Sources whose addresses become equal are merged into one. This cannot be undone, so
use --dry-run first. Captures do not change, and are listed with the source that
remains; the old ids lead to that source.

The server does the work; --wait waits until it is done.

  tidemark migrate --dry-run
  tidemark migrate --wait`

func migrateCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var req api.MigrationRequest
	var w command.Waiting
	cmd := command.New(migrateHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		say := t.OnChange()
		poll := func(c *api.Client, _ api.Migration) (api.Migration, error) {
			return api.GetMigration.Call(ctx, c, api.None{})
		}
		return follow(ctx, t, s, w.Interval, api.StartMigration, req, poll, func(m api.Migration) bool {
			say(migrationText(m))
			return m.Status != api.MigrationRunning || !w.Wait && !req.DryRun
		})
	})
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "change nothing, and show what would change")
	w.Flags(cmd.Flags())
	return cmd
}

// migrationText describes the state of a migration in words.
func migrationText(m api.Migration) string {
	changed := "changed"
	if m.DryRun {
		changed = "to be changed"
	}
	var counts []string
	examples := ""
	for _, step := range m.Steps {
		counts = append(counts, fmt.Sprintf("%s of %s %s %s", words.Thousands(step.Changed), words.Thousands(step.Seen),
			terminal.Clean(step.Name), changed))
		for _, example := range step.Examples {
			examples += "\n  " + terminal.Clean(example)
		}
	}
	if m.Status == api.MigrationRunning {
		return "goes on: " + strings.Join(counts, ", ")
	}
	return "done: " + strings.Join(counts, ", ") + examples
}
