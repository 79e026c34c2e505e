package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// OfItem puts all that is known of an item into words, in the order of its description. In place of its own settings,
// it has those in force.
func OfItem(it api.ItemDetail) []Fact {
	if it.DisplaySource = cmp.Or(it.DisplaySource, it.NormalizedSource); it.DisplaySource == it.NormalizedSource {
		it.NormalizedSource = ""
	}
	why := it.Why
	it.Why = ""
	it.Collapsed = it.Collapsed && !it.WatchBroken
	it.Thin = it.Thin && !it.Collapsed && !it.WatchBroken
	from := holds(&it.TagSettings, it.Effective)
	out := from.located(Facts(it))
	for i, f := range out {
		if why != "" && slices.Contains([]string{"watchBroken", "collapsed", "thin"}, f.Path) {
			out[i].Value = why
		}
	}
	return out
}

// OfTag does for a tag what [OfItem] does for an item.
func OfTag(t api.Tag) []Fact {
	from := holds(&t.TagSettings, t.Effective)
	return from.located(Facts(t))
}

// origins say where each setting in force comes from, by path.
type origins map[string]string

// holds puts the settings in force in place of own ones.
func holds(own *api.TagSettings, e *api.Effective) origins {
	if e == nil {
		return nil
	}
	*own = e.TagSettings
	return e.From
}

// located says of each setting where it comes from.
func (o origins) located(all []Fact) []Fact {
	for i, f := range all {
		if all[i].From = o[f.Path]; all[i].From == "" && isSetting(f.Path) {
			all[i].From = "item"
		}
	}
	return all
}

func isSetting(path string) bool {
	_, is := Of[api.ItemSettings]().Field(path)
	return is
}

// numberWords puts a number into words by its format.
func (f Field) numberWords(n int64) string {
	switch f.Format {
	case "bytes":
		return words.Size(n)
	case "every":
		return "every " + words.Span(time.Duration(min(n, 1e9))*time.Second)
	case "millis":
		return fmt.Sprintf("%.1f s", float64(n)/1000)
	case "plain":
		return fmt.Sprint(n)
	}
	return words.Thousands(int(n))
}

func joined[T any](all []T, word func(T) string) string {
	var out []string
	for _, one := range all {
		out = append(out, word(one))
	}
	return strings.Join(out, "; ")
}

// fieldWords describes a value of a page: what it is and since when, what it was at first, at least and at most, and
// where it was read.
func fieldWords(f api.ItemField) string {
	text := cmp.Or(f.Text, "none")
	if !f.At.IsZero() {
		text += " since " + words.Stamp(f.At)
	}
	if f.State != "value" {
		text += " (" + f.State + ")"
	}
	if why := cmp.Or(f.Why, Last(f)); why != "" {
		text += ": " + why
	}
	for _, p := range []struct {
		name  string
		point *api.FieldPoint
	}{{"first", f.First}, {"lowest", f.Lowest}, {"highest", f.Highest}} {
		if p.point != nil && f.Entries > 1 {
			text += "; " + p.name + " " + Point(p.point)
		}
	}
	if e := f.Evidence; e.From != "" {
		text += fmt.Sprintf("; from %s %s", e.From, e.Path)
	}
	return text
}

// Last says what a value was before it disappeared; "" if that is not known.
func Last(f api.ItemField) string {
	if f.Last == "" {
		return ""
	}
	return "it was " + f.Last
}

// Point describes a value that a field had.
func Point(p *api.FieldPoint) string {
	if p == nil {
		return ""
	}
	return p.Text + " on " + p.At.Format(time.DateOnly)
}

// Unread says what was not read of the data that a page declares; "" if all was read.
func Unread(u *api.UnreadData) string {
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
		text += ", at “" + u.Text + "”"
	}
	return text
}

// uncomparedWords says what is not compared, and how often only that has changed.
func uncomparedWords(u *api.Uncompared) string {
	var out []string
	if u.Moved > 0 {
		out = append(out, fmt.Sprintf("furniture and text that changes by itself moved %s, last %s",
			words.Count(u.Moved, "time"), words.Stamp(u.Last)))
	}
	if u.Unread != "" {
		out = append(out, "text in "+u.Unread+", unless a selector asks for it")
	}
	for _, f := range u.Folded {
		out = append(out, fmt.Sprintf("%q (%s)", f.Line, f.Rule))
	}
	return strings.Join(out, "; ")
}

// listWords says what was read of a list, which of its entries were not registered, and why.
func listWords(l *api.ListState) string {
	out := []string{words.Count(l.Entries, "entry")}
	if l.More > 0 {
		out = append(out, words.Count(l.More, "further entry")+" not read")
	}
	for _, r := range l.Refused {
		out = append(out, "not registered: "+r.URL+": "+r.Why)
	}
	if l.RefusedMore > 0 {
		out = append(out, "and "+words.Count(l.RefusedMore, "more entry"))
	}
	return strings.Join(out, "; ")
}

// folderWords says what the last listing of a folder found and what it passed over.
func folderWords(f *api.FolderState) string {
	text := words.Count(f.Files, "file")
	if len(f.PassedOver) > 0 {
		text += "; passed over: "
	}
	return text + joined(f.PassedOver, func(p api.PassedOver) string {
		if p.Example == "" {
			return words.Thousands(p.Number) + " " + p.Why
		}
		return fmt.Sprintf("%s %s (%q)", words.Thousands(p.Number), p.Why, p.Example)
	})
}

// listedWords describes a new entry of a list, or says how many others there are.
func listedWords(l *api.ListedEntry) string {
	if l.More > 0 {
		return "and " + words.Count(l.More, "more entry")
	}
	return strings.Join(strings.Fields(l.Title+" "+l.URL+" "+l.ID), " ")
}

// changedWords says what has become of a value.
func changedWords(f api.ChangedField) string {
	text := f.Name + ": " + cmp.Or(f.Text, f.State)
	if f.Condition != "" {
		text += ", because " + f.Condition
	}
	return text
}
