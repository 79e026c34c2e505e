package office

import (
	"encoding/xml"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// chart is what a chart says (part 1 §21.2): its title, and a column of numbers for each series.
type chart struct {
	title  string
	labels []string
	series []series
}

type series struct {
	name   string
	values []string
}

// maxPoints bounds the points of a series, and the series of a chart.
const maxPoints = 1_000

// readChart reads a part with a chart.
func readChart(p *xmlPart) (c chart) {
	p.children(func(e xml.StartElement) { c.read(p, e) })
	return c
}

func (c *chart) read(p *xmlPart, e xml.StartElement) {
	switch e.Name.Local {
	case "title":
		c.title = strings.TrimSpace(c.title + " " + allText(p))
	case "ser":
		c.readSeries(p)
	case "txPr", "spPr", "externalData", "legend", "printSettings":
		// These are about the looks of the chart.
	default:
		p.children(func(e xml.StartElement) { c.read(p, e) })
	}
}

func (c *chart) readSeries(p *xmlPart) {
	var s series
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "tx":
			s.name = strings.Join(points(p), " ")
		case "cat", "xVal":
			if labels := points(p); len(labels) > len(c.labels) {
				c.labels = labels
			}
		case "val", "yVal":
			s.values = points(p)
		}
	})
	if len(c.series) < maxPoints {
		c.series = append(c.series, s)
	}
}

// points returns the texts of the elements c:v.
func points(p *xmlPart) (all []string) {
	var visit func(xml.StartElement)
	visit = func(e xml.StartElement) {
		if e.Name.Local != "v" {
			p.children(visit)
			return
		}
		var text []byte
		p.Text(func(s []byte) { text = append(text, s...) })
		if len(all) < maxPoints {
			all = append(all, dom.Fold(string(text)))
		}
	}
	p.children(visit)
	return all
}

func allText(p *xmlPart) string {
	var text []byte
	p.all(func(s []byte) { text = append(text, s...) }, func(e xml.StartElement) bool {
		return e.Name.Local != "f" && e.Name.Local != "txPr" && e.Name.Local != "spPr"
	})
	return dom.Fold(string(text))
}

// table returns the rows of the chart: the names of the series, and then a row for each label.
func (c chart) table() string {
	var g grid
	rows := len(c.labels)
	g.cell("")
	for _, s := range c.series {
		g.cell(s.name)
		rows = max(rows, len(s.values))
	}
	g.endRow()
	for i := range rows {
		g.cell(at(c.labels, i))
		for _, s := range c.series {
			g.cell(at(s.values, i))
		}
		g.endRow()
	}
	return g.text()
}

// chart adds the numbers of a chart as a table.
func (w *writer) chart(c chart) {
	w.block(extract.Paragraph, 0, c.title)
	w.block(extract.Table, 0, c.table())
}

func at(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return ""
}

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
