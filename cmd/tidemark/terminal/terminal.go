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
	"os"
	"slices"
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

// Open opens a file for reading; "-" is the input of the terminal.
func (t *Terminal) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(t.In), nil
	}
	return os.Open(name)
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

// SayWhen does the same as [Terminal.Say] if yes is true, and nothing otherwise.
func (t *Terminal) SayWhen(yes bool, format string, args ...any) {
	if yes {
		t.Say(format, args...)
	}
}

// NoteWhen does the same as [Terminal.Note] if yes is true, and nothing otherwise.
func (t *Terminal) NoteWhen(yes bool, format string, args ...any) {
	if yes {
		t.Note(format, args...)
	}
}

// When returns a text if yes is true, and "" otherwise.
func When(yes bool, format string, args ...any) string {
	if !yes {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Join joins the texts that are not empty.
func Join(sep string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" }), sep)
}

// OnChange returns a function that prints a text unless it equals the previous one.
func (t *Terminal) OnChange() func(text string) {
	shown := ""
	return func(text string) {
		t.SayWhen(text != shown, "%s", text)
		shown = text
	}
}

// Quote quotes text as one word for a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
