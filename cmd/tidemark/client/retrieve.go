package client

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/search"
)

const retrieveHelp = `retrieve QUESTION
Print the passages that answer a question, for a language model

Print the passages that answer a question, for a language model to read. They are
whole, the best first, as many as fit a budget of tokens, and each has what an answer
needs to cite it. With --max-age, pages that were not verified within that time are
left out. With --recheck, the first five of those are checked first.

  tidemark retrieve 'how is the float calibrated'
  tidemark retrieve 'opening hours' --tokens 500 --max-age 24h --recheck
  tidemark retrieve 'error code 17' --host docs.example.com --json`

func retrieveCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var recheck bool
	var set *changes
	cmd := command.New(retrieveHelp, nil, func(ctx context.Context, args []string) error {
		var req api.RetrieveRequest
		form.Default(&req)
		req.Q = strings.Join(args, " ")
		if err := cmp.Or(checkWords(req.Q), into(&req, set)); err != nil {
			return err
		}
		if recheck {
			req.Stale = api.StaleRecheck
		}
		return runRetrieve(ctx, t, s, req)
	})
	set = changesOf(cmd.Flags(), form.Of[api.RetrieveRequest]())
	recheckFlag(cmd.Flags(), &recheck)
	return cmd
}

// checkWords refuses a question without anything to search for.
func checkWords(text string) error {
	if len(search.Terms(text)) == 0 && !search.IsSigns(text) {
		return command.Usagef("nothing to search for: give some words")
	}
	return nil
}

func recheckFlag(f *pflag.FlagSet, recheck *bool) {
	f.BoolVar(recheck, "recheck", false, "with --max-age: check up to five older pages now, and keep them")
}

func runRetrieve(ctx context.Context, t *terminal.Terminal, s *command.Server, req api.RetrieveRequest) error {
	res, err := api.Retrieve.Call(ctx, s.Client(), req)
	if err != nil {
		return err
	}
	t.NoteWhen(res.Note != "", "%s", res.Note)
	t.NoteWhen(res.Stale > 0, "%s left out, not verified within %s", words.Count(res.Stale, "page"), req.MaxAge)
	for i, r := range res.Passages {
		t.Say("%d. %s", i+1, t.Screen.Bold(terminal.Clean(firstOf(r.Title, "(no title)"))))
		t.Say("%s%s", indent, terminal.Clean(firstOf(api.Address(r.URL, r.Anchor), r.ItemID)))
		t.SayWhen(len(r.HeadingPath) > 0, "%s%s", indent, terminal.Clean(strings.Join(r.HeadingPath, " › ")))
		t.SayWhen(r.Capture != "", "%scapture %.12s of %s, last verified %s", indent, terminal.Clean(r.Capture),
			words.Stamp(r.At), words.Stamp(r.CheckedAt))
		t.Say("\n%s\n", terminal.CleanText(r.Text))
	}
	t.SayWhen(len(res.Passages) == 0, "nothing found for %s", terminal.Clean(req.Q))
	return nil
}

const textHelp = `text ID|SOURCE
Print a page as Markdown, its present or an earlier version

  tidemark text https://example.com/prices
  tidemark text https://example.com/prices --as-of 2026-03-01
  tidemark text url_k7gxn3… --as-of 7f1d441a… --plain`

func textCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.TextQuery
	var plain bool
	cmd := command.New(textHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		if q.Format = "json"; plain && !t.JSON {
			q.Format = "text"
		}
		return t.Paged(ctx, func() error { return printText(ctx, t, s, args[0], q) })
	})
	cmd.Flags().StringVar(&q.AsOf, "as-of", "",
		"the page at this `TIME`: a date, a date and time, week, or the digest of a capture")
	cmd.Flags().StringVar(&q.Zone, "zone", "", "`ZONE`: main leaves out the text beside the main content")
	cmd.Flags().BoolVar(&plain, "plain", false, "print plain text without Markdown")
	return cmd
}

func printText(ctx context.Context, t *terminal.Terminal, s *command.Server, name string, q api.TextQuery) error {
	text, err := onItem(ctx, s, name, func(id string) (string, error) {
		if q.ID = id; q.Format == "text" {
			plain, err := api.GetText.Call(ctx, s.Client(), q)
			return string(plain), err
		}
		page, err := api.GetPageText.Call(ctx, s.Client(), q)
		return page.Text, err
	})
	t.SayWhen(err == nil, "%s", terminal.CleanText(text))
	return err
}
