package client

import (
	"cmp"
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

const rebuildHelp = `rebuild
Index everything, or one host, again

Index everything again, after the index was lost, or after an update that reads pages
better.

Pages come from the stored copies, so no site is asked and no schedule changes. With
--refetch the sites are asked instead, at their usual pace. --force also asks for
pages that the index does not contain: pages that failed, are excluded or are gone.

The server does the work; --wait waits until it is done.

  tidemark rebuild --wait
  tidemark rebuild --host example.com --refetch`

func rebuildCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var req api.RebuildRequest
	cmd := runRebuild(t, s, rebuildHelp, &req)
	f := cmd.Flags()
	f.BoolVar(&req.Refetch, "refetch", false, "ask the sites instead of reading the kept copies")
	f.BoolVar(&req.Force, "force", false, "also ask for pages that the index does not contain")
	return cmd
}

const auditHelp = `audit
Compare the index with what it should contain, and repair it

Compare the index, page by page, with what it should contain, and repair the
differences from the stored copies. No site is asked. Without --host, pages whose
source is no longer registered are removed, too.

The server does the work; --wait waits until it is done and lists the differences.

  tidemark audit --wait
  tidemark audit --host example.com`

func auditCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return runRebuild(t, s, auditHelp, &api.RebuildRequest{Audit: true})
}

// runRebuild returns a command that starts a rebuild or an audit, of everything or of one host.
func runRebuild(t *terminal.Terminal, s *command.Server, help string, req *api.RebuildRequest) *cobra.Command {
	var host string
	var w command.Waiting
	cmd := command.New(help, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if host != "" {
			req.Scope = &api.RebuildScope{Host: host}
		}
		say := t.OnChange()
		poll := func(c *api.Client, r api.Rebuild) (api.Rebuild, error) {
			return api.GetRebuild.Call(ctx, c, api.RebuildID{ID: r.ID})
		}
		return follow(ctx, t, s, w.Interval, api.StartRebuild, *req, poll, func(r api.Rebuild) bool {
			switch {
			case !w.Wait:
				t.Say("%s has begun; `%s status` tells how far it is", terminal.Clean(r.ID), t.Name)
			case r.Items > 0 || r.Status != api.RebuildMarking:
				say(rebuildText(r))
			}
			return !w.Wait || r.Status == api.RebuildDone
		})
	})
	command.HostFlag(cmd.Flags(), &host, "only this `HOST`")
	w.Flags(cmd.Flags())
	return cmd
}

// follow starts work of the server, and polls it until over reports the end.
func follow[Q, A any](ctx context.Context, t *terminal.Terminal, s *command.Server, interval time.Duration,
	start api.Route[Q, A], req Q, poll func(*api.Client, A) (A, error), over func(A) bool) error {
	if err := command.CheckInterval(interval); err != nil {
		return err
	}
	client := s.Client()
	first, err := start.Call(ctx, client, req)
	if err != nil {
		return err
	}
	again := func() (A, error) { return poll(client, first) }
	return terminal.Follow(ctx, t, interval, terminal.After(first, again), over)
}

// rebuildText describes the state of a rebuild in words.
func rebuildText(r api.Rebuild) string {
	looked, through := words.Count(r.Items, "source"), words.Thousands(max(0, r.Marked-r.Left))
	switch r.Status {
	case api.RebuildMarking:
		return fmt.Sprintf("%s looked at, %s through of %s so far", looked, through, words.Thousands(r.Marked))
	case api.RebuildIndexing:
		return fmt.Sprintf("%s of %s through", through, words.Count(r.Marked, "source"))
	case api.RebuildCounting:
		return fmt.Sprintf("%s through, being counted", words.Count(r.Marked, "source"))
	case api.RebuildEntries:
		return fmt.Sprintf("%s and %s looked at", looked, words.Count(r.Entries, "entry"))
	case api.RebuildClearing:
		return looked + " looked at, pages without one are being taken out"
	case api.RebuildDone:
		if r.Audit {
			return auditText(r)
		}
		return fmt.Sprintf("done: %s looked at, %s indexed anew, %s kept out, %s failed", looked,
			words.Thousands(r.Indexed), words.Thousands(r.KeptOut), words.Thousands(r.Failed)) +
			terminal.When(r.Entries > 0, "; %s put in", words.Count(r.Entries, "entry"))
	default:
		return terminal.Clean(r.Status)
	}
}

// rebuildLine describes an unfinished rebuild in a line of the status.
func rebuildLine(r api.Rebuild) string {
	verb := "rebuilding"
	if r.Audit {
		verb = "auditing"
	}
	return fmt.Sprintf("%s %s: %s", verb, cmp.Or(terminal.Clean(r.Host), "everything"), rebuildText(r)) +
		terminal.When(r.Reason != "", " (%s)", terminal.Clean(r.Reason))
}

// auditText describes the outcome of an audit in words.
func auditText(r api.Rebuild) string {
	looked := words.Count(r.Items, "source")
	looked += terminal.When(r.Entries > 0, " and %s", words.Count(r.Entries, "entry"))
	differences := r.Marked + r.Mended + r.Removed
	if differences == 0 {
		return fmt.Sprintf("done: %s looked at, the index holds what it should", looked)
	}
	text := fmt.Sprintf("done: %s looked at, %s differed: %s indexed anew, %s kept out, %s failed",
		looked, words.Thousands(r.Marked), words.Thousands(r.Indexed), words.Thousands(r.KeptOut), words.Thousands(r.Failed))
	text += terminal.When(r.Mended > 0, "; %s put right", words.Count(r.Mended, "entry")) +
		terminal.When(r.Removed > 0, "; %s without a source taken out", words.Count(r.Removed, "page"))
	for _, f := range r.Findings {
		text += fmt.Sprintf("\n  %s  %s", terminal.Clean(f.ID), terminal.Clean(f.What))
	}
	more := differences - len(r.Findings)
	return text + terminal.When(more > 0, "\n  and %s more, which the server's log names", words.Thousands(more))
}

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
