package main

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/search"
)

const retrieveLong = `Print the passages that answer a question, whole, for a language model to read:
the best first, as many as fit a budget of tokens, each with what an answer
cites it by. With --max-age, pages that were not verified so lately are left
out, or with --recheck the first five of them are checked first.`

func retrieveCommand(p *program) *cobra.Command {
	var req api.RetrieveRequest
	var recheck bool
	cmd := &cobra.Command{
		Use:   "retrieve QUESTION",
		Short: "Print the passages that answer a question, for a language model",
		Long:  retrieveLong,
		Example: `  tidemark retrieve 'how is the float calibrated'
  tidemark retrieve 'opening hours' --tokens 500 --max-age 24h --recheck
  tidemark retrieve 'error code 17' --host docs.example.com --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if req.Q = strings.Join(args, " "); len(search.Terms(req.Q)) == 0 {
				return usagef("nothing to search for: give some words")
			}
			if recheck {
				req.Stale = api.StaleRecheck
			}
			return runRetrieve(cmd.Context(), p, req)
		},
	}
	f := cmd.Flags()
	f.IntVar(&req.Tokens, "tokens", api.DefaultTokens, fmt.Sprintf("how many tokens at most, 50 to %d", api.MaxTokens))
	hostFlag(f, &req.Filter.Host, "only pages of this `HOST`")
	f.StringVar(&req.Filter.Tag, "tag", "", "only pages with this `TAG`")
	f.StringVar(&req.Filter.Language, "language", "", "only pages in this `LANGUAGE`, such as en")
	freshFlags(f, &req.MaxAge, &recheck)
	return cmd
}

// freshFlags are those that say how lately pages have to be verified.
func freshFlags(f *pflag.FlagSet, maxAge *string, recheck *bool) {
	f.StringVar(maxAge, "max-age", "", "only pages that were verified within this `TIME`, such as 24h or 7d")
	f.BoolVar(recheck, "recheck", false, "with --max-age: check up to five that were not, instead of leaving them out")
}

func runRetrieve(ctx context.Context, p *program, req api.RetrieveRequest) error {
	res, err := api.Retrieve.Call(ctx, p.client(), req)
	if err != nil {
		return err
	}
	if res.Note != "" {
		p.note("%s", res.Note)
	}
	if res.Stale > 0 {
		p.note("%s left out, not verified within %s", words.Count(res.Stale, "page"), req.MaxAge)
	}
	for i, r := range res.Passages {
		p.say("%d. %s", i+1, p.screen.bold(clean(firstOf(r.Title, "(no title)"))))
		p.say("%s%s", indent, clean(firstOf(api.Address(r.URL, r.Anchor), r.ItemID)))
		if len(r.HeadingPath) > 0 {
			p.say("%s%s", indent, clean(strings.Join(r.HeadingPath, " › ")))
		}
		if r.Capture != "" {
			p.say("%scapture %.12s of %s, last verified %s", indent, clean(r.Capture), stamp(r.At), stamp(r.CheckedAt))
		}
		p.say("")
		p.say("%s\n", printable(r.Text))
	}
	if len(res.Passages) == 0 {
		p.say("nothing found for %s", clean(req.Q))
	}
	return nil
}

func textCommand(p *program) *cobra.Command {
	var q api.TextQuery
	var plain bool
	cmd := &cobra.Command{
		Use:   "text ID|SOURCE",
		Short: "Print a page as Markdown, as it is or was",
		Example: `  tidemark text https://example.com/prices
  tidemark text https://example.com/prices --as-of 2026-03-01
  tidemark text url_k7gxn3… --as-of 7f1d441a… --plain`,
		Args: one("id or source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Format = "json"; plain && !p.json {
				q.Format = "text"
			}
			return p.paged(cmd.Context(), func() error { return printText(cmd.Context(), p, args[0], q) })
		},
	}
	cmd.Flags().StringVar(&q.AsOf, "as-of", "",
		"as it was at this `TIME`: a date, a date and time, week, or the digest of a capture")
	cmd.Flags().BoolVar(&plain, "plain", false, "as text, without the marks of Markdown")
	return cmd
}

func printText(ctx context.Context, p *program, name string, q api.TextQuery) error {
	text, err := onItem(p, name, func(id string) (string, error) {
		if q.ID = id; q.Format == "text" {
			plain, err := api.GetText.Call(ctx, p.client(), q)
			return string(plain), err
		}
		page, err := api.GetPageText.Call(ctx, p.client(), q)
		return page.Text, err
	})
	if err == nil {
		p.say("%s", printable(text))
	}
	return err
}

// printable makes a text of strangers fit to print, as [clean], with its lines and blanks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
