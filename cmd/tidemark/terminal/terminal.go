// Package terminal writes what commands have to say to people and to programs, and asks people. Text of unknown
// hosts can neither steer a terminal nor break a line, if it goes through [Clean].
//
// People read standard output. Messages about the work, and what went wrong, go to standard error. With --json,
// standard output has the API's answers alone.
package terminal

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Terminal is what one run of the command reads and writes, and its clock. Tests put their own in.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Screen   Screen // what Out can show
	Notes    Screen // what Err can show
	Typed    bool   // a person types what In reads
	JSON     bool   // Out is for programs
	Pager    string // the command that shows long texts; "cat" for none
	Name     string // how the user called this command
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
}

// Note writes one message to standard error.
func (t *Terminal) Note(format string, args ...any) {
	fmt.Fprintf(t.Err, "tidemark: %s\n", CleanLines(fmt.Sprintf(format, args...)))
}

// Say writes one line for people to standard output. With --json it writes nothing.
func (t *Terminal) Say(format string, args ...any) {
	if !t.JSON {
		fmt.Fprintf(t.Out, format+"\n", args...)
	}
}

// OnChange returns a function that says a text unless it is the same as the one before.
func (t *Terminal) OnChange() func(text string) {
	shown := ""
	return func(text string) {
		if text != shown {
			t.Say("%s", text)
		}
		shown = text
	}
}

// Field is a named value, for a list of what is known about one thing.
type Field struct{ Name, Value string }

// SayFields says each field that has a value on a line.
func (t *Terminal) SayFields(all []Field) {
	for _, f := range all {
		if text := Clean(f.Value); text != "" {
			t.Say("%-9s  %s", f.Name, text)
		}
	}
}

// Quote makes text one word for a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
