package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	// patience is how many looks in a row may fail before watching gives up; the first look may
	// not, because a wrong address should be told at once.
	patience = 5
	// watchedHosts keeps the live table on one screen.
	watchedHosts = 12
)

// progress follows a backlog down to nothing. What was done is told from the largest backlog
// seen since it was last empty, as work may be added meanwhile.
type progress struct {
	left, peak int
	from       time.Time // when the peak was seen
}

// see takes in one look at the backlog.
func (g *progress) see(left int, now time.Time) {
	if left > g.peak {
		g.peak, g.from = left, now
	}
	g.left = left
}

// done is how much of the peak is through.
func (g *progress) done() int { return g.peak - g.left }

// eta estimates the time that is left from the pace since the peak; ok is false while there is
// no pace to tell it from.
func (g *progress) eta(now time.Time) (left time.Duration, ok bool) {
	passed := now.Sub(g.from)
	if g.done() <= 0 || passed <= 0 {
		return 0, false
	}
	return time.Duration(float64(passed) / float64(g.done()) * float64(g.left)), true
}

// line is the progress in words and, on a terminal, as a bar.
func (g *progress) line(s screen, now time.Time) string {
	if g.left == 0 {
		return "all done"
	}
	bar := newBar(io.Discard, g.peak, "checked", s)
	bar.Set(g.done())
	text := strings.TrimSpace(lastFrame(bar))
	if eta, ok := g.eta(now); ok {
		text += "  about " + span(max(eta, time.Second)) + " left"
	}
	return text
}

// lastFrame is what the bar shows, without the carriage returns that move it into place.
func lastFrame(bar *progressbar.ProgressBar) string {
	text := strings.TrimRight(bar.String(), "\r")
	return text[strings.LastIndexByte(text, '\r')+1:]
}

// watch looks again and again until nothing is due and nothing in flight.
func (p *program) watch(ctx context.Context, host string, interval time.Duration) error {
	v := p.newView()
	failed := -1 // looks that failed in a row; -1 before the first success
	client := p.client()
	for {
		st, err := client.Status(ctx, host)
		switch {
		case err == nil:
			failed = 0
			if v.show(st, p.now()); st.Backlog() == 0 {
				return nil
			}
		case ctx.Err() != nil || failed < 0 || failed+1 >= patience:
			return err
		default:
			failed++
		}
		if err := p.sleep(ctx, interval); err != nil {
			return err
		}
	}
}

// newView picks the way of showing: a table that is drawn over on a terminal, otherwise a line
// for each change, and nothing at all beside JSON.
func (p *program) newView() view {
	switch {
	case p.json:
		return silent{}
	case p.screen.terminal:
		return &liveView{canvas: canvas{out: p.out, screen: p.screen}}
	default:
		return &plainView{out: p.out}
	}
}

type view interface {
	show(st api.SearchStatus, now time.Time)
}

type silent struct{}

func (silent) show(api.SearchStatus, time.Time) {}

// plainView writes a line whenever a number changed.
type plainView struct {
	out  io.Writer
	last string
}

func (v *plainView) show(st api.SearchStatus, now time.Time) {
	line := backlog(st.Counts) + "; " + summary(st.Counts)
	if line != v.last {
		fmt.Fprintf(v.out, "%s  %s\n", now.UTC().Format(time.TimeOnly), line)
	}
	v.last = line
}

// canvas is a picture on a terminal that is drawn over itself.
type canvas struct {
	out    io.Writer
	screen screen
	drawn  int // lines on the screen
}

// draw replaces the picture; without lines nothing is left of it. No line may be longer than the
// screen, because one that broke into two would be drawn over only in part.
func (c *canvas) draw(lines []string) {
	var b strings.Builder
	if c.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", c.drawn) // to the first line, and clear from there
	}
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	// One write: what is drawn in two may flicker.
	io.WriteString(c.out, b.String())
	c.drawn = len(lines)
}

// liveView draws the table over itself.
type liveView struct {
	canvas
	progress progress
}

func (v *liveView) show(st api.SearchStatus, now time.Time) {
	v.progress.see(st.Backlog(), now)
	v.draw(v.frame(st, now))
}

// frame is one picture.
func (v *liveView) frame(st api.SearchStatus, now time.Time) []string {
	lines := append(statusLines(st, now, watchedHosts), "", v.progress.line(v.screen, now))
	for i, l := range lines {
		lines[i] = cut(l, v.screen.width)
	}
	return lines
}
