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
func readChart(p *Part) (c chart) {
	p.children(func(e xml.StartElement) { c.read(p, e) })
	return c
}

func (c *chart) read(p *Part, e xml.StartElement) {
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

func (c *chart) readSeries(p *Part) {
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
func points(p *Part) (all []string) {
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

func allText(p *Part) string {
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
