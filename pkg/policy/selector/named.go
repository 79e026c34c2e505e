package selector

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// pattern is a text with which names are compared: its pieces stand in a name in this order, the first at its
// beginning and the last at its end.
type pattern []string

func (t pattern) matches(name string) bool {
	name = fold(name)
	first, last := t[0], t[len(t)-1]
	if len(t) == 1 {
		return name == first
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for _, piece := range t[1 : len(t)-1] {
		_, behind, found := strings.Cut(name, piece)
		if !found {
			return false
		}
		name = behind
	}
	return strings.HasSuffix(name, last)
}

// parseTexts parses strings separated by commas.
func parseTexts(argument string) (out []pattern, err error) {
	for _, one := range split(argument, ',') {
		one = strings.TrimSpace(one)
		if len(one) < 2 || one[0] != '"' && one[0] != '\'' || after(one, 0) != len(one) || one[len(one)-1] != one[0] {
			return nil, errors.New(`write a text in quotes, such as :named("Great Hall")`)
		}
		text := strings.Join(strings.Fields(unescape(one[1:len(one)-1])), " ")
		if strings.Trim(text, "* ") == "" && len(out) == 0 && text != "*" || text == "" {
			return nil, errors.New("a name is empty: write the text that it has")
		}
		if len(text) > MaxName {
			return nil, fmt.Errorf("a name has more than %d bytes: write its beginning, and * for the rest", MaxName)
		}
		out = append(out, strings.Split(fold(text), "*"))
	}
	return out, nil
}

// unescape returns the text of a string of CSS.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			i++
			continue
		}
		end := afterEscape(text, i)
		var r rune
		if n, _ := fmt.Sscanf(text[i+1:end], "%x", &r); n == 1 {
			b.WriteRune(r)
		} else {
			b.WriteString(text[i+1 : end])
		}
		i = end
	}
	return b.String()
}

// IsName reports whether a text, in which * stands for any text, is a name or says the same.
func IsName(text, name string) bool {
	text = fold(strings.Join(strings.Fields(text), " "))
	return text != "" && pattern(strings.Split(text, "*")).matches(strings.Join(strings.Fields(name), " "))
}

// Quote returns a text as a string of CSS, for example as a name in :named.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// named is the test of :named. It is used by its address, as a key of maps. The first text is the name of the
// element, the others are lines of it.
type named []pattern

func parseNamed(argument string, _ int) (test, error) {
	texts, err := parseTexts(argument)
	return (*named)(&texts), err
}

func (t *named) holds(p *Page, n *html.Node) bool {
	texts := *t
	if !isAny(texts[0]) && !anyMatches(texts[0], p.Names(n)) {
		return false
	}
	for _, text := range texts[1:] {
		has := false
		p.lines(n, func(line string) bool {
			has = text.matches(line)
			return !has
		})
		if !has {
			return false
		}
	}
	return true
}

func (t *named) parts() int { return 0 }

func isAny(t pattern) bool { return len(t) == 2 && t[0] == "" && t[1] == "" }

func anyMatches(t pattern, names []string) bool {
	for _, name := range names {
		if t.matches(name) {
			return true
		}
	}
	return false
}

// written returns the texts of a test for people.
func written(texts []pattern) string {
	var out []string
	for _, t := range texts {
		out = append(out, strings.Join(t, "*"))
	}
	return "“" + strings.Join(out, "”, “") + "”"
}

// nameIn finds the names in a selector: the part whose name it is, how it is named, and the name.
var nameIn = regexp.MustCompile(
	`(tr|td|th|li|article|table)?[^ :"]*:(named|column|under)\((?:"\*", )?"((?:[^"\\]|\\.)*)"`)

// Words says what a selector chooses, for people: the row “9 December”. It returns "" for a selector without names.
func Words(text string) string {
	var out []string
	for _, m := range nameIn.FindAllStringSubmatch(text, -1) {
		noun := map[string]string{"tr": "row", "td": "cell", "th": "cell", "table": "table", "": "part"}[m[1]]
		says := map[string]string{"named": "the " + cmp.Or(noun, "entry"), "column": "the column",
			"under": "what stands under"}[m[2]]
		out = append(out, says+" “"+unescape(m[3])+"”")
	}
	slices.Reverse(out) // the innermost first
	return strings.Join(out, " of ")
}
