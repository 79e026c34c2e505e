package migrate

import (
	"context"
	"encoding/json"

	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Items returns the step that updates the identities of items to the rules for URLs. The rules consist of their
// version and the configured list of trackers.
func Items(moves *registry.Moves, rules source.Rules) Step {
	url := lineage.Current.Component("url")
	return Step{Name: "items", Rules: url + " " + rules.String(), Run: func(ctx context.Context, cursor string,
		dry bool) (Progress, string, bool, error) {
		var from registry.Cursor
		_ = json.Unmarshal([]byte(cursor), &from) // "" is the start
		m, err := moves.Step(ctx, rules, from, dry)
		next, _ := json.Marshal(m.Next) // encoding strings cannot fail
		return Progress{Seen: m.Items, Changed: m.Moved, Examples: m.Examples}, string(next), m.Done, err
	}}
}
