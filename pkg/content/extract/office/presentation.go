package office

import (
	"encoding/xml"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// pptx is a presentation being converted to blocks.
type pptx struct {
	archive *archive
	out     *extract.Composer
	tongues *tongues
}

// read reads all slides in the order of the show. It includes slides that the show skips, because everybody who opens
// the file can see them.
func (p *pptx) read(main string) error {
	links := p.archive.relations(main)
	slides, err := p.slides(main, links)
	if err != nil {
		return err
	}
	for _, name := range slides {
		room, err := p.slide(name)
		if err != nil {
			return err
		}
		if !room {
			break
		}
	}
	return p.archive.Err
}

// slides returns the names of the slides' parts, without repeats.
func (p *pptx) slides(main string, links relations) ([]string, error) {
	var names []string
	wrong, seen := "", map[string]bool{}
	err := p.archive.Required(main, func(part *Part, root xml.StartElement) {
		if wrong = root.Name.Local; wrong != "presentation" {
			return
		}
		wrong = ""
		part.named("sldIdLst", func(xml.StartElement) {
			part.children(func(e xml.StartElement) {
				r := links.byID[relationID(e)]
				if r.kind == "slide" && !seen[localName(r.target)] {
					seen[localName(r.target)] = true
					names = append(names, r.target)
				}
			})
		})
	})
	if err == nil && wrong != "" {
		err = fault.New(fault.Invalid, "not a presentation: its main part is a %.50q", wrong)
	}
	return names, err
}
