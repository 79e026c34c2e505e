package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxLanguage bounds the name of a language of code, in bytes.
const maxLanguage = 32

// codeLanguage is the language that the markup of a listing names: on its pre element, on the code
// element in it, or on what a highlighter put around it. The first that is named counts.
func codeLanguage(pre *html.Node) string {
	for _, n := range [...]*html.Node{child(pre, atom.Code), pre, pre.Parent, grandparent(pre)} {
		if n == nil || n.Type != html.ElementNode {
			continue
		}
		if name := languageOf(n); name != "" {
			return name
		}
	}
	return ""
}

func grandparent(n *html.Node) *html.Node {
	if n.Parent == nil { // Unreachable: a pre element stands in a body.
		return nil
	}
	return n.Parent.Parent
}

// languageOf is the language that an element names: by a class as the HTML standard advises
// (§4.5.15, "language-go"), or in the manner of common highlighters.
func languageOf(n *html.Node) string {
	for _, key := range [...]string{"data-lang", "data-language"} {
		if name := languageName(attr(n, key)); name != "" {
			return name
		}
	}
	for class := range strings.FieldsSeq(attr(n, "class")) {
		for _, prefix := range [...]string{"language-", "lang-", "highlight-source-"} {
			if name, found := strings.CutPrefix(class, prefix); found && languageName(name) != "" {
				return languageName(name)
			}
		}
	}
	return ""
}

// languageName is the name in lower case, without what may follow it in the info string of a fence
// ("go,linenos", "go{1,3}"); empty when nothing is named.
func languageName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	end := strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("+#-._", r))
	})
	if end >= 0 {
		name = name[:end]
	}
	if len(name) > maxLanguage {
		return ""
	}
	return name
}
