package entries

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
	rows "github.com/tidemark/tidemark/pkg/storage/row"
)

// The row of an entry also has what is remembered of its lines, because a change of the entry reads and writes that row
// anyway.

// linesColumn is the column with what is remembered, compressed JSON of [remembered].
const linesColumn = "lines"

// remembered is what is remembered of the lines of an entry, with the last check that found a change.
type remembered struct {
	Memory linememory.Memory `json:"memory"`
	Saw    linememory.Check  `json:"saw"`
}

// recalled returns what was remembered of an entry. The last check of one that has not changed yet is its creation.
func recalled(lines []byte, was entry.Fields) (m remembered) {
	const most = 1 << 20 // bytes
	if text, err := rows.Gunzip(lines, most); err != nil || json.Unmarshal(text, &m) != nil {
		m = remembered{Saw: linememory.After(linememory.Check{}, storage.ParseTime(was.Text("created_at")))}
	}
	return m
}

// see holds a change of an entry against what is remembered of its lines. It returns what is remembered afterwards, and
// says in the change whether it is small.
func see(lines []byte, was, is entry.Fields, c *feed.Change) (after []byte, moving func(line string) bool) {
	m := recalled(lines, was)
	check := checkAfter(m.Saw, c.At)
	memory, seen := m.Memory.See(readingOf(was), readingOf(is), check)
	if seen.Small == linememory.Order {
		c.Kind, c.Why = feed.Moved, change.Moved.Why(change.Extent{})
	}
	switch {
	case seen.Small != "":
		c.Small = &feed.Small{Why: feed.Why(seen.Small), What: seen.What}
	case seen.Covered && isCompared(was) && isCompared(is): // a page would not have changed
		c.Small = &feed.Small{Why: feed.SmallMoves, What: "a counter or a time"}
	}
	return rows.Gzip(rows.JSON(remembered{memory, check})), seen.Moving
}

// checkAfter returns the check that found a change, after another one. How often an entry came without a change is not
// known: each full hour between changes counts as a check at which nothing has moved.
func checkAfter(last linememory.Check, at time.Time) linememory.Check {
	check := linememory.After(last, at)
	check.Number += max(0, int(at.Sub(last.At)/time.Hour))
	return check
}

// readingOf returns all that an entry says, in lines.
func readingOf(f entry.Fields) linememory.Reading {
	text := strings.Join([]string{f.Text("title"), words.Clip(described(f), maxCompared),
		words.Clip(entry.TextOf(f), maxCompared)}, "\n\n")
	return linememory.Reading{Text: text, Beside: len(text)}
}

// isCompared reports whether a reading has all that an entry says.
func isCompared(f entry.Fields) bool {
	return len(described(f)) <= maxCompared && len(entry.TextOf(f)) <= maxCompared
}
