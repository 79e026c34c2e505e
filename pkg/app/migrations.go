package app

import (
	"context"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
)

// entryKeys is the step that gives stored entries their keys under the current normalization.
func entryKeys(pushed *entries.Store) migrate.Step {
	return migrate.Step{Name: "entries", Rules: entry.KeyRules,
		Run: func(ctx context.Context, cursor string, dry bool) (p migrate.Progress, next string, done bool, err error) {
			p.Seen, p.Changed, p.Examples, next, done, err = pushed.Rekey(ctx, cursor, dry)
			return p, next, done, err
		}}
}
