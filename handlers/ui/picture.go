package ui

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// The heights of a picture, in pixels: where its highest and its lowest amount are.
const (
	top    = 30
	bottom = 180
)

// picture is a picture as its template draws it.
type picture struct {
	plotted
	From      time.Time
	low, high float64

	Desc     string
	Path     string // the line, in thousandths of the width
	Dots     []label
	Extremes []label
	Ticks    []label
	Bands    []band
}

// A label is a point or a line with a text.
type label struct {
	X      string // in percent
	Y      string
	TextY  string // where its text is
	Anchor string
	Text   string
}

// end returns the time of the right end.
func (p picture) end() time.Time {
	end := p.Until
	for _, point := range p.Points {
		if point.At.After(end) {
			end = point.At.In(end.Location())
		}
	}
	return end
}

// share returns where a time is, from 0 at the left end to 1.
func (p picture) share(t time.Time) float64 {
	whole := max(p.Until.Sub(p.From), time.Second)
	return min(1, max(0, t.Sub(p.From).Seconds()/whole.Seconds()))
}

// y returns the height of an amount.
func (p picture) y(amount float64) float64 {
	return bottom - (bottom-top)*(amount-p.low)/(p.high-p.low)
}

// around returns the amounts at the lower and the upper end: those of the picture, or some around a single one.
func around(low, high float64) (float64, float64) {
	if least := math.Abs(high) * 1e-9; high-low <= least { // equal, as far as a picture shows
		room := max(math.Abs(high)/10, 1e-9)
		return low - room, high + room
	}
	return low, high
}

// drawLine draws the steps, and a dot where each begins if there are few.
func (p *picture) drawLine() {
	var path strings.Builder
	drawn, x := false, 0.0
	for i, point := range p.Points {
		x = max(x, p.share(point.At)) // clocks may be set back
		if point.Text == "" {
			drawn = false
			continue
		}
		y := number(p.y(point.Amount))
		if drawn {
			fmt.Fprintf(&path, "V%s", y)
		} else {
			fmt.Fprintf(&path, "M%s %s", number(1000*x), y)
		}
		end := 1.0
		if i+1 < len(p.Points) {
			end = max(x, p.share(p.Points[i+1].At))
		}
		fmt.Fprintf(&path, "H%s", number(1000*end))
		drawn = true
		if len(p.Points) <= dotted {
			p.Dots = append(p.Dots, label{X: number(100 * x), Y: y, Text: point.Text + ", " + p.day(point.At)})
		}
	}
	p.Path = path.String()
}

// drawExtremes labels the lowest and the highest value. They are one if all values are equal.
func (p *picture) drawExtremes(lowest, highest int) {
	add := func(i int, word string, below bool) {
		point := p.Points[i]
		share := p.share(point.At)
		m := label{X: number(100 * share), Y: number(p.y(point.Amount)), Anchor: "start",
			Text: word + point.Text + ", " + p.day(point.At)}
		if m.TextY = number(p.y(point.Amount) - 10); below {
			m.TextY = number(p.y(point.Amount) + 18)
		}
		switch { // the text fits in a narrow window, too
		case share > 0.7:
			m.Anchor = "end"
		case share > 0.3:
			m.Anchor = "middle"
		}
		p.Extremes = append(p.Extremes, m)
	}
	if p.Points[lowest].Amount == p.Points[highest].Amount {
		add(lowest, "", false)
		return
	}
	add(highest, "highest ", false)
	add(lowest, "lowest ", true)
}

// drawTicks draws lines at round amounts.
func (p *picture) drawTicks() {
	const most = 5
	step := round((p.high - p.low) / (most - 1))
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	first := math.Ceil(p.low / step)
	for i := range most + 1 {
		amount := (first + float64(i)) * step
		if amount > p.high || p.y(amount) > bottom+1 {
			break
		}
		y := p.y(amount)
		p.Ticks = append(p.Ticks, label{Y: number(y), TextY: number(y + 4), Text: amountText(amount, decimals)})
	}
	p.Ticks = slices.CompactFunc(p.Ticks, func(a, b label) bool { return a.Text == b.Text })
}

// amountText writes an amount in at most about ten characters.
func amountText(amount float64, decimals int) string {
	const longest = 9
	text := strconv.FormatFloat(amount+0, 'f', min(decimals, longest), 64)
	if len(strings.TrimPrefix(text, "-")) > longest {
		text = strconv.FormatFloat(amount, 'g', 4, 64)
	}
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return text
}

// round returns the least of 1, 2 and 5, times a power of ten, that is not less than a step.
func round(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= step*(1-1e-9) {
			return digit * power
		}
	}
	return 10 * power
}

// Days returns the times at the left end, in the middle and at the right end.
func (p picture) Days() (out []label) {
	middle := p.From.Add(p.Until.Sub(p.From) / 2)
	return []label{{X: "0", Anchor: "start", Text: p.day(p.From)}, {X: "50", Anchor: "middle", Text: p.day(middle)},
		{X: "100", Anchor: "end", Text: p.day(p.Until)}}
}

// day writes a time as exactly as the length of the history needs, in the zone of its end.
func (p picture) day(t time.Time) string {
	layout := "Jan 2, 2006"
	if p.Until.Sub(p.From) < 72*time.Hour {
		layout = "Jan 2 15:04"
	}
	return t.In(p.Until.Location()).Format(layout)
}

// describe tells the history in words.
func (p picture) describe(lowest, highest int) string {
	text := "From " + p.day(p.From) + " to " + p.day(p.Until) + ": "
	at := func(i int) string { return p.Points[i].Text + " on " + p.day(p.Points[i].At) }
	if p.Points[lowest].Amount == p.Points[highest].Amount {
		text += "always " + p.Points[lowest].Text
	} else {
		text += "lowest " + at(lowest) + ", highest " + at(highest)
	}
	return text + ", " + p.last() + "."
}

// last says which value is the last one.
func (p picture) last() string {
	if last := p.Points[len(p.Points)-1]; last.Text != "" {
		return "at the end " + last.Text
	}
	return "at the end no value"
}

// number writes a position with at most two decimals.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64)
}

// A band is a time in which a value is the same.
type band struct {
	X, Width string // in percent
	Tone     string
	Text     string
}

// maxBands limits the bands of a picture.
const maxBands = 1000

// drawBands draws each value as a band with the colour of its tone; no value is left blank. It
// draws the newest bands, at most 1,000, and returns "" if there is no value.
func (h plotted) drawBands() template.HTML {
	h.Points = runs(h.Points)
	h.Points = h.Points[max(0, len(h.Points)-maxBands):]
	if some := slices.ContainsFunc(h.Points, func(p plotPoint) bool { return p.Text != "" }); !some {
		return ""
	}
	p := picture{plotted: h, From: h.Points[0].At}
	p.Until = p.end()
	x := 0.0
	for i, point := range h.Points {
		x = max(x, p.share(point.At))
		end := 1.0
		if i+1 < len(h.Points) {
			end = max(x, p.share(h.Points[i+1].At))
		}
		if point.Text != "" {
			p.Bands = append(p.Bands, band{number(100 * x), number(100 * (end - x)), point.Tone,
				point.Text + " from " + p.day(point.At)})
		}
	}
	p.Desc = "From " + p.day(p.From) + " to " + p.day(p.Until) + ": " + words.Count(len(p.Bands), "time") +
		" with a value, " + p.last() + "."
	return p.write("bands")
}

// runs returns the points at which the text differs from the one before.
func runs(points []plotPoint) []plotPoint {
	return slices.CompactFunc(slices.Clone(points), func(a, b plotPoint) bool { return a.Text == b.Text })
}
