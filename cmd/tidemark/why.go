package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const whyLong = `Tell what Tidemark decided about one source, when and why, newest last.

The last few dozen decisions are kept; older changes are told by the captures
that "tidemark show" lists.`

func whyCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "why ID|SOURCE",
		Short:   "Tell what was decided about one source, and why",
		Long:    whyLong,
		Example: "  tidemark why https://example.com/news\n  tidemark why url_k7gxn3…",
		Args:    one("id or source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainItem(cmd.Context(), p, args[0])
		},
	}
}

func explainItem(ctx context.Context, p *program, id string) error {
	item, err := getItem(ctx, p, id)
	if err != nil {
		return err
	}
	now := p.now()
	p.say("%s  %s", clean(string(item.Status)), clean(cmp.Or(item.DisplaySource, item.NormalizedSource)))
	if len(item.History) == 0 {
		p.say("nothing was decided yet")
	}
	for _, d := range item.History {
		p.say("%s  %14s  %s", stamp(d.At), words.Relative(now, d.At), decisionText(d))
	}
	if item.NextCrawlAt.IsZero() {
		p.say("%s", map[bool]string{true: "paused: no check until somebody asks for one",
			false: "no further check is planned"}[item.Paused])
		return nil
	}
	p.say("%s  %14s  next check", stamp(item.NextCrawlAt), words.Relative(now, item.NextCrawlAt))
	sayPause(ctx, p, item.SourceHost)
	return nil
}

// decisionText is a decision with its reason, for one line.
func decisionText(d api.Decision) string {
	if d.Why == "" {
		return clean(d.What)
	}
	return clean(d.What) + ": " + clean(d.Why)
}
