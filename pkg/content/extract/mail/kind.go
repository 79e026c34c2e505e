package mail

import (
	"regexp"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// kindOf parses a Content-Type. A type that is syntactically wrong is text/plain (RFC 2045 §5.2), unless it can only
// mean another type. Parameters are found without a semicolon before them, too.
func kindOf(value string) (kind string, params map[string]string) {
	value = words.Clip(value, maxField) // parsing takes quadratic time
	kind, params, _, err := mediatype.Parse(value)
	if whole := wholeType.FindString(strings.ToLower(value)); err != nil || kind != strings.TrimSpace(whole) ||
		len(params) == 0 {
		if params = map[string]string{}; !wholeType.MatchString(value) {
			whole = firstToken.FindString(strings.ToLower(value))
		}
		kind = strings.Join(strings.Fields(whole), "")
		for _, m := range looseParam.FindAllStringSubmatch(value, 20) {
			if name := strings.ToLower(m[1]); params[name] == "" {
				params[name] = strings.Trim(m[2], `"`)
			}
		}
	}
	return meant(kind, params), params
}

var (
	// wholeType matches a media type at the beginning of a value.
	wholeType = regexp.MustCompile("^\\s*[A-Za-z0-9!#$&^_.+-]+\\s*/\\s*[A-Za-z0-9!#$&^_.+-]+")
	// firstToken matches a type without a subtype.
	firstToken = regexp.MustCompile(`^\s*[A-Za-z0-9.+-]*`)
	// looseParam matches a parameter, whatever precedes it.
	looseParam = regexp.MustCompile(`(?i)(?:^|[\s;,])([a-z][a-z0-9-]*)\s*=\s*("[^"]*"?|[^\s;,"]+)`)
)

// meant returns the type that a damaged type means.
func meant(kind string, params map[string]string) string {
	above, below, whole := strings.Cut(kind, "/")
	switch {
	case above == "html", above == "text" && below == "htm":
		return "text/html"
	case above == "multipart" && below == "", !whole && params["boundary"] != "":
		return "multipart/mixed"
	case !whole, below == "", above == "plain":
		return "text/plain"
	}
	return kind
}

// describe sets the type, the charset, the disposition and the name of a part, from its header.
func describe(p *enmime.Part) {
	p.ContentType, p.ContentTypeParams, p.Charset = "", nil, ""
	if value := p.Header.Get("Content-Type"); strings.TrimSpace(value) != "" {
		p.ContentType, p.ContentTypeParams = kindOf(value)
		p.Charset = label(p.ContentTypeParams["charset"])
	}
	disposition := words.Clip(p.Header.Get("Content-Disposition"), maxField)
	p.Disposition = strings.ToLower(strings.TrimSpace(firstToken.FindString(disposition)))
	p.FileName = nameIn(disposition, "filename")
	for _, param := range []string{"name", "file"} {
		if p.FileName == "" {
			p.FileName = nameIn(words.Clip(p.Header.Get("Content-Type"), maxField), param)
		}
	}
}

// Parameters with names in all forms of RFC 2231: "name", "name*", "name*0" and "name*0*".
var nameParams = map[string]*regexp.Regexp{"filename": nameParam("filename"), "name": nameParam("name"),
	"file": nameParam("file")}

func nameParam(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[;\s])` + name + `(?:\*(\d{1,3}))?(\*)?\s*=\s*("(?:[^"\\]|\\.)*"?|[^;"]*)`)
}

// nameIn returns the name in a parameter, with its pieces joined and decoded.
func nameIn(value, param string) string {
	var plain string
	var raw []byte
	charset, extended := "", false
	for _, m := range nameParams[param].FindAllStringSubmatch(value, 100) {
		text := unquoted(strings.TrimSpace(m[3]))
		if m[1] == "" && m[2] == "" {
			plain = text
			continue
		}
		if m[2] != "" {
			if parts := strings.SplitN(text, "'", 3); len(parts) == 3 && !extended {
				charset, text = parts[0], parts[2]
			}
			text = string(appendQuoted(nil, []byte(strings.ReplaceAll(strings.ReplaceAll(text, "=", "=3D"), "%", "="))))
		}
		raw, extended = append(raw, text...), true
	}
	if !extended {
		return plain
	}
	return toUTF8(raw, charset)
}

// unquoted returns a value without quotes around it and without backslashes before characters.
func unquoted(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	text = strings.TrimSuffix(text[1:], `"`)
	return escaped.ReplaceAllString(text, "$1")
}

var escaped = regexp.MustCompile(`\\(["\\])`)

// prepare describes the parts of a mail, and decodes their contents.
func prepare(p *enmime.Part) {
	for ; p != nil; p = p.NextSibling {
		describe(p)
		if p.FirstChild == nil {
			p.Content = decoded(p.Content, p.Header.Get("Content-Transfer-Encoding"),
				strings.HasPrefix(p.ContentType, "text/"))
		}
		prepare(p.FirstChild)
	}
}
