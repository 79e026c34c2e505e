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

const sitesLong = `List the sites and what polling them found: the sites in the site file, and those
that were added.

Sitemaps are polled each day at 06:00 UTC, feeds each hour, and new pages are
registered. LASTMOD shows how often a page had changed when its lastmod had. For a
site marked truthful, a new lastmod brings the next check of the page forward.`

func sitesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sites",
		Aliases: []string{"site"},
		Short:   "List sites and what polling them found",
		Long:    sitesLong,
		Example: "  tidemark sites\n  tidemark sites add docs.example.org/guide\n  tidemark sites look port-authority",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return listSites(cmd.Context(), t, s) },
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "look SLUG",
		Short:   "Poll a site now",
		Example: "  tidemark sites look port-authority",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			one, err := api.PollSite.Call(cmd.Context(), s.Client(), api.SiteSlug{Slug: args[0]})
			if err == nil {
				t.Say("a poll of %s has begun; `%s sites` tells what it found", terminal.Clean(one.Slug), t.Name)
			}
			return err
		},
	})
	cmd.AddCommand(addSiteCommand(t, s), setSiteCommand(t, s), &cobra.Command{
		Use:     "show SLUG",
		Short:   "Show what was found on a site, and what has to be chosen",
		Example: "  tidemark sites show docs-example-org",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			one, err := api.GetSite.Call(cmd.Context(), s.Client(), api.SiteSlug{Slug: args[0]})
			if err == nil {
				showSite(t, one)
			}
			return err
		},
	}, &cobra.Command{
		Use:     "remove SLUG",
		Short:   "Stop polling a site that was added; its pages stay",
		Example: "  tidemark sites remove docs-example-org",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			one, err := api.RemoveSite.Call(cmd.Context(), s.Client(), api.SiteSlug{Slug: args[0]})
			if err == nil {
				t.Say("%s is removed; its pages stay, `%s items --host %s` lists them", terminal.Clean(one.Slug), t.Name,
					terminal.Clean(one.Domain))
			}
			return err
		},
	})
	return cmd
}

func listSites(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	got, err := api.ListSites.Call(ctx, s.Client(), api.None{})
	switch {
	case err != nil || t.JSON:
		return err
	case len(got.Sites) == 0:
		t.Say("no sites: `%s sites add ADDRESS` adds one, see also BACKFILL_SITES_FILE", t.Name)
		return nil
	}
	rows := []string{"SITE\tPOLLED\tNEXT\tFOUND\tNEW\tLATER\tERRORS\tLASTMOD"}
	for _, one := range got.Sites {
		rows = append(rows, siteRow(one, t.Now()))
	}
	return terminal.Table(t.Out, rows...)
}

// siteRow describes the last full poll of a site, and the reason if the site is not polled.
func siteRow(s api.Site, now time.Time) string {
	var last api.Look
	if s.Last != nil {
		last = *s.Last
	}
	next := "within the hour"
	switch {
	case s.Look != nil:
		next = "now"
	case !s.Watched:
		next = "not polled"
	case s.NextLookAt.After(now):
		next = words.Relative(now, s.NextLookAt)
	}
	text := terminal.Row(s.Slug, words.Ago(now, last.BeganAt), next, last.Found, last.New, last.Later, last.Errors,
		lastModText(s.LastMod))
	if s.Question != nil {
		return text + "  (asks what to read: `sites show " + terminal.Clean(s.Slug) + "`)"
	}
	if len(last.Problems) > 0 {
		text += "  (" + terminal.Cut(terminal.Clean(last.Problems[0].Message), 60) + ")"
	}
	return text
}

func lastModText(r api.LastModRecord) string {
	switch {
	case r.Right+r.Wrong == 0:
		return "-"
	case r.Truthful:
		return fmt.Sprintf("truthful, %d of %d", r.Right, r.Right+r.Wrong)
	}
	return fmt.Sprintf("%d of %d", r.Right, r.Right+r.Wrong)
}
