package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// patience is how many polls in a row may fail before following gives up. The first may not, because a wrong address
// should be told at once.
const patience = 5

// follow polls until what it sees is over. In between the server may be away for a while, as in an update.
func follow[T any](ctx context.Context, p *program, interval time.Duration, poll func() (T, error),
	over func(T) bool) error {
	failed := -1 // polls that failed in a row; -1 before the first success
	for {
		switch now, err := poll(); {
		case err == nil:
			if failed = 0; over(now) {
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

// after is a poll whose first answer is known already.
func after[T any](first T, poll func() (T, error)) func() (T, error) {
	known := true
	return func() (T, error) {
		if known {
			known = false
			return first, nil
		}
		return poll()
	}
}

// onChange says a text unless it is the same as the one before.
func (p *program) onChange() func(text string) {
	shown := ""
	return func(text string) {
		if text != shown {
			p.say("%s", text)
		}
		shown = text
	}
}

func waitFlags(f *pflag.FlagSet, wait *bool, interval *time.Duration) {
	f.BoolVarP(wait, "wait", "w", false, "stay until it is done")
	f.DurationVar(interval, "interval", time.Second, "how often --wait polls")
}

// checkInterval bounds how often a command polls.
func checkInterval(d time.Duration) error {
	if d < 100*time.Millisecond || d > time.Hour {
		return usagef("--interval is %s: give 100ms to 1h", d)
	}
	return nil
}

// view shows how far something is: as a picture that is drawn over itself on a terminal, otherwise as a line for each
// change, and not at all beside JSON.
type view struct {
	out    io.Writer
	screen screen
	silent bool
	drawn  int    // lines of the picture on the screen
	last   string // line
}

// show makes the picture or the line.
func (v *view) show(now time.Time, line func() string, picture func() []string) {
	switch {
	case v.silent:
	case v.screen.terminal:
		v.draw(picture())
	default:
		text := line()
		if text != v.last {
			fmt.Fprintf(v.out, "%s  %s\n", now.UTC().Format(time.TimeOnly), text)
		}
		v.last = text
	}
}

// close takes the picture away.
func (v *view) close() { v.draw(nil) }

// draw replaces the picture; without lines nothing is left of it. Lines are cut at the screen's width, because one that
// broke into two would be drawn over only in part.
func (v *view) draw(lines []string) {
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", v.drawn) // to the first line, and clear from there
	}
	for _, l := range lines {
		b.WriteString(cut(l, v.screen.width) + "\n")
	}
	// One write: what is drawn in two may flicker.
	io.WriteString(v.out, b.String())
	v.drawn = len(lines)
}
