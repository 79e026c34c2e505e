package letter

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// This file reads how a rule words its messages: a text with variables such as {{title}}, which stand for what is
// known of a change.
//
// The result is text, not markup. Values are put in once and never read again, so that a page cannot name a variable.
// There are no conditions, loops or functions: the cost is bounded by the lengths of the text and of the values. A line
// whose variables are all empty is left out, so that "Mute: {{mute}}" does not stay behind without its link.

// Bounds, in bytes.
const (
	MaxTitle  = 300      // of the wording of a title
	MaxText   = 4000     // of the wording of a text
	maxResult = 16 << 10 // of a text with its values
)

// Words are the values of variables, by their names.
type Words map[string]string

// Wording is a text with variables. Its zero value is an empty text.
type Wording struct{ lines [][]piece }

// piece is literal text, or the name of a variable.
type piece struct {
	text     string
	variable bool
}

// Piece is a part of a text with its values.
type Piece struct {
	Text string
	Link bool // it is the value of a variable that is an address
}

// ParseWording reads a text of at most so many bytes. Errors: Invalid, which name the variable that is not known and
// all that are.
func ParseWording(text string, most int) (w Wording, err error) {
	if len(text) > most {
		return w, fault.New(fault.Invalid, "%d bytes; at most %d are allowed", len(text), most)
	}
	if text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")); text == "" {
		return w, nil
	}
	for l := range strings.SplitSeq(text, "\n") {
		line, err := parseLine(strings.TrimRight(l, " \t\r"))
		if err != nil {
			return Wording{}, err
		}
		w.lines = append(w.lines, line)
	}
	return w, nil
}

func parseLine(text string) (out []piece, err error) {
	for text != "" {
		before, rest, found := strings.Cut(text, "{{")
		if before != "" {
			out = append(out, piece{text: words.CleanPiece(before)})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, fault.New(fault.Invalid, "{{%s has no end: a variable is written as {{title}}",
				words.Ellipsis(words.Clean(rest), 40))
		}
		if name = strings.TrimSpace(name); !slices.Contains(variableNames(), name) {
			return nil, fault.New(fault.Invalid, "{{%s}} is not known: there are %s",
				words.Ellipsis(words.Clean(name), 40), strings.Join(variableNames(), ", "))
		}
		out, text = append(out, piece{name, true}), after
	}
	return out, nil
}

// Empty reports whether there is no text.
func (w Wording) Empty() bool { return len(w.lines) == 0 }

// With returns the text with the values of its variables, cleaned of characters that control or turn what follows. It
// ends in an ellipsis if it was too long.
func (w Wording) With(values Words) (out []Piece) {
	left := maxResult
	for _, l := range w.lines {
		if hollow(l, values) {
			continue
		}
		if len(out) > 0 {
			out = append(out, Piece{Text: "\n"})
		}
		for _, p := range l {
			next := Piece{Text: p.text}
			if p.variable {
				next = Piece{cleaned(values[p.text]), isLink(p.text)}
			}
			if left -= len(next.Text); left < 0 {
				return append(out, Piece{Text: "…"})
			}
			out = append(out, next)
		}
	}
	return out
}

// hollow reports whether a line has variables, and all of them are empty.
func hollow(line []piece, values Words) bool {
	variables := 0
	for _, p := range line {
		if p.variable && values[p.text] != "" {
			return false
		}
		if p.variable {
			variables++
		}
	}
	return variables > 0
}

// cleaned cleans a value line by line.
func cleaned(value string) string {
	var out []string
	for l := range strings.SplitSeq(value, "\n") {
		out = append(out, words.Clean(l))
	}
	return strings.Join(out, "\n")
}

// PlainText returns pieces as one text.
func PlainText(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return strings.TrimSpace(b.String())
}

// Variable is what a wording may stand for.
type Variable struct {
	Name, Means string
	Link        bool // its value is an address
}

// Variables are all variables, in the order in which people are told of them.
var Variables = []Variable{
	{Name: "title", Means: "title of the page, or else its address"},
	{Name: "url", Means: "address of the page", Link: true},
	{Name: "host", Means: "host of the page"},
	{Name: "type", Means: "url, file or entry"},
	{Name: "kind", Means: "kind of the change, such as content, new or gone"},
	{Name: "summary", Means: "what has changed, in a few words"},
	{Name: "added", Means: "the text that was added: the first lines"},
	{Name: "removed", Means: "the text that was removed"},
	{Name: "difference", Means: "both, with + and - before each line"},
	{Name: "extent", Means: "how much has changed"},
	{Name: "why", Means: "why the change was recorded"},
	{Name: "tags", Means: "tags of the page, with commas"},
	{Name: "time", Means: "time of the change, in the time zone of the alert"},
	{Name: "rule", Means: "name of the alert"},
	{Name: "field", Means: "name of the field that has changed, such as price; of several, that of the condition"},
	{Name: "previous", Means: "value of the field before"},
	{Name: "current", Means: "value of the field now"},
	{Name: "value", Means: "both, such as 79 → 84 EUR (lowest 72 in May)"},
	{Name: "condition", Means: "the alert's condition that is met, such as price is below 80 EUR"},
	{Name: "entry", Means: "of a watched list: title of its new entry"},
	{Name: "entryUrl", Means: "address of that entry", Link: true},
	{Name: "link", Means: "address of the difference, here", Link: true},
	{Name: "item", Means: "address of the page's own page, here", Link: true},
	{Name: "whyLink", Means: "address that says who was told, and why", Link: true},
	{Name: "mute", Means: "address that mutes the page for the alert", Link: true},
}

// variableNames returns the names of all variables.
func variableNames() (out []string) {
	for _, v := range Variables {
		out = append(out, v.Name)
	}
	return out
}

func isLink(name string) bool {
	for _, v := range Variables {
		if v.Name == name {
			return v.Link
		}
	}
	return false
}
