package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
)

// Selector is a chain of parts, with a combinator before each part but the first. It is safe for concurrent use.
type Selector struct {
	chain []compound
	parts int // number of parts, with those of the selectors in its pseudo-classes
}

// compound is a part of a selector that matches one element.
type compound struct {
	combinator byte // combinator before this part: ' ', '>', '+' or '~'; 0 for the first part
	sel        cascadia.Sel
	siblings   bool // sel examines all siblings of an element
	tests      []test
}

// Bounds of a selector.
const (
	maxChain = 16 // number of parts between combinators
	maxDepth = 4  // number of selectors that stand in each other's pseudo-classes
)

// Parts returns the number of parts of the selector between combinators, including those in its pseudo-classes.
func (s *Selector) Parts() int { return s.parts }

// plain contains the pseudo-classes that package cascadia matches, and whether each examines siblings.
var plain = map[string]bool{
	"root": false, "empty": false, "containsown": false, "first-child": true, "last-child": true, "only-child": true,
	"first-of-type": true, "last-of-type": true, "only-of-type": true, "nth-child": true, "nth-last-child": true,
	"nth-of-type": true, "nth-last-of-type": true,
}

// functions contains the pseudo-classes that this package matches. Each makes a test of its argument.
var functions map[string]func(argument string, depth int) (test, error)

func init() { // not in the declaration, because the functions parse selectors themselves
	functions = map[string]func(string, int) (test, error){
		"is": parseAny, "where": parseAny, "not": parseNone, "has": parseHas, "lang": parseLanguages,
		"named": parseNamed, "column": parseColumn, "under": parseUnder,
	}
}

// Parse parses selectors separated by commas. The error is the reason why the text is not a selector.
func Parse(text string) ([]Selector, error) { return parse(text, 0) }

func parse(text string, depth int) (out []Selector, err error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d selectors stand in each other", maxDepth)
	}
	for _, one := range split(text, ',') {
		sel, err := parseChain(parts(one), depth)
		if err != nil {
			return nil, err
		}
		out = append(out, sel)
	}
	return out, nil
}

func parseChain(all []partOf, depth int) (sel Selector, err error) {
	if len(all) == 0 || len(all) > maxChain {
		return sel, fmt.Errorf("a selector has 1 to %d parts", maxChain)
	}
	for _, p := range all {
		c, err := parseCompound(p.text, depth)
		if err != nil {
			return sel, err
		}
		c.combinator = p.combinator
		sel.chain = append(sel.chain, c)
		sel.parts++
		for _, t := range c.tests {
			sel.parts += t.parts()
		}
	}
	return sel, nil
}

// parseCompound parses a part of a selector. Package cascadia parses what is left of it without the pseudo-classes of
// this package.
func parseCompound(text string, depth int) (c compound, err error) {
	rest := ""
	for i := 0; i < len(text); {
		if text[i] != ':' {
			end := after(text, i)
			rest += text[i:end]
			i = end
			continue
		}
		name, argument, end := pseudoClass(text, i)
		make, own := functions[name]
		siblings, known := plain[name]
		switch {
		case known && strings.Contains(strings.ToLower(argument), " of "):
			return c, fmt.Errorf(":%s takes a number or a rule such as 2n+1, without \"of\"", name)
		case known:
			c.siblings = c.siblings || siblings
			rest += text[i:end]
		case !own:
			return c, fmt.Errorf("the pseudo-class :%s is not supported; supported are %s", name, supported())
		case argument == "":
			return c, fmt.Errorf("write what :%s is about in parentheses behind it", name)
		case end < len(text) && !strings.ContainsRune(".#[:", rune(text[end])):
			return c, fmt.Errorf("%.40q stands directly behind :%s", text[end:], name)
		default:
			t, err := make(argument[1:len(argument)-1], depth+1)
			if err != nil {
				return c, err
			}
			c.tests = append(c.tests, t)
		}
		i = end
	}
	if rest == "" && len(c.tests) > 0 {
		rest = "*"
	}
	c.sel, err = cascadia.Parse(rest)
	return c, err
}

// pseudoClass returns the name of the pseudo-class at a position, its argument with the parentheses, and where it ends.
// The argument is empty if it has none, or if its parentheses are not closed.
func pseudoClass(text string, at int) (name, argument string, end int) {
	end = at + 1
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] == '-') {
		end++
	}
	name = strings.ToLower(text[at+1 : end])
	if end < len(text) && text[end] == '(' {
		if close := after(text, end); text[close-1] == ')' {
			return name, text[end:close], close
		}
		return name, "", len(text)
	}
	return name, "", end
}

// supported lists the pseudo-classes for people.
func supported() string {
	var names []string
	for name := range plain {
		names = append(names, ":"+name)
	}
	for name := range functions {
		names = append(names, ":"+name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// after returns the position behind the byte at a position of a selector, or behind all that begins with it: an escape,
// a string, or what stands in brackets or parentheses.
func after(text string, at int) int {
	depth := 0
	var quote byte
	for i := at; i < len(text); {
		switch c := text[i]; {
		case c == '\\':
			i = afterEscape(text, i)
			if depth == 0 && quote == 0 {
				return i
			}
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		}
		if i++; depth <= 0 && quote == 0 {
			return i
		}
	}
	return len(text)
}

// afterEscape returns the position behind an escape: up to six hexadecimal digits and a blank, or one character.
func afterEscape(text string, at int) int {
	i := at + 1
	for i < len(text) && i <= at+6 && strings.IndexByte("0123456789abcdefABCDEF", text[i]) >= 0 {
		i++
	}
	switch {
	case i > at+1 && strings.HasPrefix(text[i:], "\r\n"):
		return i + 2
	case i > at+1 && (i == len(text) || !isBlank(text[i])):
		return i
	}
	return min(i+1, len(text))
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// scan calls the given function for each byte of a selector that is neither escaped nor in a string, brackets or
// parentheses.
func scan(text string, at func(i int, c byte)) {
	for i := 0; i < len(text); {
		end := after(text, i)
		if end == i+1 {
			at(i, text[i])
		}
		i = end
	}
}

func split(text string, by byte) (out []string) {
	start := 0
	scan(text, func(i int, c byte) {
		if c == by {
			out, start = append(out, text[start:i]), i+1
		}
	})
	return append(out, text[start:])
}

// partOf is the text of a compound, with the combinator before the compound.
type partOf struct {
	combinator byte
	text       string
}

// parts splits a selector at its combinators. A misplaced combinator leaves an empty part.
func parts(text string) (out []partOf) {
	text = strings.TrimSpace(text)
	start, combinator := 0, byte(0)
	end := func(i int) {
		part := strings.TrimSpace(text[start:i])
		if part == "" && combinator == ' ' {
			return // these blanks are next to another combinator
		}
		out = append(out, partOf{combinator, part})
	}
	scan(text, func(i int, c byte) {
		switch {
		case isBlank(c):
			c = ' '
		case c != '>' && c != '+' && c != '~':
			return
		}
		blank := strings.TrimSpace(text[start:i]) == ""
		switch {
		case c == ' ' && blank && combinator != 0:
		case blank && combinator == ' ':
			combinator = c
		default:
			end(i)
			combinator = c
		}
		start = i + 1
	})
	end(len(text))
	return out
}
