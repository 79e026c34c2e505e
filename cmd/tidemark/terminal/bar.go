package terminal

import (
	"io"
	"strings"

	"github.com/schollz/progressbar/v3"
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
