package robots

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// preformatted returns the text of a page in HTML that shows one pre element and nothing else. Some servers send
// robots.txt so. It returns any other text unchanged, also that of a page with words around the element: an error page
// or an article about robots.txt does not give the rules of the site.
func preformatted(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "<") {
		return text
	}
	var out strings.Builder
	within, elements, unseen := false, 0, atom.Atom(0)
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if elements != 1 {
				return text
			}
			return out.String()
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch tag, start := atom.Lookup(name), kind == html.StartTagToken; {
			case tag == atom.Pre:
				within = start
				if start {
					elements++
				}
			case tag == atom.Br:
				out.WriteByte('\n')
			case tag == atom.Title || tag == atom.Style || tag == atom.Script:
				if unseen = 0; start {
					unseen = tag
				}
			}
		case html.TextToken:
			shown := string(z.Text())
			switch {
			case within:
				out.WriteString(shown)
			case unseen == 0 && strings.TrimSpace(shown) != "":
				return text
			}
		}
	}
}

// unquoted returns a value without the quotes around it. Neither the name of a crawler nor a path begins with one.
func unquoted(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return strings.TrimSpace(value[1 : n-1])
	}
	return value
}
