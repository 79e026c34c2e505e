package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/pkg/api"
)

const rebuildLong = `Index everything anew: after the index was lost, or after an update reads pages
better than before.

Pages come from the copies that are kept, so no site is asked and no schedule
moves. With --refetch the sites are asked instead, as slowly as ever. --force has
them asked also for what the index does not hold: pages that failed, are excluded
or gone.

The work goes on by itself; --wait stays until it is done.`

const rebuildExample = `  tidemark rebuild --wait
  tidemark rebuild --host example.com --refetch`

func (p *program) rebuildCommand() *cobra.Command {
	var host string
	var req api.RebuildRequest
	var wait bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:     "rebuild",
		Short:   "Index everything, or one host, anew",
		Long:    rebuildLong,
		Example: rebuildExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if host != "" {
				req.Scope = &api.RebuildScope{Host: host}
			}
			return p.rebuild(cmd.Context(), req, wait, interval)
		},
	}
	f := cmd.Flags()
	hostFlag(f, &host, "only this `HOST`")
	f.BoolVar(&req.Refetch, "refetch", false, "ask the sites instead of reading the kept copies")
	f.BoolVar(&req.Force, "force", false, "ask the sites also for what the index does not hold")
	waitFlags(f, &wait, &interval)
	return cmd
}

func waitFlags(f *pflag.FlagSet, wait *bool, interval *time.Duration) {
	f.BoolVarP(wait, "wait", "w", false, "stay until it is done")
	f.DurationVar(interval, "interval", time.Second, "how often --wait looks")
}

// checkInterval bounds how often a command looks.
func checkInterval(d time.Duration) error {
	if d < 100*time.Millisecond || d > time.Hour {
		return usagef("--interval is %s: give 100ms to 1h", d)
	}
	return nil
}

func (p *program) rebuild(ctx context.Context, req api.RebuildRequest, wait bool, interval time.Duration) error {
	if err := checkInterval(interval); err != nil {
		return err
	}
	run, err := p.client().StartRebuild(ctx, req)
	if err != nil {
		return err
	}
	if !wait {
		p.say("%s has begun; `%s status` tells how far it is", clean(run.ID), p.name())
		return nil
	}
	return p.awaitRebuild(ctx, run.ID, interval)
}

// awaitRebuild tells how far a rebuild is until it is done. Between its looks the server may be
// away for a while, as in an update.
func (p *program) awaitRebuild(ctx context.Context, id string, interval time.Duration) error {
	client, failed, shown := p.client(), 0, ""
	for {
		run, err := client.Rebuild(ctx, id)
		switch {
		case err == nil:
			failed = 0
			if text := rebuildText(run); text != shown {
				p.say("%s", text)
				shown = text
			}
			if run.Status == api.RebuildDone {
				return nil
			}
		case ctx.Err() != nil || failed+1 >= patience:
			return err
		default:
			failed++
		}
		if err := p.sleep(ctx, interval); err != nil {
			return err
		}
	}
}

// rebuildText is the state of a rebuild in words.
func rebuildText(r api.Rebuild) string {
	switch r.Status {
	case api.RebuildMarking:
		return fmt.Sprintf("%s looked at, %s through of %s so far", count(r.Items, "source"), thousands(max(0, r.Marked-r.Left)), thousands(r.Marked))
	case api.RebuildIndexing:
		return fmt.Sprintf("%s of %s through", thousands(max(0, r.Marked-r.Left)), count(r.Marked, "source"))
	case api.RebuildCounting:
		return fmt.Sprintf("%s through, being counted", count(r.Marked, "source"))
	case api.RebuildEntries:
		return fmt.Sprintf("%s and %s looked at", count(r.Items, "source"), count(r.Entries, "entry"))
	case api.RebuildClearing:
		return fmt.Sprintf("%s looked at, pages without one are being taken out", count(r.Items, "source"))
	case api.RebuildDone:
		if r.Audit {
			return auditText(r)
		}
		text := fmt.Sprintf("done: %s looked at, %s indexed anew, %s kept out, %s failed",
			count(r.Items, "source"), thousands(r.Indexed), thousands(r.KeptOut), thousands(r.Failed))
		if r.Entries > 0 {
			text += fmt.Sprintf("; %s put in", count(r.Entries, "entry"))
		}
		return text
	default:
		return clean(r.Status)
	}
}

// rebuildLine tells in a status that a rebuild goes on.
func rebuildLine(r api.Rebuild) string {
	scope := "everything"
	if r.Host != "" {
		scope = clean(r.Host)
	}
	verb := "rebuilding "
	if r.Audit {
		verb = "auditing "
	}
	line := verb + scope + ": " + rebuildText(r)
	if r.Reason != "" {
		line += " (" + clean(r.Reason) + ")"
	}
	return line
}
