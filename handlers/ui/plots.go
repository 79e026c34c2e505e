package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// This file draws the past of a value: amounts as water that rises and falls in steps, states as bands.
//
// A spark is an SVG without a script, in the classes of the style sheet. It has a label in words, and a page has the
// values as text beside it, because a picture tells little to people who cannot see it. What is drawn is bounded: see
// [thin].

// plotPoint is a value that a check saw first at a time. It holds until the next point.
type plotPoint struct {
	At     time.Time
	Text   string  // the value as people read it; "" if there is none from this time on
	Amount float64 // of a value that is a number
	Yes    bool    // of a value that is a state: one for which people wait, such as in stock
}

// A spark is the past of a value.
type spark struct {
	Name   string      // of the value, as a sentence begins: Price
	Unit   string      // of the amounts; may be empty
	Points []plotPoint // the oldest first
	Until  time.Time   // the last value holds until then; its zone is that of all times
	States bool        // the values are states
	Level  *float64    // the limit at which somebody is told
	Told   string      // what the limit means, in words: told below 80

	from      time.Time
	low, high float64
}

// sparkOf returns the past of a field with a type. It has no points if texts or dates are its values.
func sparkOf(name, of string, entries []api.FieldEntry, until time.Time) spark {
	s := spark{Name: name, Until: until, States: isAvailability(entries, of)}
	if s.States {
		s.Points = statePoints(entries)
		return s
	}
	past := amountPoints(entries)
	s.Points, s.Unit = past.Points, past.Unit
	return s
}

// Bounds of a drawing: the parts that a long history is divided into, and the largest amount.
const (
	parts   = 60
	largest = 1e30
)

// The measures of a drawing, in the units of its picture.
const (
	sparkWidth  = 640.0
	sparkHeight = 64.0
	sparkTop    = 6.0
	sparkBottom = 56.0
)

// Large returns the drawing that stands under a figure; "" if there is no value.
func (s spark) Large() template.HTML {
	if s.States {
		s.Points = runs(s.Points)
		s.Points = s.Points[max(0, len(s.Points)-6*parts):]
	}
	s.Points = thin(finite(s.Points), parts)
	lowest, highest := extremes(s.Points)
	if lowest < 0 {
		return ""
	}
	s.from, s.Until = s.Points[0].At, s.end()
	s.low, s.high = s.Points[lowest].Amount, s.Points[highest].Amount
	var out strings.Builder
	draw, class := s.steps, "spark"
	if s.States {
		draw, class = s.bands, "spark states"
	}
	fmt.Fprintf(&out, `<svg class="%s" viewBox="0 0 %v %v" preserveAspectRatio="none" role="img" aria-label="%s">`,
		class, sparkWidth, sparkHeight, template.HTMLEscapeString(s.label(lowest, highest)))
	draw(&out)
	out.WriteString("</svg>")
	return template.HTML(out.String())
}

// end returns the time of the right end.
func (s spark) end() time.Time {
	end := s.Until
	for _, point := range s.Points {
		if point.At.After(end) {
			end = point.At.In(end.Location())
		}
	}
	return end
}

// share returns where a time is, from 0 at the left end to 1.
func (s spark) share(t time.Time) float64 {
	whole := max(s.Until.Sub(s.from), time.Second)
	return min(1, max(0, t.Sub(s.from).Seconds()/whole.Seconds()))
}

// each calls a function with each point that has a value, where it begins and where it ends. Clocks may be set back.
func (s spark) each(do func(i int, p plotPoint, from, to float64)) {
	from := 0.0
	for i, p := range s.Points {
		from = max(from, s.share(p.At))
		to := 1.0
		if i+1 < len(s.Points) {
			to = max(from, s.share(s.Points[i+1].At))
		}
		if p.Text != "" {
			do(i, p, from, to)
		}
	}
}

// y returns the height of an amount. Equal amounts, as far as a picture shows, are in the middle.
func (s spark) y(amount float64) float64 {
	low, high := s.low, s.high
	if s.Level != nil {
		low, high = min(low, *s.Level), max(high, *s.Level)
	}
	if high-low <= max(math.Abs(high)*1e-9, 1e-12) {
		return (sparkTop + sparkBottom) / 2
	}
	return sparkBottom - (sparkBottom-sparkTop)*(amount-low)/(high-low)
}

// steps draws amounts as a line with steps, with water below it. Where there is no value, there is a gap.
func (s spark) steps(out *strings.Builder) {
	var line, water strings.Builder
	last, ground := -2, "" // the last point that is drawn, and how the water below its stretch is closed
	s.each(func(i int, p plotPoint, from, to float64) {
		step := fmt.Sprintf("V%sH%s", number(s.y(p.Amount)), number(sparkWidth*to))
		if last != i-1 {
			water.WriteString(ground)
			step = fmt.Sprintf("M%s %sH%s", number(sparkWidth*from), number(s.y(p.Amount)), number(sparkWidth*to))
			ground = fmt.Sprintf("V%vH%sZ", sparkHeight, number(sparkWidth*from))
		}
		line.WriteString(step)
		water.WriteString(step)
		last = i
	})
	fmt.Fprintf(out, `<path class="water" d="%s"/><path class="run" d="%s"/>`, water.String()+ground, line.String())
	if s.Level != nil && math.Abs(*s.Level) <= largest {
		fmt.Fprintf(out, `<path class="level" d="M0 %sH%v"/>`, number(s.y(*s.Level)), sparkWidth)
	}
	if last == len(s.Points)-1 {
		fmt.Fprintf(out, `<path class="end" d="M%v %sh.01"/>`, sparkWidth-4, number(s.y(s.Points[last].Amount)))
	}
}

// bands draws states: those that people wait for as water, others as its ground.
func (s spark) bands(out *strings.Builder) {
	s.each(func(_ int, p plotPoint, from, to float64) {
		class, y := "no", sparkBottom-4
		if p.Yes {
			class, y = "yes", sparkTop
		}
		width := max(0.5, sparkWidth*(to-from)-1) // a gap parts it from the next one
		fmt.Fprintf(out, `<rect class="%s" x="%s" y="%v" width="%s" height="%v"/>`, class, number(sparkWidth*from), y,
			number(width), sparkBottom-y)
	})
}

// label tells the past in words.
func (s spark) label(lowest, highest int) string {
	last := s.Points[len(s.Points)-1]
	now := "now " + cmp.Or(last.Text, "no value")
	text := s.Name + " over " + words.Span(max(s.Until.Sub(s.from), time.Minute)) + ": "
	switch {
	case len(s.Points) == 1:
		text += "always " + last.Text
	case s.States:
		text += words.Count(len(s.Points)-1, "change") + ", " + now + " since " + s.day(last.At)
	default:
		low := strings.TrimSpace(strings.TrimSuffix(s.Points[lowest].Text, s.Unit))
		text += "between " + low + " and " + s.Points[highest].Text + ", " + now
	}
	if s.Told != "" {
		text += "; you are " + s.Told
	}
	return text
}

// First writes the time of the left end.
func (s spark) First() string { return s.day(s.Points[0].At) }

// Last writes the time of the right end.
func (s spark) Last() string { return s.day(s.end()) }

// day writes a time as exactly as the length of the history needs, in the zone of its end.
func (s spark) day(t time.Time) string {
	layout := "2 January 2006"
	switch past := s.end().Sub(s.Points[0].At); {
	case past < 72*time.Hour:
		layout = "2 January 15:04"
	case past < 300*24*time.Hour:
		layout = "2 January"
	}
	return t.In(s.Until.Location()).Format(layout)
}

// number writes a position with at most two decimals.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64)
}

// runs returns the points at which the text differs from the one before.
func runs(points []plotPoint) []plotPoint {
	return slices.CompactFunc(slices.Clone(points), func(a, b plotPoint) bool { return a.Text == b.Text })
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

// The measures of a plot, in the units of its picture: its height, the width of a column and the gap between columns.
const (
	plotHeight  = 60
	columnWidth = 10
	columnGap   = 2
)

// plotPeriod is the length of time that a plot shows, and the length of each of its columns, both in hours.
type plotPeriod struct {
	Hours, Each int
	Text        string
	EachText    string // the length of a column, in words
}

// month is the longest period, with one column per day.
var month = plotPeriod{720, 24, "month", "per day"}

var periods = []plotPeriod{{24, 1, "day", "per hour"}, {168, 6, "week", "per 6 hours"}, month}

// periodOf returns the period with the given number of hours. If there is no such period, it returns a day.
func periodOf(hours string) plotPeriod {
	for _, p := range periods {
		if strconv.Itoa(p.Hours) == hours {
			return p
		}
	}
	return periods[0]
}

// activityPlot shows the checks of a period as columns. It highlights checks that found a change
// and checks that failed.
type activityPlot struct {
	plotPeriod
	api.ActivityCounts // the sums of the whole period
	Width              int
	Columns            []column
	Most               int64 // the number of checks in the highest column
}

// A column is a part of the period. Its bars are stacked: failed checks, checks that found a
// change, and all other checks.
type column struct {
	api.ActivityCounts
	From time.Time
	Bars []formBlock
}

// A formBlock is a rectangle of a plot.
type formBlock struct {
	Tone         string
	X, Y, Height int
}

// newPlot draws the activity of the period that ends now. Columns begin at full hours or days of UTC.
func newPlot(a api.Activity, of plotPeriod, now time.Time) activityPlot {
	n := of.Hours / of.Each
	p := activityPlot{plotPeriod: of, ActivityCounts: a.Total, Width: n * columnWidth, Columns: make([]column, n)}
	each := time.Duration(of.Each) * time.Hour
	begin := now.UTC().Truncate(each).Add(each - time.Duration(of.Hours)*time.Hour)
	for i := range p.Columns {
		p.Columns[i].From = begin.Add(time.Duration(i) * each)
	}
	for _, h := range a.Hours {
		i := int(h.Hour.Sub(begin) / each)
		if h.Hour.Before(begin) || i >= n {
			continue
		}
		c := &p.Columns[i]
		c.Checks, c.Changes, c.Errors = c.Checks+h.Checks, c.Changes+h.Changes, c.Errors+h.Errors
		p.Most = max(p.Most, c.Checks)
	}
	for i := range p.Columns {
		p.Columns[i].draw(i, p.Most)
	}
	return p
}

// draw stacks the bars of the column at index i. The highest column shows the number most of
// checks. A bar for at least one check is always high enough to be visible.
func (c *column) draw(i int, most int64) {
	y := plotHeight
	for _, part := range []struct {
		tone string
		n    int64
	}{{"bad", c.Errors}, {"good", c.Changes}, {"quiet", c.Checks - c.Errors - c.Changes}} {
		if part.n <= 0 {
			continue
		}
		high := min(max(2, int(part.n*plotHeight/most)), y)
		y -= high
		c.Bars = append(c.Bars, formBlock{part.tone, i * columnWidth, y, high})
	}
}

// Summary describes the plot to people who cannot see it.
func (p activityPlot) Summary() string {
	return fmt.Sprintf("In the last %s: %s, %s of them found a change, %s failed",
		p.Text, words.Count(int(p.Checks), "check"), words.Thousands(int(p.Changes)), words.Thousands(int(p.Errors)))
}

// Step returns the width of a bar.
func (p activityPlot) Step() int { return columnWidth - columnGap }

// Labels returns the times that are shown below the first, middle and last column of the plot.
func (p activityPlot) Labels() []string {
	layout := "Jan 2"
	if p.Each < 24 {
		layout = "Jan 2 15:04"
	}
	var out []string
	for _, i := range []int{0, len(p.Columns) / 2, len(p.Columns) - 1} {
		out = append(out, p.Columns[i].From.Format(layout))
	}
	return out
}
