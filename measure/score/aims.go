package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// sign is put before each word of an element whose words are counted. No page has this letter of the tenth century.
const sign = "ꙮ"

// siteKinds are the kinds of elements that belong to a site and not to a page.
var siteKinds = []string{"navigation", "header", "footer", "consent"}

// siteKind returns the kind of an element that belongs to the site, or "". Parameter inside says that n is inside an
// element that HTML or ARIA treats as a part of the page, whose header and footer are not those of the site.
func siteKind(n *html.Node, inside bool) string {
	role := strings.ToLower(strings.TrimSpace(dom.Attr(n, "role")))
	switch {
	case n.DataAtom == atom.Nav, role == "navigation":
		return "navigation"
	case role == "banner", n.DataAtom == atom.Header && !inside:
		return "header"
	case role == "contentinfo", n.DataAtom == atom.Footer && !inside:
		return "footer"
	case isConsent(n, role):
		return "consent"
	}
	return ""
}

// isConsent reports whether an element is a request for consent: a dialog, or an element whose class or id says so,
// that speaks of cookies.
func isConsent(n *html.Node, role string) bool {
	const longest = 6000
	names := strings.ToLower(dom.Attr(n, "class") + " " + dom.Attr(n, "id"))
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html || n.DataAtom != atom.Dialog && role != "dialog" &&
		role != "alertdialog" && !strings.Contains(names, "cookie") && !strings.Contains(names, "consent") &&
		!strings.Contains(names, "gdpr") && !strings.Contains(names, "onetrust") && !strings.Contains(names, "cc-window") {
		return false
	}
	text := dom.RawText(n)
	return len(text) < longest && strings.Contains(strings.ToLower(text), "cookie")
}

// signSite puts the sign before each word of the elements of a kind.
func signSite(n *html.Node, kind string, inside, signed bool) {
	if n.Type == html.TextNode && signed {
		words := strings.Fields(n.Data)
		for i := range words {
			words[i] = sign + words[i]
		}
		if len(words) > 0 {
			n.Data = " " + strings.Join(words, " ") + " "
		}
	}
	if n.Type == html.ElementNode {
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Noscript, atom.Iframe, atom.Textarea, atom.Title, atom.Template:
			return
		}
		signed = signed || siteKind(n, inside) == kind
		switch n.DataAtom {
		case atom.Article, atom.Aside, atom.Main, atom.Nav, atom.Section:
			inside = true
		}
		inside = inside || dom.Attr(n, "role") == "main" || dom.Attr(n, "role") == "article"
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		signSite(c, kind, inside, signed)
	}
}

// siteWords returns how many visible words of a page are in the elements of a kind, and how many of them are in its
// extracted text.
func siteWords(page []byte, kind string) (c seenCount, err error) {
	root := web.Tree(page, "text/html")
	if root == nil {
		return c, nil // the page is read without its structure
	}
	var out bytes.Buffer
	signSite(root, kind, false, false)
	if err := html.Render(&out, root); err != nil {
		return c, err
	}
	if !bytes.Contains(out.Bytes(), []byte(sign)) {
		return c, nil
	}
	doc, err := document(append([]byte("\ufeff"), out.Bytes()...))
	return seenCount{strings.Count(doc.VisibleText, sign), strings.Count(extract.Join(doc.Blocks), sign)}, err
}

// reportAims reports, over pages, the share of the words of the site that are in the text of both zones, and the size
// of a first crawl of both zones relative to that of the main content.
func reportAims(out io.Writer, pages []page, verbose bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "text of the site\twords\textracted\tshare\t")
	var all seenCount
	for _, kind := range siteKinds {
		var sum seenCount
		for _, p := range pages {
			c, err := siteWords(p.html, kind)
			if err != nil {
				return err
			}
			if sum.add(c); verbose && c.found > 0 {
				fmt.Fprintf(out, "%s %s: %d of %d\n", p.name, kind, c.found, c.words)
			}
		}
		all.add(sum)
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t\n", kind, sum.words, sum.found, ratio(sum.found, sum.words))
	}
	fmt.Fprintf(w, "all\t%d\t%d\t%s\t\n\n", all.words, all.found, ratio(all.found, all.words))
	fmt.Fprintln(w, "first crawl\tbytes, main\tboth\tratio\ttokens, main\tboth\tratio\t")
	c := &crawlCost{}
	for _, p := range pages {
		if err := c.add(p.html); err != nil {
			return err
		}
	}
	c.row(w, "these pages")
	for _, name := range []string{"python", "rust", "policy"} {
		c, err := costOfCorpus(corpora[0][name])
		if err != nil {
			return err
		}
		c.row(w, name)
	}
	return w.Flush()
}

// crawlCost is what a first crawl writes to the index, and what it embeds.
type crawlCost struct {
	bytes, tokens [2]int // of the main content, and of both zones
}

func (c *crawlCost) add(page []byte) error {
	doc, err := document(page)
	if err != nil {
		return err
	}
	for i, blocks := range [][]extract.Block{extract.MainBlocks(doc.Blocks), doc.Blocks} {
		chunks, _ := chunk.Split(chunk.Page{ID: "page", Title: doc.Title, Blocks: blocks})
		for _, k := range chunks {
			c.bytes[i] += len(k.Text) + len(doc.Title)
			c.tokens[i] += k.Tokens
		}
	}
	return nil
}

func (c *crawlCost) row(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d\t%d\t%s\t\n", name, c.bytes[0], c.bytes[1], ratio(c.bytes[1], c.bytes[0]),
		c.tokens[0], c.tokens[1], ratio(c.tokens[1], c.tokens[0]))
}

// costOfCorpus reads the pages of the first of the folders that exists.
func costOfCorpus(roots []string) (*crawlCost, error) {
	c := &crawlCost{}
	i := slices.IndexFunc(roots, func(root string) bool { _, err := os.Stat(root); return err == nil })
	if i < 0 {
		return c, nil
	}
	const every = 10 // pages
	n := 0
	err := filepath.WalkDir(roots[i], func(path string, d fs.DirEntry, err error) error {
		if slices.Contains(leftOut, path) {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		if n++; n%every != 0 {
			return nil
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return c.add(body)
	})
	return c, err
}
