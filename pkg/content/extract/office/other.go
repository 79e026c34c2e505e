package office

import (
	"bytes"
	"encoding/xml"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// within reads another part at the present position, and then goes on with the present part.
func (d *docx) within(name string, read func(*xmlPart, relations)) {
	in, links, open := d.in, d.links, d.fields
	relations := d.archive.relations(name)
	// An error is also stored in the archive, which then ends the reading of the document.
	_ = d.archive.Optional(name, func(p *xmlPart, _ xml.StartElement) {
		d.in = p
		read(p, relations)
	})
	d.in, d.links, d.fields = in, links, open
}

// diagram reads the text of a diagram (SmartArt), which is in a part of its own, before the paragraph around it.
func (d *docx) diagram(e xml.StartElement) {
	d.within(d.links.diagram(e), d.story)
}

// chart adds the numbers of a chart as a table, before the paragraph around it.
func (d *docx) chart(id string) {
	d.within(d.links.byID[id].target, func(p *xmlPart, _ relations) { d.w.chart(readChart(p)) })
}

// chunk reads a document of another format that is a part of this one (part 1 §17.17.2.1): a web page, a mail with a
// web page, rich text, or plain text. A chunk that cannot be read says so in its place.
func (d *docx) chunk(id string) {
	name := d.links.byID[id].target
	blocks := chunkBlocks(d.archive.Bytes(name))
	if len(blocks) == 0 {
		d.w.block(extract.Paragraph, 0, "[A part of this document is not read: "+dom.Fold(name)+"]")
		return
	}
	d.w.flush()
	for _, b := range blocks {
		b.Anchor, b.Counted = "", false
		d.add(b)
	}
}

func chunkBlocks(body []byte, err error) []extract.Block {
	const address = "https://part.invalid/"
	var doc extract.Document
	head := bytes.ToLower(body[:min(len(body), 2000)])
	switch {
	case err != nil:
	case bytes.HasPrefix(body, []byte(RTFMagic)):
		doc, err = RTF(body, extract.Limits{})
	case bytes.Contains(head, []byte("mime-version:")):
		doc, err = mail.Extract(body, address, extract.Limits{})
	case bytes.Contains(head, []byte("<html")), bytes.Contains(head, []byte("<body")), bytes.Contains(head, []byte("</")):
		doc = web.Everything(body, address, extract.Limits{})
	case !web.IsBinary(body):
		doc, err = web.Extract(body, "text/plain", address, extract.Limits{})
	}
	if err != nil {
		return nil
	}
	return doc.Blocks
}

// readBeside adds the headers and footers of pages, each text once, and the comments. They are beside the main
// content. Numbers of pages are left out.
func (d *docx) readBeside(links relations) error {
	d.zone = extract.Beside
	known := map[string]bool{}
	once := func(b extract.Block) {
		if !known[b.Text] && strings.Trim(b.Text, "0123456789 /|.-–—") != "" {
			d.add(b)
		}
		known[b.Text] = true
	}
	for _, id := range links.order {
		switch r := links.byID[id]; r.kind {
		case "header", "footer":
			d.w.add = once
			d.within(r.target, d.story)
			d.w.add = d.add
		case "comments":
			d.within(r.target, d.comments)
		}
	}
	return d.archive.Err
}

// comments reads the comments, each with the name of its author.
func (d *docx) comments(p *xmlPart, links relations) {
	p.children(func(e xml.StartElement) {
		if author := dom.Fold(attr(e, "author")); author != "" {
			d.w.block(extract.Paragraph, 0, "Comment, "+author+":")
		}
		d.story(p, links)
	})
}

// equations reads the equations of a paragraph, each on a line of its own.
func (d *docx) equations() {
	first := true
	d.in.children(func(e xml.StartElement) {
		if e.Name.Local == "oMath" && !first {
			d.write([]byte("\n"))
		}
		first = first && e.Name.Local != "oMath"
		d.visit(e)
	})
}
