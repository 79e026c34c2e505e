package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// View shows the progress of work: on a terminal as a picture that is redrawn, elsewhere as a line for each change,
// and with --json not at all.
type View struct {
	Out    io.Writer
	Screen Screen
	Silent bool
	drawn  int    // lines of the picture on the screen
	last   string // the last line that was printed
}

// Show shows the picture on a terminal, and the line everywhere else.
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

// draw replaces the picture, and removes it when lines is empty. It cuts lines at the screen's width, because a line
// that wraps would not be removed completely by the next redraw.
func (v *View) draw(lines []string) {
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", v.drawn) // move to the first line, and clear from there on
	}
	for _, l := range lines {
		b.WriteString(Cut(l, v.Screen.Width) + "\n")
	}
	// The picture is drawn in one write, because in two it might flicker.
	io.WriteString(v.Out, b.String())
	v.drawn = len(lines)
}
