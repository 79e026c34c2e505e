package office

import (
	"encoding/xml"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// docxTable is a w:tbl that is being read. A table with a single column only arranges the page, so it is read like
// ordinary text. A table in a cell becomes a separate block after the outermost table.
type docxTable struct {
	d       *docx
	grid    grid
	columns int
	deleted bool // the row is a tracked deletion
}

func (d *docx) table() {
	t := docxTable{d: d}
	d.aside(func() { d.in.children(t.visit) })
	text := t.grid.text()
	if d.cell != nil {
		d.inner = append(d.inner, text)
		return
	}
	d.w.block(extract.Table, 0, text)
	for _, text := range d.inner {
		d.w.block(extract.Table, 0, text)
	}
	d.inner = nil
}

// visit reads an element of the table down to its cells. Rows and cells may be inside wrapper elements.
func (t *docxTable) visit(e xml.StartElement) {
	switch e.Name.Local {
	case "gridCol":
		t.columns++
	case "tr":
		t.deleted = false
		t.d.in.children(t.visit)
		t.grid.endRow()
	case "trPr":
		t.d.in.children(func(e xml.StartElement) { t.deleted = t.deleted || e.Name.Local == "del" })
	case "tc":
		if !t.deleted {
			t.cell()
		}
	case "del", "tblPr", "tblPrEx", "tblGridChange", "sdtPr":
		// The element holds properties of the table, or its former state.
	default:
		t.d.in.children(t.visit)
	}
}

func (t *docxTable) cell() {
	if t.columns == 1 {
		t.d.aside(func() { t.d.in.children(t.d.visit) })
		return
	}
	outer, text := t.d.cell, []byte(nil)
	t.d.cell = &text
	t.d.aside(func() { t.d.in.children(t.d.visit) })
	t.d.cell = outer
	t.grid.cell(string(text))
}
