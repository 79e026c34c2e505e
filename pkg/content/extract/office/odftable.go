package office

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// list reads a list. Numbers are those that are shown without formats: 1. and so on for each level.
func (r *reader) list(e xml.StartElement) {
	if r.depth == 0 {
		r.flush()
		r.style = attr(e, "style-name")
	}
	r.depth++
	count := 0
	r.in.children(func(e xml.StartElement) {
		if e.Name.Local != "list-item" && e.Name.Local != "list-header" {
			return
		}
		mark := 0
		if r.lists[r.style][r.depth] && e.Name.Local == "list-item" {
			count++
			if start, err := strconv.Atoi(attr(e, "start-value")); err == nil {
				count = start
			}
			mark = count
		}
		r.items = append(r.items, mark)
		r.in.children(r.visit)
		r.items = r.items[:len(r.items)-1]
	})
	if r.depth--; r.depth == 0 {
		r.flush()
	}
}

// item adds a paragraph of a list. The first paragraph of an item has its marker.
func (r *reader) item(text string) {
	if text == "" || len(r.items) == 0 {
		return
	}
	last := &r.items[len(r.items)-1]
	marker := "- "
	switch {
	case *last < 0:
		marker = "  "
	case *last > 0:
		marker = fmt.Sprintf("%d. ", *last)
	}
	*last = -1
	r.lines = append(r.lines, strings.Repeat("  ", min(r.depth-1, 8))+marker+text)
}

// table is a table being read.
type table struct {
	rows []string
	row  []string
	cell []string
}

func (t *table) add(text string) {
	if text != "" {
		t.cell = append(t.cell, text)
	}
}

// grid reads a table. A table in a cell becomes a part of the cell. Groups of rows that empty rows separate are blocks
// of their own, as a spreadsheet may hold several tables.
func (r *reader) grid(e xml.StartElement) {
	if r.table != nil || r.depth > 0 {
		r.in.children(r.visit)
		return
	}
	r.flush()
	if name := attr(e, "name"); strings.HasSuffix(r.kind, "spreadsheet") && attr(e, "display") != "false" {
		r.add(extract.Block{Kind: extract.Heading, Level: 1, Text: dom.Fold(name)})
	}
	r.table = &table{}
	r.rows()
	t := r.table
	r.table = nil
	for group := range strings.SplitSeq(strings.Join(t.rows, "\n"), "\n\n") {
		r.add(extract.Block{Kind: extract.Table, Text: strings.Trim(group, "\n")})
	}
}

func (r *reader) rows() {
	r.in.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "table-row":
			r.row(repeat(e, "number-rows-repeated"))
		case "table-header-rows", "table-rows", "table-row-group":
			r.rows()
		case "shapes":
			r.in.children(r.visit)
		}
	})
}

func (r *reader) row(times int) {
	t := r.table
	t.row = t.row[:0]
	r.in.children(func(e xml.StartElement) {
		if e.Name.Local != "table-cell" && e.Name.Local != "covered-table-cell" {
			return
		}
		t.cell = t.cell[:0]
		r.in.children(r.visit)
		text := dom.Fold(strings.Join(t.cell, " "))
		for range repeat(e, "number-columns-repeated") {
			if !r.spend(len(text)) {
				return
			}
			t.row = append(t.row, text)
		}
	})
	line := extract.Row(t.row)
	if line == "" {
		times = 1
	}
	for i := range times {
		if i > 0 && !r.spend(len(line)+len(t.row)*cellCost) {
			return
		}
		t.rows = append(t.rows, line)
	}
}

// cellCost is what a cell costs besides its text, in bytes.
const cellCost = 4

// spend counts a cell, and reports whether there is room for it.
func (r *reader) spend(size int) bool {
	if r.left -= size + cellCost; r.left < 0 {
		r.in.stop()
	}
	return r.left >= 0
}

// repeat returns how often a cell or row is repeated.
func repeat(e xml.StartElement, name string) int {
	n, err := strconv.Atoi(attr(e, name))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxRepeat)
}
