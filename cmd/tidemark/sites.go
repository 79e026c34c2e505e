package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
)

const sitesLong = `List the sites of the site file and what the looks at them found.

Each site's sitemaps and feeds are looked at each day at 06:00 UTC, feeds each hour.
What is new is registered. LASTMOD tells how often a site's word for a change of a
page proved true; of those that say truthful, checks are brought forward on it.`

func (p *program) sitesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sites",
		Short:   "List sites and the looks at what they publish",
		Long:    sitesLong,
		Example: "  tidemark sites\n  tidemark sites look port-authority",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.sites(cmd.Context()) },
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "look SLUG",
		Short:   "Look at a site now",
		Example: "  tidemark sites look port-authority",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			one, err := p.client().LookAtSite(cmd.Context(), args[0])
			if err == nil {
				p.say("a look at %s has begun; `%s sites` tells what it found", clean(one.Slug), p.name())
			}
			return err
		},
	})
	return cmd
}

func (p *program) sites(ctx context.Context) error {
	got, err := p.client().Sites(ctx)
	switch {
	case err != nil || p.json:
		return err
	case len(got.Sites) == 0:
		p.say("no sites: see BACKFILL_SITES_FILE")
		return nil
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SITE\tLOOKED AT\tNEXT\tFOUND\tNEW\tLATER\tERRORS\tLASTMOD")
	for _, one := range got.Sites {
		fmt.Fprintln(w, siteRow(one, p.now()))
	}
	return w.Flush()
}

// siteRow tells of a site what its last full look found, and what keeps it from being looked at.
func siteRow(s api.Site, now time.Time) string {
	var last api.Look
	if s.Last != nil {
		last = *s.Last
	}
	next := "within the hour"
	switch {
	case s.Look != nil:
		next = "looking"
	case !s.Watched:
		next = "not looked at"
	case s.NextLookAt.After(now):
		next = relative(now, s.NextLookAt)
	}
	row := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", clean(s.Slug), ago(now, last.BeganAt), next, thousands(last.Found),
		thousands(last.New), thousands(last.Later), thousands(last.Errors), lastModText(s.LastMod))
	if len(last.Problems) > 0 {
		row += "  (" + cut(clean(last.Problems[0].Message), 60) + ")"
	}
	return row
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
