package terminal

import (
	"io"
	"strings"

	"github.com/schollz/progressbar/v3"
)

// newBar makes a progress bar; one with a negative total spins instead. It shows counts and no times, so that what
// it shows depends only on the numbers it is given.
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

// Frame is one line with a progress bar, for a picture that somebody else draws.
func Frame(s Screen, what string, done, total int) string {
	bar := newBar(io.Discard, total, what, s)
	_ = bar.Set(done) // it cannot be drawn wrong into nothing
	text := strings.TrimRight(bar.String(), "\r")
	// Carriage returns move the bar into place.
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\r')+1:])
}

// Bar is a progress bar on standard error. A nil bar shows nothing.
type Bar struct{ shown *progressbar.ProgressBar }

// Bar begins a progress bar, or returns nil where standard error is not a terminal. One with a negative total spins
// instead.
func (t *Terminal) Bar(total int, what string) *Bar {
	if !t.Notes.Terminal {
		return nil
	}
	return &Bar{newBar(t.Err, total, what, t.Notes)}
}

// At moves the bar to what is done. A bar that cannot be drawn does not fail the work, here and below.
func (b *Bar) At(done int) {
	if b != nil {
		_ = b.shown.Set(done)
	}
}

// Add moves the bar on by n.
func (b *Bar) Add(n int) {
	if b != nil {
		_ = b.shown.Add(n)
	}
}

// Describe changes the words beside the bar.
func (b *Bar) Describe(what string) {
	if b != nil {
		b.shown.Describe(what)
	}
}

// Clear makes room for a line. The next change draws the bar again.
func (b *Bar) Clear() {
	if b != nil {
		_ = b.shown.Clear()
	}
}

// End removes the bar.
func (b *Bar) End() {
	if b != nil {
		_ = b.shown.Exit()
		_ = b.shown.Clear()
	}
}
