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

const sitesHelp = `sites
List sites and what polling them found

List the sites and what polling them found: the sites in the site file, and those
that were added.

Sitemaps are polled each day at 06:00 UTC, feeds each hour, and new pages are
registered. LASTMOD shows how often a page had changed when its lastmod had. For a
site marked truthful, a new lastmod brings the next check of the page forward.

  tidemark sites
  tidemark sites add docs.example.org/guide
  tidemark sites look port-authority`

const removeSiteHelp = `remove SLUG
Stop polling a site that was added; its pages stay

  tidemark sites remove docs-example-org`

const showSiteHelp = `show SLUG
Show what was found on a site, and what has to be chosen

  tidemark sites show docs-example-org`

func sitesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	cmd := command.New(sitesHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		got, err := api.ListSites.Call(ctx, s.Client(), api.None{})
		if err != nil {
			return err
		}
		return terminal.List(t, got.Sites, "no sites: `"+t.Name+" sites add ADDRESS` adds one, see also BACKFILL_SITES_FILE",
			"SITE\tPOLLED\tNEXT\tFOUND\tNEW\tLATER\tERRORS\tLASTMOD",
			func(one api.Site) string { return siteRow(one, t.Now()) })
	})
	cmd.Aliases = []string{"site"}
	cmd.AddCommand(
		asked(s, "look SLUG\nPoll a site now\n\n  tidemark sites look port-authority", cobra.ExactArgs(1),
			api.PollSite, func(one api.Site) {
				t.Say("a poll of %s has begun; `%s sites` tells what it found", terminal.Clean(one.Slug), t.Name)
			}),
		addSiteCommand(t, s), setSiteCommand(t, s),
		asked(s, showSiteHelp, cobra.ExactArgs(1), api.GetSite, func(one api.Site) { showSite(t, one) }),
		asked(s, removeSiteHelp, cobra.ExactArgs(1), api.RemoveSite, func(one api.Site) {
			t.Say("%s is removed; its pages stay, `%s items --host %s` lists them", terminal.Clean(one.Slug), t.Name,
				terminal.Clean(one.Domain))
		}))
	return cmd
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
	switch {
	case s.Question != nil:
		return text + "  (asks what to read: `sites show " + terminal.Clean(s.Slug) + "`)"
	case len(last.Problems) > 0:
		return text + "  (" + terminal.Cut(terminal.Clean(last.Problems[0].Message), 60) + ")"
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
