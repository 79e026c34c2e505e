package office

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// writer makes blocks. The formats store the lines of a list or a listing as separate paragraphs. The writer gathers
// such lines until another kind of paragraph follows.
type writer struct {
	add func(extract.Block)

	kind  extract.Kind // kind of the block being gathered, or ""
	list  string       // id of the list being gathered
	lines []byte
}

// block adds a block that consists of a single text.
func (w *writer) block(kind extract.Kind, level int, text string) {
	if text == "" {
		return
	}
	w.flush()
	w.add(extract.Block{Kind: kind, Level: level, Text: text})
}

// item adds a line to a list. An item of another list begins a new block, unless it is nested or has no marker. A
// line without a marker is a further paragraph of the previous item.
func (w *writer) item(list string, level int, marker, text string) {
	indent := strings.Repeat("  ", min(max(level, 0), 8))
	switch {
	case w.kind != extract.List && marker == "":
		w.block(extract.Paragraph, 0, text)
		return
	case w.kind != extract.List:
		w.flush()
		w.kind, w.list = extract.List, list
	case marker == "":
		indent += "  "
	case list != w.list && level == 0:
		w.flush()
		w.kind, w.list = extract.List, list
	}
	w.line(indent + marker + text)
}

// code adds a line to a listing. Empty lines between other lines are kept.
func (w *writer) code(text string) {
	if w.kind != extract.Code {
		w.flush()
	}
	w.kind = extract.Code
	w.line(text)
}

func (w *writer) line(s string) {
	if len(w.lines) > 0 {
		w.lines = append(w.lines, '\n')
	}
	w.lines = append(w.lines, s...)
}

// flush ends the block being gathered.
func (w *writer) flush() {
	if w.kind != "" {
		text := strings.TrimRight(string(w.lines), "\n")
		if w.kind == extract.Code {
			text = strings.TrimLeft(text, "\n")
		}
		w.add(extract.Block{Kind: w.kind, Text: text})
	}
	w.kind, w.list, w.lines = "", "", w.lines[:0]
}

// grid collects the rows of a table in the form of [extract.Table].
type grid struct {
	rows []string
	row  []string
}

// cell adds a cell to the row.
func (g *grid) cell(text string) { g.row = append(g.row, dom.Fold(text)) }

// endRow ends the row, and drops it if all its cells are empty.
func (g *grid) endRow() {
	if line := extract.Row(g.row); line != "" {
		g.rows = append(g.rows, line)
	}
	g.row = g.row[:0]
}

func (g *grid) text() string { return strings.Join(g.rows, "\n") }
