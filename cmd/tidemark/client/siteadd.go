package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const addSiteHelp = `add ADDRESS
Find and watch the pages of a site

Add a site by its domain, by the address of its sitemap or feed, or by the common
beginning of the addresses of the wanted pages. Pages in its sitemaps and feeds are
registered at once, at most SENTINEL_MAX_PER_DAY a day, and later polls find new
pages.

Where no sitemap lists the pages, Tidemark reads the first page and the feeds that it
names, and asks which of them to use. The answer is the same command with --feed,
--listing or --follow. They replace what was read of the site before.

--follow goes from page to page, beginning at ADDRESS. It stays on the site and within
its limits, and its pages are watched as they are found. --dry-run fetches the pages
within the same limits, adds nothing, and prints what it would add and what not. Its
result stays at sites/SLUG for a day.

  tidemark sites add docs.example.org
  tidemark sites add example.org/news/
  tidemark sites add https://example.org/sitemap.xml
  tidemark sites add example.org --feed https://example.org/news.atom
  tidemark sites add docs.example.org/guide --follow --depth 4 --exclude /print/** --dry-run`

func addSiteCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var wait bool
	var interval time.Duration
	var set *changes
	cmd := command.New(addSiteHelp, cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		req := api.SiteRequest{URL: args[0], GuessScheme: true}
		if err := errors.Join(into(&req, set), command.CheckInterval(interval)); err != nil {
			return err
		}
		return addSite(ctx, t, s, req, wait, interval)
	})
	set = changesOf(cmd.Flags(), form.Of[api.SiteRequest]())
	cmd.Flags().BoolVarP(&wait, "wait", "w", true, "wait until the site has been read once (never with --json)")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "how often --wait polls")
	return cmd
}

const setSiteHelp = `set SLUG
Change what is read of a site that was added

Change what is read of a site that was added, and which of its pages are wanted. What
is not named stays; --clear removes a setting. The site is read anew.

  tidemark sites set docs-example-org --depth 5
  tidemark sites set docs-example-org --include '/guide/**' --clear exclude`

func setSiteCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	set := func(ctx context.Context, slug string, p api.Patching) error {
		one, err := api.PatchSite.Call(ctx, s.Client(), api.SitePatch{Slug: slug, Patching: p})
		t.SayWhen(err == nil, "%s reads: %s", terminal.Clean(one.Slug), inWords(one.Set))
		return err
	}
	return setting(setSiteHelp, "slug", "--depth 5", settingsOf(form.Of[api.SiteSettings]()), set)
}

// addSite adds a site and says what was found.
func addSite(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.SiteRequest, wait bool,
	interval time.Duration) error {
	client := s.Client()
	one, err := api.AddSite.Call(ctx, client, req)
	if err != nil {
		return err
	}
	warning := one.Warning
	if wait && !t.JSON {
		err = terminal.Follow(ctx, t, interval, terminal.After(one, func() (api.Site, error) {
			return api.GetSite.Call(ctx, client, api.SiteSlug{Slug: one.Slug})
		}), func(now api.Site) bool {
			if one = now; one.Look != nil && one.Walk != nil {
				t.Note("%s", walkLine(*one.Walk))
			}
			return one.Look == nil
		})
	}
	one.Warning = cmp.Or(one.Warning, warning)
	if one.Look != nil || err != nil {
		sayWarning(t, one)
		t.Say("%s is being read; `%s sites show %s` shows what was found", terminal.Clean(one.Slug), t.Name,
			terminal.Clean(one.Slug))
		return err
	}
	showSite(t, one)
	return nil
}

func sayWarning(t *terminal.Terminal, one api.Site) {
	t.SayWhen(one.Warning != "", "%s: %s", terminal.Clean(one.Slug), terminal.Clean(one.Warning))
}

// showSite prints what the polls of a site have found, what they could not read, and what has to be chosen.
func showSite(t *terminal.Terminal, one api.Site) {
	c := one.Coverage
	sayWarning(t, one)
	if one.DryRun != nil {
		for _, address := range one.DryRun.Would {
			t.Say("%s", terminal.Clean(address))
		}
		t.Say("%s would be watched, %s known already; this list is at sites/%s until %s",
			words.Count(len(one.DryRun.Would), "page"), words.Thousands(c.Known), terminal.Clean(one.Slug),
			one.DryRun.Until.Format(time.RFC3339))
		t.SayWhen(one.DryRun.Thin > 0,
			"  a dry run uses no browser: %s with little text without scripts may have more links, such as %s",
			words.Count(one.DryRun.Thin, "page"), terminal.Clean(one.DryRun.ThinExample))
	} else if one.Question == nil {
		t.Say("%s: %s found, %s new, %s known", terminal.Clean(one.Slug), words.Count(c.Found, "page"),
			words.Thousands(c.New), words.Thousands(c.Known))
	}
	reads := form.Line(one.Set)
	t.SayWhen(reads != "", "  reads: %s", terminal.Clean(reads))
	if one.Walk != nil {
		t.Say("  links: %s", walkLine(*one.Walk))
	}
	for _, why := range slices.Sorted(maps.Keys(c.Reasons)) {
		t.Say("  left out: %s, %s", words.Count(c.Reasons[why], "address"), terminal.Clean(why))
	}
	if one.Look != nil && one.Look.Note != "" {
		t.Say("  now: %s", terminal.Clean(one.Look.Note))
	}
	if one.Last != nil {
		t.SayWhen(one.Last.Note != "", "  last: %s", terminal.Clean(one.Last.Note))
		if n := one.Last.Later; n > 0 && one.Walk != nil && one.Walk.Full != "" {
			t.Say("  not added: %s, because of a limit above", words.Count(n, "page"))
		} else if n > 0 {
			t.Say("  left for the next days: %s (SENTINEL_MAX_PER_DAY)", words.Count(n, "page"))
		}
		for _, p := range one.Last.Problems {
			t.Say("  not read: %s %s", terminal.Clean(p.URL), terminal.Clean(p.Message))
		}
	}
	if one.Question != nil {
		ask(t, one)
	}
}

// ask prints the question about a site, with the answers: a command, or what to write in the site file.
func ask(t *terminal.Terminal, one api.Site) {
	q := one.Question
	t.Say("%s", terminal.Clean(q.Text))
	for _, c := range q.Choices {
		t.Say("  %s: %s, %s left out:", kindOfChoice(c.Kind), words.Count(c.Pages, "page"), words.Thousands(c.LeftOut))
		if one.Added {
			t.Say("    %s sites add %s %s", t.Name, terminal.Clean(c.Send.URL), flagOf(c))
		} else {
			t.Say("    %s", fieldOf(c))
		}
	}
	t.Say("Tried:")
	for _, one := range q.Tried {
		t.Say("  %s: %s", terminal.Clean(one.URL), terminal.Clean(one.Answer))
	}
	t.Say("What else works:")
	for _, advice := range q.Advice {
		t.Say("  %s", terminal.Clean(advice))
	}
}

// walkLine describes the progress of following links.
func walkLine(v api.SiteWalk) string {
	line := fmt.Sprintf("%s found, %s read, %s to fetch, %s waiting, %s examined, at most %s from the first page",
		words.Count(v.Pages, "page"), words.Thousands(v.Read), words.Thousands(v.Open), words.Thousands(v.Waiting),
		words.Count(v.Seen, "address"), words.Count(v.Deepest, "link"))
	return line + terminal.When(v.Unread > 0, ", %s not read", words.Thousands(v.Unread)) +
		terminal.When(v.UnreadExample != "", " (such as %s: %s)", terminal.Clean(v.UnreadExample),
			terminal.Clean(v.UnreadWhy)) + terminal.When(v.Full != "", "; %s", terminal.Clean(v.Full))
}

func kindOfChoice(kind string) string {
	switch kind {
	case "feed":
		return "a feed"
	case "follow":
		return "the first page, and all pages to which links lead from there"
	}
	return "the links of one page"
}

// fieldOf returns what chooses a document of a site in the site file.
func fieldOf(c api.SiteChoice) string {
	switch c.Kind {
	case "feed":
		return fmt.Sprintf("feeds: [%q]", c.URL)
	case "follow":
		return "follow: {}"
	}
	return fmt.Sprintf("listings: [{url: %q}]", c.URL)
}

// flagOf returns the flags that choose a document of a site.
func flagOf(c api.SiteChoice) string {
	var flags []string
	for _, one := range c.Send.Feeds {
		flags = append(flags, "--feed "+terminal.Clean(one))
	}
	for _, one := range c.Send.Listings {
		flags = append(flags, "--listing "+terminal.Clean(one))
	}
	if c.Send.Follow != nil {
		flags = append(flags, "--follow")
	}
	return strings.Join(flags, " ")
}

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
