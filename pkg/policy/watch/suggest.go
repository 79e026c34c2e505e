package watch

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// leastCommon is the minimum number of letters and digits that a suggested rule keeps from its lines.
const leastCommon = 3

// Suggest makes an ignore rule from the old and the new form of a line. The rule keeps the words at the beginning and
// the end that both forms have in common. It matches any number where both forms have a number, and any weekday or
// month where both have one beside a number. Errors: Invalid if the two forms have too little in common.
func Suggest(was, is string) (string, error) {
	was, is = strings.TrimSpace(strings.ToValidUTF8(was, "�")), strings.TrimSpace(strings.ToValidUTF8(is, "�"))
	if was == "" || is == "" {
		was, is = was+is, was+is
	}
	rule, kept := suggest(was, is, languagesOf(was+" "+is))
	if len(rule) > MaxRule*9/10 {
		rule, kept = suggest(was, is, nil) // the names take too much room
	}
	letters := 0
	for _, r := range strings.ReplaceAll(anyNames.ReplaceAllString(kept, ""), `\d`, "") {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	switch {
	case letters < leastCommon && was == is && !strings.Contains(rule, `\d`):
		return "", fault.New(fault.Invalid, "%.60q has too few letters for a rule: give a pattern", is)
	case letters < leastCommon && was != is:
		return "", fault.New(fault.Invalid, "%.60q and %.60q have too little in common for a rule: give a pattern",
			was, is)
	case letters < leastCommon:
		return "", fault.New(fault.Invalid,
			"%.60q is little but numbers, which a rule would ignore everywhere: give a pattern", is)
	}
	return clipRule(rule), nil
}

// suggest makes the rule, and returns what it keeps of both forms.
func suggest(was, is string, languages [][]string) (rule, kept string) {
	a, b := pieces(was, languages), pieces(is, languages)
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	head, tail := strings.Join(b[:start], " "), strings.Join(b[len(b)-end:], " ")
	rule = "^" + head
	switch {
	case start == len(a) && start == len(b):
		rule += "$"
	case end > 0:
		rule += ".*" + tail + "$"
	}
	return rule, head + tail
}

var number = regexp.MustCompile(`\pN+`)

// pieces returns the words of a line as regular expressions. In place of each number they match any number, and in
// place of a weekday or a month beside a number any other of the languages.
func pieces(line string, languages [][]string) (out []string) {
	const most = 60 // number of words of a line
	words := strings.Fields(line)
	for i, w := range words[:min(len(words), most)] {
		names, ok := anyHalf(strings.Join(words[max(0, i-1):i], ""), w)
		if !ok && isBesideNumber(words, i) {
			names, ok = anyName(w, languages)
		}
		if !ok {
			names = anyNumber(w)
		}
		out = append(out, names)
	}
	return out
}

// isBesideNumber reports whether a word, or one next to it, has a digit.
func isBesideNumber(words []string, i int) bool {
	return slices.ContainsFunc(words[max(0, i-1):min(len(words), i+2)], number.MatchString)
}

// anyNumber returns a regular expression for a text in which any number may stand for each of its numbers.
func anyNumber(text string) string {
	var out strings.Builder
	at := 0
	for _, m := range number.FindAllStringIndex(text, -1) {
		out.WriteString(regexp.QuoteMeta(text[at:m[0]]) + `\d+`)
		at = m[1]
	}
	return out.String() + regexp.QuoteMeta(text[at:])
}

// clipRule cuts a rule that is too long. It cuts at a space, because a space is always a literal.
func clipRule(rule string) string {
	const enough = MaxRule * 9 / 10
	if len(rule) <= enough {
		return rule
	}
	rule = rule[:enough]
	if i := strings.LastIndexByte(rule, ' '); i > 0 {
		return rule[:i]
	}
	return rule
}
