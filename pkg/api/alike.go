package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// A block of a site's pages often changes on all of them: a notice, the conditions, an opening hour. Each page has its
// change in the feed. Messages and lists for people gather equal changes of a host into one line, with the difference
// and the pages.

// mostPages bounds the changes that one line keeps.
const mostPages = 100

// AlikeKey returns what equal changes of a host have in common: the host, the kind, and what differs in text and in
// values. It is "" for a change that equals no other, because it is of no host, or says nothing of what differs.
func (c FeedChange) AlikeKey() string {
	if c.Host == "" || c.ItemID == "" || len(c.Passages) == 0 {
		return ""
	}
	passages := slices.Clone(c.Passages)
	for i := range passages {
		passages[i].Pieces, passages[i].Cells = nil, nil // they follow from the texts
	}
	var values [][]any
	for _, f := range c.Fields {
		if f.Reported {
			values = append(values, []any{f.Name, f.Previous, f.Current, f.Currency})
		}
	}
	slices.SortFunc(values, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
	text, err := json.Marshal([]any{c.Host, c.Kind, c.Silenced, passages, values})
	if err != nil {
		return "" // unreachable: these types can be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// ChangeLine is a change, or several equal ones of a host. Changes are the first of them, at most 100.
type ChangeLine struct {
	Changes []FeedChange
	Count   int
}

// ChangeLines are the lines of a message or of a list, in the order of their first changes. The zero value is empty.
type ChangeLines struct {
	All   []ChangeLine
	known map[string]int // index of the line by key
}

// Add adds a change to the line of equal changes. If there is none, it begins a line, unless there are already most
// lines; then it leaves the change out.
func (l *ChangeLines) Add(c FeedChange, most int) {
	key := c.AlikeKey()
	if i, found := l.known[key]; key != "" && found {
		line := &l.All[i]
		if line.Count++; len(line.Changes) < mostPages {
			line.Changes = append(line.Changes, c)
		}
		return
	}
	if len(l.All) >= most {
		return
	}
	if l.known == nil {
		l.known = map[string]int{}
	}
	if key != "" {
		l.known[key] = len(l.All)
	}
	l.All = append(l.All, ChangeLine{[]FeedChange{c}, 1})
}

// MayGrow reports whether a later change may belong to one of the lines.
func (l *ChangeLines) MayGrow() bool { return len(l.known) > 0 }

// Count returns the number of changes in the lines.
func (l *ChangeLines) Count() (n int) {
	for _, line := range l.All {
		n += line.Count
	}
	return n
}
