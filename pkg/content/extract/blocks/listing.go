package blocks

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// maxLanguage bounds the name of a language of code, in bytes.
const maxLanguage = 32

// codeLanguage returns the first language that the markup of a listing gives. It examines the pre element, the code
// element in it, and the elements that a highlighter put around it. It ignores the tables that hold line numbers.
func codeLanguage(pre *html.Node) string {
	if code := dom.Child(pre, atom.Code); code != nil {
		if name := languageOf(code); name != "" {
			return name
		}
	}
	const around = 3 // elements to examine: the pre element, and two that highlighters put around it
	n := pre
	for i := 0; i < around && n != nil && n.Type == html.ElementNode; n = n.Parent {
		switch n.DataAtom {
		case atom.Td, atom.Tr, atom.Tbody, atom.Table, atom.Code:
			continue
		}
		if name := languageOf(n); name != "" {
			return name
		}
		i++
	}
	return ""
}

// languageOf returns the language that an element gives, in a class as the HTML standard advises (§4.5.15,
// "language-go"), or in the form that a common highlighter uses.
func languageOf(n *html.Node) string {
	for _, key := range [...]string{"data-lang", "data-language"} {
		if name := languageName(dom.Attr(n, key)); name != "" {
			return name
		}
	}
	classes := dom.Attr(n, "class")
	for class := range strings.FieldsSeq(classes) {
		for _, prefix := range [...]string{"language-", "lang-", "highlight-source-", "highlight-"} {
			if name, found := strings.CutPrefix(class, prefix); found && languageName(name) != "" {
				return languageName(name)
			}
		}
	}
	return besideHighlighter(classes)
}

// besideHighlighter returns the language that follows the name of a highlighter among the classes, as in "hljs go"
// and "brush: go;".
func besideHighlighter(classes string) string {
	last, isListing := "", false
	for class := range strings.FieldsSeq(classes) {
		switch {
		case class == "hljs":
			isListing = true
		case class == "highlight", class == "nohighlight":
		case last == "brush:":
			return languageName(class)
		default:
			last = class
		}
	}
	if !isListing {
		return ""
	}
	return languageName(last)
}

// languageName returns a language's name in lower case, without the options that may follow it in the info string of
// a fence ("go,linenos", "go{1,3}"). It returns "" if there is no name.
func languageName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	end := strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("+#-._", r))
	})
	if end >= 0 {
		name = name[:end]
	}
	switch {
	case len(name) > maxLanguage, name == "default", name == "none", name == "text", name == "plaintext":
		return ""
	}
	return name
}
