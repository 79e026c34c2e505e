package office

import (
	"encoding/xml"
	"strings"
)

// noteID returns the key of a note. The element is the note itself, or a reference to it.
func noteID(e xml.StartElement) string {
	return strings.TrimSuffix(e.Name.Local, "Reference") + " " + attr(e, "id")
}

// readNotes adds the footnotes and endnotes that the text refers to, after the text. Notes without a reference are
// only the lines between text and notes, or remains of deleted text.
func (d *docx) readNotes(links relations) error {
	for _, kind := range []string{"footnotes", "endnotes"} {
		name := links.part(kind)
		notes := d.archive.relations(name)
		err := d.archive.Optional(name, func(p *Part, _ xml.StartElement) {
			p.children(func(e xml.StartElement) {
				if d.notes[noteID(e)] {
					d.story(p, notes)
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return d.archive.Err
}
