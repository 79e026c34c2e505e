package ui

import (
	"bytes"
	"embed"
	"html/template"
	"math"
	"time"
)

// This file draws the history of a value as a picture: amounts as a line with steps, states as coloured bands.
//
// A picture is an SVG without a script. It stretches to the width that it has, and its texts do
// not: positions from left to right are in percent, and heights are in pixels. Beside the picture a
// page needs a table with the values, because a picture tells little to people who cannot see it.
//
// What is drawn is bounded: see [plotted.draw].

// plotPoint is a value that a check saw first at a time. It holds until the next point.
type plotPoint struct {
	At     time.Time
	Text   string  // the value as people read it; "" if there is none from this time on
	Amount float64 // for [plotted.draw]
	Tone   string  // for [plotted.Bands]: the class of its colour
}

// plotted is what a picture shows.
type plotted struct {
	Name   string
	Unit   string      // of the amounts; may be empty
	Points []plotPoint // the oldest first
	Until  time.Time   // the last value holds until then; its zone is that of all times
}

// Bounds of a picture: the parts that a long history is divided into, and the points up to which each has a dot.
const (
	parts   = 100
	dotted  = 60
	largest = 1e30 // no amount is larger
)

//go:embed picture.svg
var plotFiles embed.FS

var pictures = template.Must(template.ParseFS(plotFiles, "picture.svg"))

// draw draws amounts as a line with steps. Where there is no value, the line has a gap. Of a long
// history it draws at most 600 points, the lowest and the highest one among them. It returns "" if
// there is no amount.
func (h plotted) draw() template.HTML {
	h.Points = thin(finite(h.Points), parts)
	lowest, highest := extremes(h.Points)
	if lowest < 0 {
		return ""
	}
	p := picture{plotted: h, From: h.Points[0].At}
	p.Until = p.end()
	p.low, p.high = around(h.Points[lowest].Amount, h.Points[highest].Amount)
	p.drawTicks()
	p.drawLine()
	p.drawExtremes(lowest, highest)
	p.Desc = p.describe(lowest, highest)
	return p.write("line")
}

func (p picture) write(name string) template.HTML {
	var out bytes.Buffer
	if err := pictures.ExecuteTemplate(&out, name, p); err != nil { // Unreachable: the template fits the picture.
		return ""
	}
	return template.HTML(out.String())
}

// finite returns the points, in which amounts that cannot be drawn are left out.
func finite(points []plotPoint) []plotPoint {
	out := make([]plotPoint, len(points))
	for i, p := range points {
		if out[i] = p; math.IsNaN(p.Amount) || math.Abs(p.Amount) > largest {
			out[i].Amount, out[i].Text = 0, ""
		}
	}
	return out
}

// extremes returns the indices of the first lowest and of the first highest point; -1 if no point has an amount.
func extremes(points []plotPoint) (lowest, highest int) {
	lowest, highest = -1, -1
	for i, p := range points {
		if p.Text == "" {
			continue
		}
		if lowest < 0 || p.Amount < points[lowest].Amount {
			lowest = i
		}
		if highest < 0 || p.Amount > points[highest].Amount {
			highest = i
		}
	}
	return lowest, highest
}

// thin returns at most 6 points for each of a number of parts of the history: the first, the last,
// the lowest and the highest one, the first at which there is no value, and the one after it.
func thin(points []plotPoint, parts int) (out []plotPoint) {
	if len(points) <= 6*parts {
		return points
	}
	for i := range parts {
		from, to := i*len(points)/parts, (i+1)*len(points)/parts
		part := points[from:to]
		lowest, highest := extremes(part)
		gap := firstGap(part)
		for j, p := range part {
			if j == 0 || j == len(part)-1 || j == lowest || j == highest || gap >= 0 && (j == gap || j == gap+1) {
				out = append(out, p)
			}
		}
	}
	return out
}

// firstGap returns the index of the first point without a value; -1 if there is none.
func firstGap(points []plotPoint) int {
	for i, p := range points {
		if p.Text == "" {
			return i
		}
	}
	return -1
}
