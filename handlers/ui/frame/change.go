package frame

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// ChangeTitle returns a title for the item or entry that has changed.
func ChangeTitle(c api.FeedChange) string {
	for _, name := range []string{c.Title, c.URL, c.ItemID} {
		if name != "" {
			return name
		}
	}
	return c.EntryID
}

// kindTones are the CSS classes for the colours of kinds of change; other kinds have no colour.
var kindTones = map[api.ChangeKind]string{"new": "good", "back": "good", "recovered": "good", "watchRestored": "good",
	"listed": "good",
	"gone":   "bad", "failing": "bad", "watchBroken": "bad", "reverted": "wait"}

func kindTone(k api.ChangeKind) string {
	if tone := kindTones[k]; tone != "" {
		return tone
	}
	return "quiet"
}

// kindWord says what has changed.
func kindWord(k api.ChangeKind) string {
	kinds, _ := form.Of[api.ChangeFilter]().Field("kind")
	return kinds.Text(string(k))
}

// whyBeside returns why there is a change, without the values, which a page shows by themselves.
func whyBeside(c api.FeedChange) string { return letter.WhyBeside(c.Why, c.Fields) }

// rowSign returns what is shown before a row of a table, by what happened to the row.
func rowSign(op string) string {
	return map[string]string{"added": "+", "removed": "−", "moved": "moved:"}[op]
}

// silencedWord says for what a silenced change is in the list.
func silencedWord(c api.FeedChange) string {
	if c.Kind == "field" {
		return "for conditions of rules"
	}
	return "silenced"
}
