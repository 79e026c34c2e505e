package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
)

// front is what the header of a Markdown document says about it.
type front struct {
	title              string
	published, changed []string
	authors            []string
}

// maxFront bounds the header of a Markdown document, in bytes.
const maxFront = 64 << 10

// frontMatter removes the header of a document: YAML between lines of "---", or TOML between lines of "+++". It
// returns what the header says, and the rest of the document. A text that only begins with a line of "---" keeps it.
func frontMatter(text string) (f front, body string) {
	for _, form := range []struct{ fence, separator string }{{"---", ":"}, {"+++", "="}} {
		rest, found := strings.CutPrefix(strings.TrimPrefix(text, "\ufeff"), form.fence+"\n")
		if !found {
			continue
		}
		header, body, closed := cutLine(rest, form.fence)
		if !closed && form.fence == "---" {
			header, body, closed = cutLine(rest, "...")
		}
		if !closed {
			return f, text
		}
		f.read(header, form.separator)
		return f, body
	}
	return f, text
}

// cutLine divides a text at the first line that consists of the argument line, within [maxFront].
func cutLine(text, line string) (before, after string, found bool) {
	head := text[:min(len(text), maxFront)]
	if after, found = strings.CutPrefix(text, line+"\n"); found {
		return "", after, true
	}
	if at := strings.Index(head, "\n"+line+"\n"); at >= 0 {
		return text[:at+1], text[at+len(line)+2:], true
	}
	if len(head) == len(text) && strings.HasSuffix(text, "\n"+line) {
		return strings.TrimSuffix(text, line), "", true
	}
	return "", text, false
}

// read reads the lines "key: value" of a header, or "key = value", and the lists below them. It knows the forms that
// people write, not all of YAML and TOML.
func (f *front) read(header, separator string) {
	key, table := "", ""
	for line := range strings.Lines(header) {
		line = strings.TrimRight(line, " \t\n")
		inner := strings.TrimLeft(line, " \t")
		indented := len(inner) < len(line)
		item, isItem := strings.CutPrefix(inner, "- ")
		switch name, value, found := strings.Cut(inner, separator); {
		case inner == "" || inner[0] == '#':
		case isItem && key != "":
			f.item(key, item)
		case indented && key != "":
			f.item(key, inner)
		case strings.HasPrefix(inner, "["): // a table of TOML: what follows is not about the document
			if table = strings.Trim(inner, "[] "); table != "author" && table != "authors" {
				return
			}
		case table != "":
			f.item(table, inner)
		case found && !indented:
			key = strings.ToLower(strings.TrimSpace(name))
			f.add(key, strings.TrimSpace(value))
		}
	}
}

// item reads an item of the list below a key, which may be an object with a name.
func (f *front) item(key, text string) {
	for _, separator := range []string{":", "="} {
		if name, value, found := strings.Cut(text, separator); found && !strings.ContainsAny(strings.TrimSpace(name), `"' `) {
			if strings.TrimSpace(name) != "name" {
				return
			}
			text = strings.TrimSpace(value)
		}
	}
	f.add(key, text)
}

func (f *front) add(key, value string) {
	switch key {
	case "title":
		f.title = cmp.Or(f.title, dom.Fold(scalar(value)))
	case "date", "published", "publishdate", "pubdate", "created", "published_at", "date_published":
		f.published = append(f.published, scalar(value))
	case "lastmod", "updated", "modified", "last_modified_at", "last_updated", "date_modified":
		f.changed = append(f.changed, scalar(value))
	case "author", "authors", "by":
		f.authors = append(f.authors, list(value)...)
	}
}

// metadata returns what the header says of authors and dates.
func (f *front) metadata() (m extract.Metadata) {
	m.Published, m.Modified = head.Date(f.published...), head.Date(f.changed...)
	m.Author = head.Names(f.authors...)
	return m
}

// list returns the values of a list on one line, or a single value. An object counts by its name.
func list(value string) (all []string) {
	inner, found := strings.CutPrefix(value, "[")
	if !found {
		return []string{named(value)}
	}
	for _, part := range words.Parts(strings.TrimSuffix(inner, "]"), ",") {
		all = append(all, named(part))
	}
	return all
}

// named returns the name in an object such as {name: Ann, url: x}; other values are returned as they are.
func named(value string) string {
	inner, found := strings.CutPrefix(value, "{")
	if !found {
		return scalar(value)
	}
	parts := strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == '}' })
	at := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(strings.TrimSpace(p), "name") })
	if at < 0 {
		return ""
	}
	return scalar(strings.Trim(strings.TrimSpace(parts[at])[len("name"):], " :="))
}

// scalar parses a value on one line (YAML 1.2 §7.3, TOML 1.0). It returns "" for a value of several lines.
func scalar(value string) string {
	if value == "" {
		return ""
	}
	switch inner := strings.Trim(value, value[:1]); value[0] {
	case '"':
		end := len(value)
		for i := 1; i < len(value); i++ {
			if value[i] == '\\' {
				i++
			} else if value[i] == '"' {
				end = i + 1
				break
			}
		}
		if s, err := strconv.Unquote(value[:end]); err == nil {
			return s
		}
		return inner
	case '\'':
		if closing := strings.LastIndexByte(value, '\''); closing > 0 {
			inner = value[1:closing]
		}
		return strings.ReplaceAll(inner, "''", "'")
	case '|', '>':
		return ""
	}
	plain, _, _ := strings.Cut(value, " #")
	return strings.TrimSpace(plain)
}
