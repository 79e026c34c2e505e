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
