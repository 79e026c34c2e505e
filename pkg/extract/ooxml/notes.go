package ooxml

import "encoding/xml"

// noteID names a note or what refers to it: "footnoteReference" and "footnote" begin alike.
func noteID(e xml.StartElement) string { return e.Name.Local[:len("footnote")] + " " + attr(e, "id") }

// readNotes adds the footnotes and endnotes that the text refers to, after it. The others are
// lines that separate notes, or were left behind by deleted text.
func (d *docx) readNotes(links relations) error {
	for _, kind := range []string{"footnotes", "endnotes"} {
		name := links.part(kind)
		err := d.archive.optional(name, func(p *part, _ xml.StartElement) {
			notes := d.archive.relations(name)
			p.children(func(e xml.StartElement) {
				if e.Name.Local+"s" == kind && d.notes[noteID(e)] {
					d.story(p, notes)
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return d.archive.err
}
