package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// View shows how far work has come: on a terminal as a picture that is drawn over itself, otherwise as a line for
// each change, and with --json not at all.
type View struct {
	Out    io.Writer
	Screen Screen
	Silent bool
	drawn  int    // lines of the picture on the screen
	last   string // line
}

// Show shows the picture or the line.
func (v *View) Show(now time.Time, line func() string, picture func() []string) {
	switch {
	case v.Silent:
	case v.Screen.Terminal:
		v.draw(picture())
	default:
		text := line()
		if text != v.last {
			fmt.Fprintf(v.Out, "%s  %s\n", now.UTC().Format(time.TimeOnly), text)
		}
		v.last = text
	}
}

// Close removes the picture.
func (v *View) Close() { v.draw(nil) }

// draw replaces the picture; without lines nothing is left of it. Lines are cut at the screen's width, because one
// that broke into two would be drawn over only in part.
func (v *View) draw(lines []string) {
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", v.drawn) // to the first line, and clear from there
	}
	for _, l := range lines {
		b.WriteString(Cut(l, v.Screen.Width) + "\n")
	}
	// One write: a picture drawn in two may flicker.
	io.WriteString(v.Out, b.String())
	v.drawn = len(lines)
}
