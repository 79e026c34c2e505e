package letter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// maxSubject is the length of a subject, and leastName that of the name of the page in a full one, in characters.
const (
	maxSubject = 90
	leastName  = 24
)

// happened has the words for kinds of change that say all there is to say in a subject.
var happened = map[api.ChangeKind]string{
	api.ChangeNew: "added", api.ChangeGone: "gone", api.ChangeBack: "back", api.ChangeFailing: "cannot be read",
	api.ChangeRecovered: "read again", api.ChangeWatchBroken: "the watched part is missing",
	api.ChangeWatchRestored: "the watched part was found again", api.ChangeImages: "other images",
	api.ChangeRemoved: "removed", api.ChangeLeft: "left the index", api.ChangeReturned: "in the index again",
	api.ChangeMetadata: "other metadata", api.ChangeBytes: "other content",
}

// Subject says in one line which page has changed, and its gravest difference: "Terms: notice period 30 → 7 days, and 2
// more". It has at most 90 characters. The name of the page is cut first, and no number is.
func Subject(c api.FeedChange) string { return under(name(c), c, 0) }

// SubjectOf is the subject of the changes of one check of a page, the gravest first. A new entry of a list is counted
// once, though the text of the list has it, too.
func SubjectOf(all []Part) string {
	more := 0
	for _, p := range all[1:] {
		n := differences(p.Change)
		if e := all[0].Change.Listed; e != nil && e.Title != "" && len(p.Change.Passages) > 0 &&
			strings.Contains(p.Change.Passages[0].Text, e.Title) {
			n--
		}
		more += n
	}
	return under(name(all[0].Change), all[0].Change, more)
}

// Gravest returns the changes of a check with the gravest first. Those that are as grave stay in their order.
func Gravest(all []Part) []Part {
	slices.SortStableFunc(all, func(a, b Part) int { return cmp.Compare(gravity(b.Change), gravity(a.Change)) })
	return all
}

// gravity says how much a change has to say, on the scale of the weights of passages.
func gravity(c api.FeedChange) int {
	const condition, lost, value, entry, other = 700, 600, 450, 360, 50
	fields := shownFields(c)
	switch {
	case len(fields) > 0 && fields[0].Condition != "":
		return condition
	case c.Kind == api.ChangeField:
		return value
	case c.Listed != nil:
		return entry
	case slices.Contains([]api.ChangeKind{api.ChangeGone, api.ChangeBack, api.ChangeFailing, api.ChangeRecovered,
		api.ChangeWatchBroken, api.ChangeWatchRestored}, c.Kind):
		return lost
	case len(c.Passages) > 0:
		return max(other, c.Passages[0].Weight)
	}
	return other
}

// under says below a name what has changed, and how many differences there are besides, with those of other changes.
func under(name string, c api.FeedChange, more int) string {
	size := utf8.RuneCountInString(name)
	text := what(c, name, maxSubject-len(": ")-min(size, leastName), more)
	return cut(name, maxSubject-len(": ")-utf8.RuneCountInString(text)) + ": " + text
}

// what says in at most so many characters what has changed on a page with a name.
func what(c api.FeedChange, name string, room, more int) string {
	rest := andMore(differences(c) - 1 + more)
	room -= utf8.RuneCountInString(rest)
	text, known := happened[c.Kind]
	switch fields := shownFields(c); {
	case c.Listed != nil && c.Listed.More > 0:
		text = words.Count(c.Listed.More, "more new entry")
	case c.Listed != nil:
		text = "new: " + cmp.Or(words.Clean(c.Listed.Title), c.Listed.URL)
	case leads(c):
		text = labelled(field.Word(fields[0].Name), words.Clean(fields[0].Text))
	case !known:
		const asBefore = ", as before"
		if text = "changed"; len(c.Passages) > 0 {
			text = tellings(c.Passages)[0].text(name, room-len(asBefore))
		}
		if c.Kind == api.ChangeReverted {
			text = cut(text, room-len(asBefore)) + asBefore
		}
	}
	return cut(text, room) + rest
}

// differences returns in how many places a change differs.
func differences(c api.FeedChange) (n int) {
	_, known := happened[c.Kind]
	switch {
	case leads(c):
		return len(shownFields(c))
	case known || c.Listed != nil:
		return 1
	}
	for _, t := range tellings(c.Passages) {
		n += 1 + t.pair.more
	}
	return max(n, 1) + c.More
}

// andMore says how many further differences there are.
func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return ", and " + strconv.Itoa(n) + " more"
}

// telling is a difference at one place: a pair of passages, or a row of a table.
type telling struct {
	pair pair
	row  string
}

// tellings says how passages differ, in their order.
func tellings(all []api.ChangedPassage) (out []telling) {
	var lines []api.ChangedPassage
	flush := func() {
		for _, p := range pairsOf(lines) {
			out = append(out, telling{pair: p})
		}
		lines = nil
	}
	for _, place := range api.ShownOf(all) {
		if place.Table == nil {
			lines = append(lines, place.Passage)
			continue
		}
		flush()
		for _, r := range place.Table.Rows {
			sign := map[string]string{"added": "new: ", "removed": "gone: ", opMoved: "moved: "}[r.Op]
			out = append(out, telling{pair{of: place.Of}, sign + RowText(place.Table, r)})
		}
	}
	flush()
	return out
}

// text says a difference in at most so many characters, if it can be cut so far.
func (t telling) text(name string, room int) string {
	of := namesOf(t.pair.of, name)
	if t.row != "" {
		return fitting(room, named(of, t.row), t.row)
	}
	return t.pair.text(of, room)
}

// namesOf returns the names of what a passage is of, without that of the page.
func namesOf(of, page string) (out []string) {
	for name := range strings.SplitSeq(of, api.BetweenNames) {
		if name = words.Clean(name); name != "" && !strings.EqualFold(name, page) {
			out = append(out, name)
		}
	}
	return out
}

// named puts names before a text.
func named(of []string, text string) string {
	if len(of) == 0 {
		return text
	}
	return strings.Join(of, api.BetweenNames) + ": " + text
}

// fitting returns the first of some texts that has at most so many characters, or else the last one, cut.
func fitting(room int, all ...string) string {
	for _, text := range all {
		if utf8.RuneCountInString(text) <= room {
			return text
		}
	}
	return cut(all[len(all)-1], room)
}

// cut shortens a text to so many characters, at a blank where there is one near, and never within a number.
func cut(text string, most int) string {
	all := []rune(text)
	if len(all) <= most {
		return text
	}
	at := max(most-1, 0)
	if blank := slices.IndexFunc(reversed(all[:min(at+1, len(all))]), isBlank); blank >= 0 && blank < at/2 {
		at -= blank
	}
	for at > 0 && isNumeric(all[at-1]) && isNumeric(all[at]) || at > 1 && isBlank(all[at-1]) {
		at--
	}
	for at > 1 && isBlank(all[at]) && isDigit(all[at-1]) && isDigit(all[min(at+1, len(all)-1)]) {
		for at > 0 && isNumeric(all[at-1]) { // "1 299" is one number
			at--
		}
	}
	return strings.TrimRight(string(all[:at]), " ,;:–—-") + "…"
}
