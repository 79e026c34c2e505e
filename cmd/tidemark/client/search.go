package client

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const searchHelp = `search QUERY
Search what was indexed

Search the index. Pages are listed best first, with the passages that match, and
entries that were pushed in are listed among them; a link shows the page it is about.

A page must contain all words; if no page does, pages with any of the words are
found. "Words in quotes" match as a phrase, and a trailing * matches all words that
begin with the word.

  tidemark search 'calibrate the float'
  tidemark search '"error code 17"' --host docs.example.com
  tidemark search 'pegel*' --language de --top 3
  tidemark search 'north basin' --images
  tidemark search closed --since week --facets
  tidemark search closed --sort changed --tag tides
  tidemark search float --host docs.example.com --path /manual/ --facets=tag,age
  tidemark search dredging --type entry
  tidemark search 'north basin' --published-after 2026-01-31
  tidemark search harbour --json | jq -r '.results[].url'`

func searchCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var recheck bool
	var set *changes
	cmd := command.New(searchHelp, nil, func(ctx context.Context, args []string) error {
		var req api.SearchRequest
		form.Default(&req)
		if err := into(&req, set); err != nil {
			return err
		}
		if req.Q = strings.Join(args, " "); recheck {
			req.Stale = api.StaleRecheck
		}
		return runSearch(ctx, t, s, req)
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		found, _ := api.Suggest.Call(cmd.Context(), s.Silent(), api.SuggestQuery{Q: typed})
		return found.Suggestions, cobra.ShellCompDirectiveNoFileComp
	}
	set = changesOf(cmd.Flags(), form.Of[api.SearchRequest]())
	cmd.Flags().Lookup("facets").NoOptDefVal = string(api.AllFacets)
	recheckFlag(cmd.Flags(), &recheck)
	return cmd
}

func runSearch(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.SearchRequest) error {
	if err := checkWords(req.Q); err != nil {
		return err
	}
	res, err := api.Search.Call(ctx, s.Client(), req)
	if err != nil {
		return err
	}
	t.NoteWhen(res.Note != "", "%s", res.Note)
	t.NoteWhen(res.StaleResults > 0, "%s left out, not verified within %s", words.Count(res.StaleResults, "result"),
		terminal.Clean(req.MaxAge))
	if len(res.Results) == 0 {
		t.Say("%s", nothingFound(req, res.Count))
		return nil
	}
	for i, r := range res.Results {
		showResult(t, req.Skip+i+1, r)
	}
	first, last := req.Skip+1, req.Skip+len(res.Results)
	t.Say("%s–%s of %s%s%s", words.Thousands(first), words.Thousands(last), terminal.When(res.Estimated, "about "),
		words.Count(res.Count, nounOf(res.Results)),
		terminal.When(res.DidYouMean != "", " for %s", terminal.Clean(res.DidYouMean)))
	showFacets(t, res.Facets)
	return nil
}

// showFacets prints, for each value of a facet, the number of found pages that have the value.
func showFacets(t *terminal.Terminal, f *api.Facets) {
	if f == nil {
		return
	}
	for _, list := range []struct {
		name   string
		values []api.Facet
	}{{"host", f.Hosts}, {"tag", f.Tags}, {"type", f.Types}, {"language", f.Languages}, {"changed", f.Ages}} {
		var texts []string
		for _, v := range list.values {
			texts = append(texts, fmt.Sprintf("%s %s", terminal.Clean(v.Value), words.Thousands(v.Count)))
		}
		t.SayWhen(len(texts) > 0, "%-9s %s", list.name, strings.Join(texts, ", "))
	}
}

// nounOf returns the noun that fits all results.
func nounOf(results []api.SearchResult) string {
	entries := 0
	for _, r := range results {
		if r.Type == api.TypeEntry {
			entries++
		}
	}
	switch entries {
	case 0:
		return "page"
	case len(results):
		return "entry"
	}
	return "result"
}

func nothingFound(req api.SearchRequest, found int) string {
	if found > 0 {
		return fmt.Sprintf("no more than %s", words.Count(found, "page"))
	}
	part := func(what, value string) string {
		return terminal.When(value != "", " %s %s", what, terminal.Clean(value))
	}
	return "nothing found for " + terminal.Clean(req.Q) + part("at", req.Host) + part("below", req.Path) +
		part("tagged", req.Tag) + part("in", req.Language)
}

const indent = "    "

// showResult prints one page or entry: its title, its address, the passages and the images.
func showResult(t *terminal.Terminal, n int, r api.SearchResult) {
	title := cmp.Or(terminal.Clean(r.Title), "(no title)")
	t.Say("%2d. %s", n, t.Screen.Bold(title))
	if r.Type == api.TypeEntry {
		t.Say("%sentry  %s", indent, terminal.Clean(firstOf(r.URL, r.ID)))
	} else {
		t.Say("%s%s", indent, terminal.Clean(r.URL))
	}
	var details []string
	for _, f := range factFields(t.Now(), form.Facts(r)) {
		details = append(details, f.name+" "+terminal.Clean(f.value))
	}
	t.SayWhen(len(details) > 0, "%s%s", indent, strings.Join(details, ", "))
	if page := r.Page; page != nil {
		t.Say("%spage: %s  %s  (%s)", indent, terminal.Clean(firstOf(page.Title, "(no title yet)")), terminal.Clean(page.URL),
			terminal.Clean(string(page.Status)))
	}
	for _, passage := range r.Passages {
		heading := below(title, terminal.Clean(passage.Heading))
		t.SayWhen(heading != "", "%s%s", indent, heading)
		for _, line := range terminal.Wrap(terminal.Markup(passage), t.Screen.Width-2*len(indent)) {
			t.Say("%s  %s", indent, t.Screen.Render(line))
		}
	}
	for _, img := range r.Images {
		t.Say("%simage: %s  %s", indent, terminal.Clean(firstOf(img.Alt, img.Caption, img.Title, "(no text)")),
			terminal.Clean(img.Src))
	}
	t.Say("")
}

// below returns a path of headings without the page's title, which was printed already.
func below(title, heading string) string {
	if heading == title {
		return ""
	}
	return strings.TrimPrefix(heading, title+" › ")
}

// firstOf returns the first text that is not blank.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
