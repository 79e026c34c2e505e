package main

import (
	"io"

	"github.com/schollz/progressbar/v3"
)

// newBar makes a progress bar; a negative total spins instead. It shows counts and no times, so
// that what it shows depends on nothing but the numbers it is given.
func newBar(w io.Writer, total int, what string, s screen) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(max(10, min(40, s.width-50))),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish(),
	)
}

// bar is a progress bar on standard error; nil, which shows nothing, where that is no terminal.
type bar struct{ shown *progressbar.ProgressBar }

func (p *program) bar(total int, what string) *bar {
	if !p.notes.terminal {
		return nil
	}
	return &bar{newBar(p.err, total, what, p.notes)}
}

// at moves the bar to what is done. A bar that cannot be drawn is no failure of the work, here and below.
func (b *bar) at(done int) {
	if b != nil {
		_ = b.shown.Set(done)
	}
}

func (b *bar) add(n int) {
	if b != nil {
		_ = b.shown.Add(n)
	}
}

func (b *bar) describe(what string) {
	if b != nil {
		b.shown.Describe(what)
	}
}

// clear makes room for a line; the next change draws the bar again.
func (b *bar) clear() {
	if b != nil {
		_ = b.shown.Clear()
	}
}

// end takes the bar away.
func (b *bar) end() {
	if b != nil {
		_ = b.shown.Exit()
		_ = b.shown.Clear()
	}
}
