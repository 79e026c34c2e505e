package client

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// valueFields returns the values of a page, by name.
func valueFields(now time.Time, all map[string]api.ItemField) (out []field) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, field{name, valueText(now, all[name])})
	}
	return out
}

// unreadDataText says what was not read of the data that a page declares; "" if all was read.
func unreadDataText(u *api.UnreadData) string {
	switch {
	case u == nil:
		return ""
	case u.Blocks == 0:
		return "no values: " + u.Why
	}
	text := words.Count(u.Blocks, "block") + " of the data that the page declares could not be read"
	if u.Blocks > 1 {
		text += ", the first because"
	}
	if text += ": " + u.Why; u.Text != "" {
		text += fmt.Sprintf(", at %q", u.Text)
	}
	return text
}

// valueText describes a value: what it is and since when, what it was at first, at least and at most, and where it was
// read.
func valueText(now time.Time, f api.ItemField) string {
	text := cmp.Or(f.Text, "none")
	if !f.At.IsZero() {
		text += " since " + terminal.Moment(now, f.At)
	}
	if f.State != "value" {
		text += " (" + f.State + ")"
	}
	if f.Why != "" {
		text += ": " + f.Why
	}
	for _, p := range []struct {
		name  string
		point *api.FieldPoint
	}{{"first", f.First}, {"lowest", f.Lowest}, {"highest", f.Highest}} {
		if p.point != nil && f.Entries > 1 {
			text += fmt.Sprintf("; %s %s on %s", p.name, p.point.Text, p.point.At.Format(time.DateOnly))
		}
	}
	if e := f.Evidence; e.From != "" {
		text += fmt.Sprintf("; from %s %s", e.From, e.Path)
	}
	return text
}
