package client

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// valueFields returns the values of a page, by name.
func valueFields(now time.Time, all map[string]api.ItemField) (out []field) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, field{name, valueText(now, all[name])})
	}
	return out
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
