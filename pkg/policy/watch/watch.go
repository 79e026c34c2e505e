// Package watch decides which part of a page a user watches: which elements are included, which lines are ignored,
// and which text a change must contain to be reported. The package only computes, in bounded time for any page.
//
// # What is watched
//
// Include selectors choose the watched elements. If there are none, the whole page is watched. Exclude selectors
// choose elements to leave out. In JSON, paths of RFC 9535 choose values in the same way: see [jsonpath.Is]. A list
// may hold both, because a tag may have pages and JSON. Of a document, only the rules for its type apply. The
// remaining text is handled line by line. A line that matches an ignore rule is ignored. If there is a trigger, a
// change is reported only if the trigger matches the remaining text after the change. So the trigger "in stock"
// reports that the words have appeared, and changes while they are present, but not that they have disappeared.
//
// # Bounds
//
// Selectors are matched in bounded time: see package selector. Regular expressions are those of RE2, whose time is
// linear in the text and in their size. The text and the size are bounded.
package watch

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/base/pattern"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// Spec is a user's setting. The zero Spec watches the whole page.
type Spec struct {
	Include []string `json:"include,omitempty"` // CSS selectors for web pages, and JSONPaths, which begin with $, for JSON
	Exclude []string `json:"exclude,omitempty"` // as Include
	Ignore  []string `json:"ignore,omitempty"`  // regular expressions for lines
	Trigger string   `json:"trigger,omitempty"` // a regular expression for the text
	List    *List    `json:"list,omitempty"`    // the page is a list
}

// List says which entries of a list are watched.
type List struct {
	// Links are CSS selectors of the links to the entries, or of what holds them, and JSONPaths, as in
	// [Spec].Include. If there are none, the links of the watched part are the entries, or of the content.
	Links []string `json:"links,omitempty"`
}

// Bounds of a [Spec].
const (
	maxRules     = 50   // number of rules in each list
	maxRule      = 500  // number of characters in each rule
	maxCompounds = 200  // number of parts between combinators, in all selectors together
	maxProgram   = 1000 // size of one regular expression, see [pattern.Pattern]
	maxPrograms  = 3000 // size of all regular expressions together
)

// Rules are a compiled [Spec]. They are safe for concurrent use.
type Rules struct {
	include, exclude chooser
	name             string // see [Rules.Name]
	ignore           []rule
	trigger          *regexp.Regexp
	list             *chooser // nil if the page is not a list
}

// chooser is a list of rules that choose parts of a document. Of a document, only the rules of its type apply.
type chooser struct {
	selectors []selector.Selector
	paths     []jsonpath.Path
}

func (c chooser) empty() bool { return len(c.selectors)+len(c.paths) == 0 }

// rule is a regular expression, as it was written and as it was compiled.
type rule struct {
	text string
	re   *regexp.Regexp
}

// Compile compiles a user's setting. Errors: Invalid, with the name of the field: watch.include, watch.exclude,
// watch.ignore, watch.trigger or watch.listLinks.
func Compile(s Spec) (*Rules, error) {
	r := Rules{name: nameOf(s.Include)}
	var err error
	compounds := 0
	links := List{}
	if s.List != nil {
		links, r.list = *s.List, &chooser{}
	}
	for _, list := range []struct {
		field string
		texts []string
		into  *chooser
	}{{"watch.include", s.Include, &r.include}, {"watch.exclude", s.Exclude, &r.exclude},
		{"watch.listLinks", links.Links, r.list}} {
		if err := checkCount(list.field, list.texts); err != nil {
			return nil, err
		}
		for _, text := range list.texts {
			parts, err := list.into.add(text)
			if compounds += parts; err != nil {
				return nil, fault.Field(list.field, "%s: %w", list.field, err)
			}
		}
		if compounds > maxCompounds {
			return nil, fault.Field(list.field, "%s: the selectors have more than %d parts together: use fewer, or shorter ones",
				list.field, maxCompounds)
		}
	}
	if err := checkCount("watch.ignore", s.Ignore); err != nil {
		return nil, err
	}
	size := 0
	for _, text := range s.Ignore {
		re, err := expression("watch.ignore", text, &size)
		if err != nil {
			return nil, err
		}
		r.ignore = append(r.ignore, rule{text, re})
	}
	if s.Trigger != "" {
		r.trigger, err = expression("watch.trigger", s.Trigger, &size)
	}
	return &r, err
}

// add adds a rule. It returns the number of parts of its selectors.
func (c *chooser) add(text string) (parts int, err error) {
	if jsonpath.Is(text) {
		if err := checkText(text); err != nil {
			return 0, err
		}
		p, err := jsonpath.Parse(text)
		c.paths = append(c.paths, p)
		return 0, err
	}
	found, err := parseSelector(text)
	for i := range found {
		parts += found[i].Parts()
	}
	c.selectors = append(c.selectors, found...)
	return parts, err
}

func checkCount(field string, list []string) error {
	if len(list) > maxRules {
		return fault.Field(field, "%s has %d entries; at most %d are allowed", field, len(list), maxRules)
	}
	return nil
}

// checkText checks the text of a rule of any kind. It says what package form does.
func checkText(text string) error {
	switch n := len([]rune(text)); {
	case strings.TrimSpace(text) == "":
		return fault.New(fault.Invalid, "has an empty rule: leave it out")
	case n > maxRule:
		return fault.New(fault.Invalid, "has an entry of %d characters; at most %d are allowed", n, maxRule)
	}
	return nil
}

// expression compiles a regular expression and checks its size. It adds the size to the given sum.
func expression(field, text string, size *int) (*regexp.Regexp, error) {
	if err := checkText(text); err != nil {
		return nil, fault.Field(field, "%s: %w", field, err)
	}
	bad := func(why string) error {
		return fault.Field(field, "%s: %.100q is not a regular expression (RE2): %.200s", field, text, why)
	}
	re, err := pattern.Compile(text, maxProgram)
	if err != nil {
		return nil, bad(err.Error() + "; before a sign such as ( or + that stands for itself, write a \\")
	}
	if *size += re.Size; *size > maxPrograms {
		return nil, bad("together with the others it is too large: repeat less, or use fewer rules")
	}
	if re.Regexp.MatchString("") {
		return nil, bad("it matches every line: name what a line has to hold")
	}
	return re.Regexp, nil
}

// Selects reports whether there are selectors or paths.
func (r *Rules) Selects() bool { return !r.include.empty() || !r.exclude.empty() }

// Narrow reports whether only included elements or values are watched.
func (r *Rules) Narrow() bool { return !r.include.empty() }

// Ignored returns the ignore rule that matches a line; "" if the line is not ignored. A rule matches an item of a list
// with its bullet or number, or without.
func (r *Rules) Ignored(line string) string {
	line = strings.TrimSpace(line)
	item := ofItem(line)
	for _, rule := range r.ignore {
		if rule.re.MatchString(line) || item != line && rule.re.MatchString(item) {
			return rule.text
		}
	}
	return ""
}

// marker finds the bullet or the number of an item of a list, and the box of a task.
var marker = regexp.MustCompile(`^(?:[-*•]|\d+(?:\.\d+)*[.)]|[a-z][.)]|\[\^[^\]]*\]:|:) +(?:\[[ x]\] +)?`)

// ofItem returns a line without the bullet or the number of an item of a list.
func ofItem(line string) string { return line[len(marker.FindString(line)):] }

// bare returns a line without the bullet of an item. The number of an item stays: it may say something.
func bare(line string) string {
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") {
		return ofItem(line)
	}
	return line
}

// Ignores reports whether there are ignore rules.
func (r *Rules) Ignores() bool { return len(r.ignore) > 0 }

// MaxText is the number of bytes at the beginning of a text to which the ignore rules and the trigger apply. Lines
// after that are never ignored.
const MaxText = 1 << 20

// Triggered reports whether the trigger allows a change to be reported. The argument is the text after the change.
func (r *Rules) Triggered(text string) bool {
	return r.trigger == nil || r.trigger.MatchString(text[:min(len(text), MaxText)])
}

// Trigger returns the trigger as it was written; "" if there is none.
func (r *Rules) Trigger() string {
	if r.trigger == nil {
		return ""
	}
	return r.trigger.String()
}

// Name says for people what is watched: the row “9 December”.
func (r *Rules) Name() string { return r.name }

// nameOf returns the name of what some selectors choose.
func nameOf(include []string) string {
	const most = 60
	if len(include) == 1 {
		if name := selector.Words(include[0]); name != "" {
			return words.Ellipsis(name, most)
		}
	}
	return "the part that is watched"
}

// Lost returns the reason why a watched part, which is named, counts as broken; "" if it does not. It depends on the
// number of elements found, on the number of letters in them now, and on the number of letters when the part was last
// as expected.
func Lost(part string, elements, letters, before int) string {
	const times = 10
	switch {
	case elements == 0:
		return part + " is no longer on the page"
	case before > 0 && letters == 0:
		return part + " has no text any more"
	case letters*times < before:
		return fmt.Sprintf("%s has %d letters, and had %d: less than a tenth", part, letters, before)
	}
	return ""
}
