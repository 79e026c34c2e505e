// Package terminal writes the output of commands for people and for programs, and asks people questions. Text of
// unknown hosts that goes through [Clean] can neither control a terminal nor break a line.
//
// People read standard output. Messages about the work, and errors, go to standard error. With --json, standard
// output has only the API's answers.
package terminal

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Terminal has the input and outputs of one run of the command, and its clock. Tests replace them.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Screen   Screen // what Out can show
	Notes    Screen // what Err can show
	Typed    bool   // whether a person types the input
	JSON     bool   // whether a program reads the output
	Pager    string // the command that shows long texts; "cat" for none
	Name     string // the name by which the user called this command
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

// OnChange returns a function that prints a text unless it equals the previous one.
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

// SayFields prints each field that has a value on a line.
func (t *Terminal) SayFields(all []Field) {
	for _, f := range all {
		if text := Clean(f.Value); text != "" {
			t.Say("%-9s  %s", f.Name, text)
		}
	}
}

// Quote quotes text as one word for a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
