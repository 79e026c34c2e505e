package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newBar makes a progress bar. A negative total makes a spinner. The bar shows counts and no times, so that its
// output depends only on the numbers it is given.
func newBar(w io.Writer, total int, what string, s Screen) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(max(10, min(40, s.Width-50))),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish(),
	)
}

// Frame returns one line with a progress bar, for a picture that the caller draws.
func Frame(s Screen, what string, done, total int) string {
	bar := newBar(io.Discard, total, what, s)
	_ = bar.Set(done) // writes to io.Discard cannot fail
	text := strings.TrimRight(bar.String(), "\r")
	// The drawn text has carriage returns before the bar.
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\r')+1:])
}

// Bar is a progress bar on standard error. A nil bar shows nothing.
type Bar struct{ shown *progressbar.ProgressBar }

// Bar begins a progress bar, or returns nil when standard error is not a terminal. A negative total makes a spinner.
func (t *Terminal) Bar(total int, what string) *Bar {
	if !t.Notes.Terminal {
		return nil
	}
	return &Bar{newBar(t.Err, total, what, t.Notes)}
}

// do calls f unless the bar shows nothing. Errors in drawing are ignored, because they must not end the work.
func (b *Bar) do(f func(*progressbar.ProgressBar)) {
	if b != nil {
		f(b.shown)
	}
}

// At sets the bar to the amount of work done.
func (b *Bar) At(done int) { b.do(func(p *progressbar.ProgressBar) { _ = p.Set(done) }) }

// Add advances the bar by n.
func (b *Bar) Add(n int) { b.do(func(p *progressbar.ProgressBar) { _ = p.Add(n) }) }

// Describe changes the label of the bar.
func (b *Bar) Describe(what string) { b.do(func(p *progressbar.ProgressBar) { p.Describe(what) }) }

// Clear removes the bar to make room for a line. The next change of the bar draws it again.
func (b *Bar) Clear() { b.do(func(p *progressbar.ProgressBar) { _ = p.Clear() }) }

// End removes the bar.
func (b *Bar) End() { b.do(func(p *progressbar.ProgressBar) { _, _ = p.Exit(), p.Clear() }) }

// Screen describes what an output can show. The zero value is for a file or a pipe.
type Screen struct {
	Terminal bool
	Color    bool // a terminal whose user has not turned colors off
	Width    int  // in columns; 0 for a file or a pipe
}

// ScreenOf examines f. It honors NO_COLOR as https://no-color.org asks: any value turns colors off.
func ScreenOf(f *os.File, getenv func(string) string) Screen {
	if !term.IsTerminal(int(f.Fd())) {
		return Screen{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return Screen{Terminal: true, Color: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb", Width: width}
}

// Bold makes text stand out where the screen has colors.
func (s Screen) Bold(text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// Render shows the highlights of a text from [Markup]: in bold when the screen has colors, and otherwise in «…».
func (s Screen) Render(marked string) string {
	on, off := "«", "»"
	if s.Color {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	return strings.NewReplacer(string(highlightOn), on, string(highlightOff), off).Replace(marked)
}

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
