package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry/compare"
)

// acceptWatch accepts what is watched of an item as it is now.
func acceptWatch(ctx context.Context, v *call, q api.ItemID) (api.Item, error) {
	it, err := v.Registry.Items.AcceptWatch(ctx, source.ID(q.ID))
	return itemJSON(&it), wire.Blame("id", err)
}

// ignoreLines makes rules for lines that are not to count, or removes some.
func ignoreLines(ctx context.Context, v *call, q api.IgnoreRequest) (out api.IgnoreResult, err error) {
	past, err := findPast(ctx, v, q.ID)
	if err != nil {
		return out, err
	}
	done, err := v.compare().Ignore(ctx, past, compare.Request{
		Pattern: q.Pattern, Text: q.Text, Was: q.Was, Hunk: q.Hunk,
		Query: compare.Query{From: q.From, To: q.To, Part: q.Part}, Preview: q.Preview, Undo: q.Undo,
	})
	out = api.IgnoreResult{Rules: done.Rules, Ignore: append([]string{}, done.Ignore...), Saved: done.Saved,
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
	return out, err
}
