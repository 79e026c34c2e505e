package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry/compare"
)

// ignoreLines adds or removes rules for lines that do not count as changes.
func (h *captureHandlers) ignoreLines(ctx context.Context, q api.IgnoreRequest) (out api.IgnoreResult, err error) {
	past, err := h.findPast(ctx, q.ID)
	if err != nil {
		return out, err
	}
	done, err := h.Compare.Ignore(ctx, past, compare.Request{
		Pattern: q.Pattern, Patterns: q.Patterns, Text: q.Text, Was: q.Was, Hunk: q.Hunk,
		Query: compare.Query{From: q.From, To: q.To, Part: q.Part}, Preview: q.Preview, Undo: q.Undo,
	})
	return ignoredJSON(done), err
}

func ignoredJSON(done compare.Result) api.IgnoreResult {
	out := api.IgnoreResult{Rules: done.Rules, Ignore: append([]string{}, done.Ignore...), Saved: done.Saved,
		Changes: done.Changes}
	for _, s := range done.Silenced {
		c := api.SilencedChange{At: s.At, From: s.From, To: s.To, Whole: s.Whole}
		for _, l := range s.Lines {
			op := "removed"
			if l.Added {
				op = "added"
			}
			c.Lines = append(c.Lines, api.IgnoredChange{Hunk: l.Text, Op: op, Rule: l.Rule})
		}
		out.Silenced = append(out.Silenced, c)
	}
	return out
}
