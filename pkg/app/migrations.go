package app

import (
	"context"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
)

// entryKeys returns the step that gives stored entries the keys that the current normalization makes.
func entryKeys(pushed *entries.Store) migrate.Step {
	return migrate.Step{Name: "entries", Rules: entry.KeyRules,
		Run: func(ctx context.Context, cursor string, dry bool) (p migrate.Progress, next string, done bool, err error) {
			p.Seen, p.Changed, p.Examples, next, done, err = pushed.Rekey(ctx, cursor, dry)
			return p, next, done, err
		}}
}
