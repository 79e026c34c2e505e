package client

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const rebuildLong = `Index everything again, after the index was lost, or after an update that reads pages
better.

Pages come from the stored copies, so no site is asked and no schedule changes. With
--refetch the sites are asked instead, at their usual pace. --force also asks for
pages that the index does not contain: pages that failed, are excluded or are gone.

The server does the work; --wait waits until it is done.`

const rebuildExample = `  tidemark rebuild --wait
  tidemark rebuild --host example.com --refetch`

func rebuildCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var host string
	var req api.RebuildRequest
	var wait bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "rebuild",
		Short:   "Index everything, or one host, again",
		Long:    rebuildLong,
		Example: rebuildExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if host != "" {
				req.Scope = &api.RebuildScope{Host: host}
			}
			return rebuild(cmd.Context(), t, s, req, wait, interval)
		},
	}
	f := cmd.Flags()
	command.HostFlag(f, &host, "only this `HOST`")
	f.BoolVar(&req.Refetch, "refetch", false, "ask the sites instead of reading the kept copies")
	f.BoolVar(&req.Force, "force", false, "also ask for pages that the index does not contain")
	command.WaitFlags(f, &wait, &interval)
	return cmd
}

func rebuild(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.RebuildRequest, wait bool,
	interval time.Duration) error {
	if err := command.CheckInterval(interval); err != nil {
		return err
	}
	run, err := api.StartRebuild.Call(ctx, s.Client(), req)
	if err != nil {
		return err
	}
	if !wait {
		t.Say("%s has begun; `%s status` tells how far it is", terminal.Clean(run.ID), t.Name)
		return nil
	}
	client, say := s.Client(), t.OnChange()
	return terminal.Follow(ctx, t, interval, terminal.After(run, func() (api.Rebuild, error) {
		return api.GetRebuild.Call(ctx, client, api.RebuildID{ID: run.ID})
	}), func(r api.Rebuild) bool {
		if r.Items > 0 || r.Status != api.RebuildMarking {
			say(rebuildText(r))
		}
		return r.Status == api.RebuildDone
	})
}

// rebuildText describes the state of a rebuild in words.
func rebuildText(r api.Rebuild) string {
	switch r.Status {
	case api.RebuildMarking:
		return fmt.Sprintf("%s looked at, %s through of %s so far", words.Count(r.Items, "source"),
			words.Thousands(max(0, r.Marked-r.Left)), words.Thousands(r.Marked))
	case api.RebuildIndexing:
		return fmt.Sprintf("%s of %s through", words.Thousands(max(0, r.Marked-r.Left)), words.Count(r.Marked, "source"))
	case api.RebuildCounting:
		return fmt.Sprintf("%s through, being counted", words.Count(r.Marked, "source"))
	case api.RebuildEntries:
		return fmt.Sprintf("%s and %s looked at", words.Count(r.Items, "source"), words.Count(r.Entries, "entry"))
	case api.RebuildClearing:
		return fmt.Sprintf("%s looked at, pages without one are being taken out", words.Count(r.Items, "source"))
	case api.RebuildDone:
		if r.Audit {
			return auditText(r)
		}
		text := fmt.Sprintf("done: %s looked at, %s indexed anew, %s kept out, %s failed",
			words.Count(r.Items, "source"), words.Thousands(r.Indexed), words.Thousands(r.KeptOut), words.Thousands(r.Failed))
		if r.Entries > 0 {
			text += fmt.Sprintf("; %s put in", words.Count(r.Entries, "entry"))
		}
		return text
	default:
		return terminal.Clean(r.Status)
	}
}

// rebuildLine describes an unfinished rebuild in a line of the status.
func rebuildLine(r api.Rebuild) string {
	scope := "everything"
	if r.Host != "" {
		scope = terminal.Clean(r.Host)
	}
	verb := "rebuilding "
	if r.Audit {
		verb = "auditing "
	}
	line := verb + scope + ": " + rebuildText(r)
	if r.Reason != "" {
		line += " (" + terminal.Clean(r.Reason) + ")"
	}
	return line
}
