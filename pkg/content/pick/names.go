package pick

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// maxName limits the number of bytes of a name.
const maxName = 40

// isName reports whether a text can stand in a selector as it is.
func isName(text string) bool {
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_':
		case i > 0 && (r >= '0' && r <= '9' || r == '-'):
		default:
			return false
		}
	}
	return text != "" && len(text) <= maxName
}

// isValue reports whether the value of an attribute names what an element is, in place of what it shows at present.
func isValue(text string) bool {
	if text == "" || len(text) > maxName || strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
		return false
	}
	for _, r := range text {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-.:", r) || r >= '0' && r <= '9') {
			return false
		}
	}
	return isWords(text)
}

// isStable reports whether an id or a class looks like a name that a person gave.
func isStable(text string) bool { return isName(text) && !isMade(text) && isWords(text) }

// isMade reports whether a name has the form that some program gives to names of its own.
func isMade(name string) bool {
	for _, begin := range []string{"css-", "sc-", "jsx-", "svelte-", "jss", "emotion-", "ember", "radix-", "react-", "_ng",
		"ng-", "yui_", "ext-gen", "headlessui-", "mui-", "__"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// isWords reports whether each part of a name looks like a word or a short number, and one of them like a word.
func isWords(name string) bool {
	hasWord := false
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-_.:", r) }) {
		if isHash(part) {
			return false
		}
		hasWord = hasWord || unicode.IsLetter(rune(part[0]))
	}
	return hasWord
}

// isHash reports whether a part of a name looks like a number that counts, or like letters by chance.
func isHash(part string) bool {
	const (
		longNumber  = 4
		longLetters = 5
	)
	digits, letters, vowels, turns := 0, 0, 0, 0
	var before rune
	for _, r := range part {
		switch {
		case unicode.IsDigit(r):
			digits++
		default:
			letters++
			if strings.ContainsRune("aeiouyAEIOUY", r) {
				vowels++
			}
		}
		if before != 0 && unicode.IsUpper(r) && !unicode.IsUpper(before) {
			turns++
		}
		before = r
	}
	switch {
	case digits >= longNumber, letters >= longLetters && vowels == 0:
		return true
	case digits > 0 && letters > 0 && len(part) >= longLetters:
		if unicode.IsDigit(rune(part[0])) || !endsInNumber(part) {
			return true
		}
	}
	return turns > 1 && turns*3 > len(part)-1 // bdVaJaK: words of camel case are longer
}

// endsInNumber reports whether the digits of a part stand at its end, as in h1 and column2.
func endsInNumber(part string) bool {
	return !strings.ContainsFunc(strings.TrimRight(part, "0123456789"), unicode.IsDigit)
}

// isState reports whether a class says how an element is at present.
func isState(class string) bool {
	if strings.HasPrefix(class, "is-") || strings.HasPrefix(class, "has-") {
		return true
	}
	switch strings.ToLower(class) {
	case "active", "current", "selected", "open", "opened", "closed", "hidden", "visible", "show", "first", "last", "odd",
		"even", "loaded", "loading", "lazy", "lazyload", "hover", "focus", "disabled", "enabled", "collapsed", "expanded":
		return true
	}
	return false
}

// isUtility reports whether a class says how an element looks. Such classes change when the design does.
func isUtility(class string) bool {
	begin, _, _ := strings.Cut(class, "-")
	switch begin {
	case "m", "p", "mt", "mb", "ml", "mr", "mx", "my", "pt", "pb", "pl", "pr", "px", "py", "w", "h", "text", "bg",
		"border",
		"flex", "grid", "col", "row", "font", "gap", "rounded", "shadow", "z", "top", "left", "right", "bottom", "d", "order",
		"space", "items", "justify", "leading", "tracking", "align", "float", "clearfix", "container", "wrapper", "inline",
		"block", "relative", "absolute", "small", "large", "bold":
		return true
	}
	return false
}

// names returns selectors of one part by which a page names an element, the best first. Names that a program made for
// one version of the page are left out.
func names(n *html.Node) (out []string) {
	if id := dom.Attr(n, "id"); isStable(id) {
		out = append(out, "#"+id)
	}
	for _, key := range []string{"itemprop", "property"} {
		if v := dom.Attr(n, key); v != "" && isValue(v) {
			out = append(out, attribute(key, v))
		}
	}
	const most = 3 // attributes, and classes
	data := 0
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "data-") && isName(a.Key) && isValue(a.Val) && a.Namespace == "" && data < most {
			out = append(out, attribute(a.Key, a.Val))
			data++
		}
	}
	var late []string
	for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
		switch {
		case !isStable(class) || isState(class) || len(late) > most:
		case isUtility(class):
			late = append(late, "."+class)
		case len(ofKind(out, '.')) < most:
			out = append(out, "."+class)
		}
	}
	if len(ofKind(out, '.')) == 0 {
		out = append(out, late...)
	}
	return out
}

// ofKind returns the selectors that begin with a sign.
func ofKind(selectors []string, sign byte) (out []string) {
	for _, s := range selectors {
		if s[0] == sign {
			out = append(out, s)
		}
	}
	return out
}

func attribute(key, value string) string { return "[" + key + `="` + value + `"]` }

// suffixes are the endings that a program gives to the classes of a page, as CSS modules do: Card_title__a1B2c.
type suffixes struct {
	isUsed  bool
	counted map[string]map[string]bool // the classes that end in a number, by what stands before it
}

var (
	// numbered finds a class with a suffix and a number, such as title_a1B2c_12.
	numbered = regexp.MustCompile(`^([A-Za-z][\w-]*_)[A-Za-z0-9_-]{5}_\d+$`)
	// suffixed finds a class that may have a suffix.
	suffixed = regexp.MustCompile(`^([A-Za-z][\w-]*__)([A-Za-z0-9_-]{5,8})$`)
	// labelled finds a class that ends in a name, such as css-a1b2c3-title.
	labelled = regexp.MustCompile(`^css-[a-z0-9]{3,10}(-[A-Za-z][\w-]*)$`)
)

// suffixesOf finds out whether a program has made the endings of the classes of a page: most of them are no words.
func suffixesOf(root *html.Node) *suffixes {
	const least = 3
	made, words, counted := map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}
	for n := range root.Descendants() {
		for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
			if stem, has := cutNumber(class); has {
				if counted[stem] == nil {
					counted[stem] = map[string]bool{}
				}
				counted[stem][class] = true
			}
			if m := suffixed.FindStringSubmatch(class); m != nil {
				if strings.ToLower(m[2]) != m[2] || strings.ContainsAny(m[2], "0123456789") {
					made[class] = true
				} else {
					words[class] = true
				}
			}
		}
	}
	return &suffixes{len(made) >= least && len(made) > len(words), counted}
}

func (s *suffixes) stem(class string) string {
	for _, form := range []*regexp.Regexp{numbered, labelled, suffixed} {
		if m := form.FindStringSubmatch(class); m != nil && (form != suffixed || s.isUsed) {
			return m[1]
		}
	}
	return ""
}
