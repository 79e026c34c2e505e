package discover

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Sitemap reads a sitemap, an index of sitemaps, a list of addresses or a feed, with up to two layers of gzip. It
// recognizes the kind of document from the body alone. The base argument is the final address of the document.
//
// Errors: Invalid for any other body (such as a web page), and for a body that declares entities. At a bound or a
// less serious mistake, Sitemap stops and returns what it has read, and Truncated describes the problem. After the end
// of the root element, only another document of the same kind is read.
func Sitemap(body []byte, base string, o Bounds) (Found, error) {
	o = o.orDefault()
	t := textOf(body, o.MaxBytes, o.Charset)
	found, err := read(t, base, o)
	if err != nil {
		return Found{}, err
	}
	if t.cut != "" { // the cut causes an error as well, but its own reason takes precedence
		found.Truncated = t.cut
	}
	return found, nil
}

// read selects the reader by the beginning of the text.
func read(t *text, base string, o Bounds) (Found, error) {
	begin := beginning(t)
	feed := jsonFeed.FindIndex(begin)
	switch {
	case len(begin) == 0 && t.cut != "":
		return Found{}, fault.New(fault.Invalid, "nothing can be read: %s", t.cut)
	case len(begin) == 0:
		return Found{}, fault.New(fault.Invalid, "the document is empty")
	case feed != nil && !wholePage.Match(begin[:feed[0]]) && !holdsRoot(begin[:feed[0]]):
		t.Discard(feed[0])
		return readJSON(t, base, o)
	case begin[0] == '<', holdsRoot(begin):
		return readMarkup(t, base, o)
	case begin[0] == '{':
		return readJSON(t, base, o)
	default:
		return readList(t, base, o)
	}
}

var (
	// jsonFeed matches the beginning of a JSON Feed, which may stand behind warnings.
	jsonFeed  = regexp.MustCompile(`\{\s*"version"\s*:\s*"https?://jsonfeed\.org/version/`)
	wholePage = regexp.MustCompile(`(?i)<!doctype|<html`)
)

// beginning skips blanks and returns the bytes after them, without reading them.
func beginning(t *text) []byte {
	for {
		begin, _ := t.Peek(head)
		rest := bytes.TrimLeft(begin, " \t\r\n\x00")
		t.Discard(len(begin) - len(rest))
		if len(rest) > 0 || len(begin) == 0 {
			return rest
		}
	}
}

// holdsRoot reports whether there is a root element after other text, such as a warning from the program that made
// the sitemap.
func holdsRoot(begin []byte) bool {
	begin = bytes.ToLower(begin)
	for _, root := range [...]string{"<?xml", "<url", "<sitemap", "<rss", "<feed", "<rdf"} {
		if bytes.Contains(begin, []byte(root)) {
			return true
		}
	}
	return false
}

// readMarkup reads a sitemap or feed in XML.
func readMarkup(t *text, base string, o Bounds) (Found, error) {
	m := &markup{t}
	first, err := m.root()
	if err != nil {
		return Found{}, err
	}
	kind, known := roots[first.name]
	switch {
	case first.kind == ended:
		return Found{}, fault.New(fault.Invalid, "the document has no sitemap or feed in it")
	case first.name == "html":
		return Found{}, fault.New(fault.Invalid, "the document is a web page, neither a sitemap nor a feed")
	case !known:
		return Found{}, fault.New(fault.Invalid, "the document begins with <%.40s>, which is neither a sitemap nor a feed",
			first.name)
	}
	w := walker{out: newCollector(kind, base, o.MaxLinks), bounds: o}
	if err := w.walk(m, first); err != nil {
		return Found{}, err
	}
	return w.out.Found, nil
}

// readList reads a text with one address per line (sitemaps.org, "Text file"). Lines that do not begin like an
// address are skipped; a text without any address is not a list.
func readList(t *text, base string, o Bounds) (Found, error) {
	c := newCollector(textList, base, o.MaxLinks)
	for c.Truncated == "" {
		line, err := readLine(t)
		refs := addressesOf(line)
		for _, ref := range refs {
			c.Entries++
			c.page(ref, time.Time{}, 0)
		}
		if line != "" && len(refs) == 0 {
			c.Entries++
			c.skip("the line is no address")
		}
		if err != nil {
			break
		}
	}
	if len(c.Links) == 0 {
		return Found{}, fault.New(fault.Invalid, "the document is neither a sitemap, a feed nor a list of addresses")
	}
	return c.Found, nil
}

var (
	// nextAddress matches another address in a line, but not the value of a parameter.
	nextAddress = regexp.MustCompile(`(?:^|[^=\s,;|])([\s,;|]*\s["']?(?i:https?)://)`)
	remark      = regexp.MustCompile(`\s#.*$`)
	datedColumn = regexp.MustCompile(`["']?[,;]\s*["']?\d{4}-\d\d-\d\d(?:[Tt ]\d\d|\s*["',;]|\s*$)`)
)

// addressesOf returns the addresses in a line: one at its beginning, and those that follow a blank or a tab.
func addressesOf(line string) (refs []string) {
	for column := range strings.SplitSeq(line, "\t") {
		parts := separate(remark.ReplaceAllString(column, ""))
		if last := &parts[len(parts)-1]; datedColumn.MatchString(*last) {
			*last = trimmed((*last)[:datedColumn.FindStringIndex(*last)[0]])
		}
		refs = append(refs, parts...)
	}
	return slices.DeleteFunc(refs, func(ref string) bool { return !isWeb(ref) })
}

// separate returns the addresses that stand in one text, with blanks between them.
func separate(text string) (refs []string) {
	for at := nextAddress.FindStringSubmatchIndex(text); at != nil; at = nextAddress.FindStringSubmatchIndex(text) {
		refs, text = append(refs, trimmed(text[:at[2]])), strings.TrimLeft(text[at[2]:], " \t\r\n,;|")
	}
	return append(refs, trimmed(text))
}

// readLine returns the next line without surrounding blanks. It drops the rest of a very long line.
func readLine(t *text) (string, error) {
	b := buffer{most: maxText}
	for {
		c, err := t.ReadByte()
		if err == io.EOF || c == '\n' || c == '\r' {
			return trimmed(b.String()), err
		}
		b.add(c)
	}
}
